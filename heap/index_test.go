package heap_test

import (
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/heap"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestFindObjects reads chains of objects at several distances: each reference leads
// to the next object, and one leads to an address between the objects.
func TestFindObjects(t *testing.T) {
	for name, place := range map[string]func(i uint64) uint64{
		"one in a page":                  func(i uint64) uint64 { return 1024 * i },
		"of the min size":                func(i uint64) uint64 { return 24 * i },
		"two sizes":                      func(i uint64) uint64 { return 24*i + 400*(i/2) },
		"at the start of each page":      func(i uint64) uint64 { return 1024*(i/10) + 24*(i%10) },
		"at the end of each page":        func(i uint64) uint64 { return 1024*(i/10) + 700 + 24*(i%10) },
		"at both ends of each page":      func(i uint64) uint64 { return 1024*(i/10) + 24*(i%10) + 600*(i%10/5) },
		"more in a page than fit":        func(i uint64) uint64 { return 1024*(i/300) + 2*(i%300) },
		"more at the end of a page":      func(i uint64) uint64 { return 1024*(i/100) + 800 + 2*(i%100) },
		"in pages far from one another":  func(i uint64) uint64 { return i << 40 },
		"as many as fit in 32-bit pages": func(i uint64) uint64 { return 12 * i },
	} {
		t.Run(name, func(t *testing.T) {
			const n = 600
			g := chain(n)
			for i := range n {
				g.addresses = append(g.addresses, 1<<32+place(uint64(i)))
			}
			g.addresses = append(g.addresses, 1<<32+uint64(place(n/2)+1))
			g.objects[n-1].references = []int{n}
			t.Run("up", func(t *testing.T) { findNext(t, g) })
			slices.Reverse(g.addresses[:n])
			t.Run("down", func(t *testing.T) { findNext(t, g) })
		})
	}
}

func findNext(t *testing.T, g *graph) {
	h, err := read(t, heap.Options{}, g.events()...)
	expect.NoError(t, err)
	expect.Stop(t)
	wrong := 0
	for i := range int32(h.Len() - 1) {
		if !slices.Equal(h.References(i), []int32{i + 1}) {
			wrong++
		}
	}
	expect.Equal(t, "references that do not lead to the next object", wrong, 0)
	expect.Equal(t, "references between objects", h.Unresolved, 1)
}
