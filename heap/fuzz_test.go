package heap_test

import (
	"context"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/heap"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// pack makes bytes of events: id, size of the payload, payload.
func pack(list []event) (b []byte) {
	for _, e := range list {
		b = append(append(b, byte(e.id)), payload(uint16(len(e.payload)), e.payload)...)
	}
	return b
}

// unpack makes events of any bytes.
func unpack(b []byte) (list []event) {
	for len(b) >= 3 {
		size := min(int(binary.LittleEndian.Uint16(b[1:])), len(b)-3)
		list = append(list, event{id: uint32(b[0]), payload: b[3 : 3+size]})
		b = b[3+size:]
	}
	return list
}

// FuzzFromReader reads dumps whose bytes are changed, and works on the graph.
func FuzzFromReader(f *testing.F) {
	f.Add(pack(withStatic(small())), uint32(0), true)
	f.Add(pack(slices.Concat(small().events(), chain(3).events())), uint32(5), false)
	f.Add(pack(chain(9).events()[3:]), uint32(2), true)
	f.Fuzz(func(t *testing.T, b []byte, collection uint32, partial bool) {
		h, err := read(t, heap.Options{Collection: collection, Partial: partial, Limit: 8 << 20}, unpack(b)...)
		if h == nil {
			if err == nil {
				t.Error("neither a heap nor an error")
			}
			return
		}
		if !partial && !h.Dump.Complete() {
			t.Errorf("incomplete dump: %+v", h.Dump)
		}
		d, err := h.Dominators(context.Background())
		expect.NoError(t, err)
		var sum, retained uint64
		for i := range h.Len() {
			sum += h.Size(int32(i))
		}
		expect.Equal(t, "retained by the root", d.Retained(h.Root()), sum)
		for _, v := range d.Children(h.Root()) {
			retained += d.Retained(v)
		}
		expect.Equal(t, "retained below the root", retained, sum)
		p, err := h.Paths(context.Background())
		expect.NoError(t, err)
		for _, v := range p.Order() {
			if parent, _ := p.Parent(v); parent >= 0 && !slices.Contains(h.References(parent), v) {
				t.Errorf("no reference from %d to %d", parent, v)
			}
		}
		h.Types(d)
	})
}
