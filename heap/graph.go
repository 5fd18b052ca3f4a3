package heap

import (
	"context"
	"slices"
	"strconv"
)

// graph makes the graph of the rows, which it releases.
func (b *builder) graph(ctx context.Context) (*Heap, error) {
	x := newIndex(&b.addresses)
	b.dump.Repeated = x.repeated
	h := &Heap{Dump: b.dump, addresses: b.addresses, sizes: b.sizes, types: b.types}
	h.internNames(b)
	h.addStatics(b, x)
	h.addRoots(b, x)
	h.addWeak(b, x)
	if err := h.addReferences(ctx, b, x); err != nil {
		return nil, err
	}
	slices.SortStableFunc(h.Roots, func(r, s Root) int { return int(r.Object) - int(s.Object) })
	slices.SortStableFunc(h.Statics, func(s, t Static) int { return s.compare(t.edge()) })
	return h, nil
}

// internNames gives the types with one name one number.
func (h *Heap) internNames(b *builder) {
	known := map[string]int32{}
	h.numbers = make([]int32, len(b.ids))
	for i, name := range b.names {
		if name == "" {
			name = "type 0x" + strconv.FormatUint(b.ids[i], 16)
		}
		n, ok := known[name]
		if !ok {
			n = int32(len(h.names))
			known[name] = n
			h.names = append(h.names, name)
		}
		h.numbers[i] = n
	}
}

// addStatics finds the arrays that have the slots of static fields. A field whose
// slot is elsewhere is a root.
func (h *Heap) addStatics(b *builder, x *index) {
	for _, r := range b.staticRows {
		object, known := h.resolve(x, r.object)
		if !known {
			continue
		}
		if array, inside := x.before(r.slot); inside && r.slot-h.addresses.at(int(array)) < h.Size(array) {
			h.Statics = append(h.Statics, Static{Array: array, Object: object, Slot: r.slot, Name: r.name})
		} else {
			h.Roots = append(h.Roots, Root{Object: object, Kind: StaticRoot, ID: r.slot, Name: r.name})
		}
	}
}

func (h *Heap) addRoots(b *builder, x *index) {
	for _, r := range b.rootRows {
		if object, known := h.resolve(x, r.address); known {
			h.Roots = append(h.Roots, Root{Object: object, Kind: r.kind, Flags: r.flags, ID: r.id})
		}
	}
}

func (h *Heap) addWeak(b *builder, x *index) {
	for _, w := range b.weakRows {
		key, known := h.resolve(x, w.key)
		value, alsoKnown := h.resolve(x, w.value)
		if known && alsoKnown {
			h.weak = append(h.weak, edge{key, value})
		}
	}
	slices.SortFunc(h.weak, edge.compare)
}

// resolve returns the object at an address. Address 0 is no object.
func (h *Heap) resolve(x *index, address uint64) (int32, bool) {
	if address == 0 {
		return 0, false
	}
	i, known := x.find(address)
	if !known {
		h.Unresolved++
	}
	return i, known
}

// addReferences makes the references of each object: the next edges, as many as it
// has, then the values of its dependent handles. After a gap no edge belongs to a
// known object.
func (h *Heap) addReferences(ctx context.Context, b *builder, x *index) error {
	h.offsets = make([]int32, h.Len()+1)
	h.targets = make([]int32, 0, min(b.targets.len, b.soundEdges)+len(h.weak))
	next, weak, edges := 0, 0, b.soundEdges
	for i := range h.Len() {
		if i&0xffff == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if count := int(b.counts.at(i)); i >= b.soundObjects || count > edges-next || count < 0 {
			edges = next
		} else {
			for range count {
				if to, known := h.resolve(x, b.targets.at(next)); known {
					h.targets = append(h.targets, to)
				}
				next++
				b.targets.release(next)
			}
		}
		for ; weak < len(h.weak) && int(h.weak[weak].from) == i; weak++ {
			h.targets = append(h.targets, h.weak[weak].to)
		}
		h.offsets[i+1] = int32(len(h.targets))
	}
	b.targets = column[uint64]{}
	return nil
}
