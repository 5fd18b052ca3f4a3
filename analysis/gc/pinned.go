package gc

import (
	"cmp"
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// PinnedType describes the pinned objects of a type, of the collection in which they
// are most. A collection cannot move them.
type PinnedType struct {
	Type    string `json:"type"`    // name of the type
	Objects int64  `json:"objects"` // number of objects
	Bytes   int64  `json:"bytes"`   // their size
}

// pins are the pinned objects of a runtime by type.
type pins struct {
	types   map[string]*pinnedType
	bytes   int64 // of the names
	leftOut int64 // events without a type because of the limits
	text    []byte
}

// pinnedType has the objects of a type.
type pinnedType struct {
	of        *collection // the last one
	now, most pinnedSum
}

// pinnedSum is a number of pinned objects and their size.
type pinnedSum struct{ objects, bytes int64 }

// add adds an object.
func (p *pinnedSum) add(size int64) {
	p.objects++
	p.bytes += size
}

// pinnedObject handles PinObjectAtGCTime, which a collection logs for each pinned
// object that it finds.
func (r *runtime) pinnedObject(ev *codec.Event) {
	e := clr.PinObjectAtGCTime(ev)
	size, name := int64(e.ObjectSize()), e.TypeName()
	c := r.described(ev, 0)
	if e.Short() || c == nil {
		return
	}
	c.pins.add(size)
	r.pins.text = wire.AppendUTF16(r.pins.text[:0], name)
	t := r.pins.of(r.pins.text, r.trace.Limits())
	if t == nil {
		r.pins.leftOut++
		return
	}
	if t.of != c {
		t.of, t.now = c, pinnedSum{}
	}
	t.now.add(size)
	if t.now.objects > t.most.objects {
		t.most = t.now
	}
}

// of returns a type, nil for one above the limits.
func (p *pins) of(name []byte, limits analysis.Limits) *pinnedType {
	t := p.types[string(name)]
	if t == nil && int64(len(p.types)) < limits.Rows && p.bytes+int64(len(name)) <= limits.Symbols {
		if p.types == nil {
			p.types = map[string]*pinnedType{}
		}
		t = &pinnedType{}
		p.types[string(name)] = t
		p.bytes += int64(len(name))
	}
	return t
}

// list returns the types, those with the most objects first.
func (p *pins) list() []PinnedType {
	list := []PinnedType{}
	for name, t := range p.types {
		list = append(list, PinnedType{Type: symbols.TypeName(name), Objects: t.most.objects, Bytes: t.most.bytes})
	}
	slices.SortFunc(list, func(a, b PinnedType) int {
		return cmp.Or(cmp.Compare(b.Objects, a.Objects), cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Type, b.Type))
	})
	return list
}

// setPinned sets the pinned objects of a collection. Their size is known if the trace
// has an event for each of them.
func (row *Row) setPinned(c *collection) {
	if !c.stats {
		return
	}
	row.PinnedObjects = analysis.Known(c.pinnedObjects)
	if c.pins.objects == c.pinnedObjects {
		row.PinnedBytes = analysis.Known(c.pins.bytes)
	}
}
