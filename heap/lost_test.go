package heap_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/heap"
	"github.com/nettrace-go/nettrace/internal/expect"
)

func TestLost(t *testing.T) {
	whole := withStatic(small())
	first := func(id uint32) int { return slices.IndexFunc(whole, func(e event) bool { return e.id == id }) }
	for name, c := range map[string]struct {
		change func(list []event) []event
		want   string
		kept   int // objects with Partial
	}{
		"node event": {
			func(l []event) []event { return slices.Delete(l, first(18), first(18)+1) },
			"events GCBulkNode missing: 1 from index 0 on; the objects have 5 references, the events 8", 5,
		},
		"edge event": {
			func(l []event) []event { return slices.Delete(l, first(19), first(19)+1) },
			"events GCBulkEdge missing: 1 from index 0 on; the objects have 8 references, the events 5", 8,
		},
		"root event": {
			func(l []event) []event { return slices.Delete(l, first(16), first(16)+1) },
			"events GCBulkRootEdge missing: 1 from index 0 on", 8,
		},
		"sequence number": {
			func(l []event) []event { l[first(16)].skipped = 3; return l },
			"events dropped by the runtime: 3", 8,
		},
		"end": {func(l []event) []event { return l[:len(l)-1] }, "no GCEnd", 8},
		"short payload": {
			func(l []event) []event {
				e := &l[first(18)]
				e.payload = e.payload[:len(e.payload)-1]
				return l
			},
			"events truncated or out of order: 1", 7,
		},
		"several events": {
			func(l []event) []event {
				n := 0
				return slices.DeleteFunc(l, func(e event) bool {
					if e.id == 18 {
						n++
					}
					return e.id == 18 && n < 3 && n > 0 || e.id == 16 && e.payload[0] == 0
				})
			},
			"events GCBulkRootEdge missing: 1 from index 0 on; events GCBulkNode missing: 2 from index 0 on; the objects have 4 references, the events 8", 2,
		},
		"event twice": {
			func(l []event) []event {
				at := slices.IndexFunc(l, func(e event) bool { return e.id == 19 && e.payload[0] == 1 })
				return slices.Insert(l, at, l[at])
			},
			"the objects have 8 references, the events 11; events truncated or out of order: 1", 8,
		},
		"payload without its header": {
			func(l []event) []event { l[first(19)].payload = l[first(19)].payload[:5]; return l },
			"the objects have 8 references, the events 5; events truncated or out of order: 1", 8,
		},
		"static fields cut": {
			func(l []event) []event { l[first(38)].payload = l[first(38)].payload[:60]; return l },
			"events truncated or out of order: 1", 8,
		},
		"types cut": {
			func(l []event) []event { l[first(18)].payload[10+24+6] = 0xff; return l },
			"the objects have 71776119061217288 references, the events 8", 8,
		},
		"too many references": {
			func(l []event) []event {
				for i := range 2 {
					for k := range 8 {
						l[first(18)].payload[10+24+32*i+k] = 0xff
					}
				}
				return l
			},
			"the objects have 18446744073709551615 references, the events 8", 8,
		},
		"repeated address": {
			func(l []event) []event {
				e := &l[first(18)]
				e.payload = slices.Clone(e.payload)
				copy(e.payload[10+32:], e.payload[10:10+8])
				return l
			},
			"objects at the address of another object: 1", 8,
		},
	} {
		t.Run(name, func(t *testing.T) {
			list := c.change(withStatic(small()))
			_, err := read(t, heap.Options{}, list...)
			expect.ErrorIs(t, err, heap.ErrIncomplete)
			expect.Equal(t, "error", fmt.Sprint(err), "heap: the dump of collection 5 is incomplete: "+c.want)
			h, err := read(t, heap.Options{Partial: true}, list...)
			expect.NoError(t, err)
			expect.Stop(t)
			expect.Equal(t, "objects of the part", h.Len(), c.kept)
			_, err = h.Dominators(context.Background())
			expect.NoError(t, err)
		})
	}
}

// TestTwoGaps: the missing events of two gaps are counted together.
func TestTwoGaps(t *testing.T) {
	g := chain(12)
	g.rows = 3
	list := slices.DeleteFunc(g.events(), func(e event) bool { return e.id == 18 && e.payload[0]%2 == 0 })
	_, err := read(t, heap.Options{}, list...)
	expect.Contains(t, "error", fmt.Sprint(err), "events GCBulkNode missing: 2 from index 0 on")
}

// TestStaticsFirst: a dump whose GCStart is missing may begin with static fields, and
// their names count for the limit.
func TestStaticsFirst(t *testing.T) {
	list := withStatic(small())[1:]
	h, err := read(t, heap.Options{}, list...)
	expect.NoError(t, err)
	expect.Stop(t)
	expect.Equal(t, "static fields", h.Dump.Statics, 2)
	_, err = read(t, heap.Options{Limit: 40}, list...)
	expect.ErrorIs(t, err, codec.ErrLimit)
	h, err = read(t, heap.Options{Collection: 2}, slices.Concat(withStatic(small()), chain(3).events())...)
	expect.NoError(t, err)
	expect.Stop(t)
	expect.Equal(t, "static fields of the other dump", h.Dump.Statics, 0)
}

// TestTypesCut: a truncated BulkType loses the names after its end only.
func TestTypesCut(t *testing.T) {
	list := small().events()
	last := &list[slices.IndexFunc(list, func(e event) bool { return e.id == 18 })-1]
	last.payload = last.payload[:10]
	h, err := read(t, heap.Options{}, list...)
	expect.NoError(t, err)
	expect.Stop(t)
	expect.Equal(t, "types", h.Dump.Types, 8)
}

// TestPartialReferences: the objects before a gap have their references.
func TestPartialReferences(t *testing.T) {
	g := chain(12)
	g.rows = 3
	list := g.events()
	edges := 0
	list = slices.DeleteFunc(list, func(e event) bool {
		if e.id == 19 {
			edges++
		}
		return e.id == 19 && edges == 2 // the references of the objects 3, 4 and 5
	})
	h, err := read(t, heap.Options{Partial: true}, list...)
	expect.NoError(t, err)
	expect.Stop(t)
	var got []int
	for i := range int32(12) {
		got = append(got, len(h.References(i)))
	}
	expect.Slices(t, "references", got, []int{1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0})
}

// TestTruncated: a dump that ends before the stream is cut is complete.
func TestTruncated(t *testing.T) {
	stream := made(t, small().events()...)
	open := func(n int, opt heap.Options) (*heap.Heap, error) {
		return heap.FromReader(context.Background(), codec.NewBytesReader(stream[:n], codec.Options{}), opt)
	}
	h, err := open(len(stream)-1, heap.Options{})
	expect.ErrorIs(t, err, codec.ErrTruncated)
	expect.Equal(t, "the dump", h != nil, true)
	end := strings.LastIndex(string(stream), "SPBlock")
	for n := range end {
		h, err := open(n, heap.Options{})
		if h == nil {
			expect.Equal(t, fmt.Sprint("error at ", n), err != nil, true)
		}
		if _, err = open(n, heap.Options{Partial: true}); err == nil {
			t.Errorf("no error for %d of %d bytes", n, len(stream))
		}
	}
}
