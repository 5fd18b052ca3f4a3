package heap

import "slices"

// Builder makes a Heap of the objects of another format. The zero value is not usable.
type Builder struct {
	heap   *Heap
	memory memory
}

// NewBuilder returns a Builder for objects of the types with these names, each once.
// limit is that of Options.
func NewBuilder(names []string, limit int64) *Builder {
	b := &Builder{heap: &Heap{names: names, numbers: make([]int32, len(names)), offsets: []int32{0}}, memory: newMemory(limit)}
	for i := range b.heap.numbers {
		b.heap.numbers[i] = int32(i)
	}
	return b
}

// Add adds an object, which gets the next number. typ is an index of the names. A
// negative reference is one to an address without an object. The error is a
// *codec.LimitError.
func (b *Builder) Add(address, size uint64, typ int32, references []int32) error {
	h := b.heap
	if err := b.memory.take(objectBytes + edgeBytes*int64(len(references))); err != nil {
		return err
	}
	if len(h.offsets) > maxRows || len(h.targets)+len(references) > maxRows {
		return (&memory{limit: maxRows}).take(maxRows + 1)
	}
	h.addresses.append(address)
	h.sizes.append(size)
	h.types.append(typ)
	for _, to := range references {
		if to < 0 {
			h.Unresolved++
		} else {
			h.targets = append(h.targets, to)
		}
	}
	h.offsets = append(h.offsets, int32(len(h.targets)))
	h.Dump.Objects++
	h.Dump.Edges += int64(len(references))
	return nil
}

// AddRoot adds a root. Its object may be added later.
func (b *Builder) AddRoot(r Root) error {
	b.heap.Roots = append(b.heap.Roots, r)
	b.heap.Dump.Roots++
	return b.memory.take(rootBytes + int64(len(r.Name)))
}

// Heap returns the Heap, with the numbers of rows in d set. All references and roots must
// be to objects that were added. The Builder must not be used afterwards.
func (b *Builder) Heap(d Dump) *Heap {
	h := b.heap
	d.Objects, d.Edges, d.Roots, d.Declared, d.Types = h.Dump.Objects, h.Dump.Edges, h.Dump.Roots, uint64(h.Dump.Edges), int64(len(h.names))
	h.Dump, h.Dumps = d, []Dump{d}
	slices.SortStableFunc(h.Roots, func(r, s Root) int { return int(r.Object) - int(s.Object) })
	return h
}
