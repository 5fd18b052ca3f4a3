package codec

import "github.com/nettrace-go/nettrace/codec/wire"

// FieldRef is the position of a field in the fields of a metadata row or
// schema. Metadata.Field or EventSchema.Field returns it, and Event.Value reads
// it without a search. The zero FieldRef refers to no field.
type FieldRef struct {
	field  int32 // position plus one
	member int32 // position plus one in the one nameless object, or 0
}

// Field returns a reference to the first field with a name, and false if there
// is none. If the row declares one object without a name, as in self-describing
// .NET events, the fields of that object are found by their own names. The
// reference is for events of this row.
func (m *Metadata) Field(name string) (FieldRef, bool) { return refOf(m.Fields, name) }

// Field returns a reference to the first field with a name, like
// Metadata.Field.
func (k *EventSchema) Field(name string) (FieldRef, bool) { return refOf(k.Fields, name) }

// FieldAt returns a reference to the field with an index in Fields, or in the fields
// of the one object without a name. It is for fields that have the same name.
func (k *EventSchema) FieldAt(i int) FieldRef {
	if len(k.Fields) == 1 && k.Fields[0].Name == "" && k.Fields[0].Type.Code == wire.Object {
		return FieldRef{field: 1, member: int32(i + 1)}
	}
	return FieldRef{field: int32(i + 1)}
}

func refOf(fields []Field, name string) (FieldRef, bool) {
	for i := range fields {
		f := &fields[i]
		if f.Name == name {
			return FieldRef{field: int32(i + 1)}, true
		}
		if f.Name != "" || len(fields) > 1 || f.Type.Code != wire.Object {
			continue
		}
		for j := range f.Type.Fields {
			if f.Type.Fields[j].Name == name {
				return FieldRef{field: 1, member: int32(j + 1)}, true
			}
		}
	}
	return FieldRef{}, false
}

// Value returns the field that a reference refers to, which must be of the
// event's metadata or schema. The Value is not Valid if the payload ends before
// it. It allocates nothing.
func (e *Event) Value(ref FieldRef) Value {
	f, pos := e.fields(), 0
	last := int(ref.field) - 1
	if last < 0 || last >= len(f.nodes) {
		return Value{}
	}
	for i := range f.nodes[:last+1] {
		n, fits := &f.nodes[i], complete
		end := pos + int(n.size)
		if n.size < 0 || end > len(f.payload) {
			end, fits = f.pass(n, pos)
		}
		switch {
		case fits == short, i == last && fits == hole, i < last && fits == partial:
			return Value{}
		case i < last:
			pos = end
			continue
		}
		v := Value{f, n, int32(pos), int32(end)}
		if ref.member > 0 {
			return v.member(int(ref.member) - 1)
		}
		return v
	}
	return Value{}
}

// member returns a field of an object by its position.
func (v Value) member(i int) Value {
	if v.Code() != wire.Object || i >= len(*v.node.fields) {
		return Value{}
	}
	w := walker{b: v.view.payload[:v.end], pos: int(v.start)}
	fields := *v.node.fields
	for j := range fields[:i] {
		if !w.walk(&fields[j], fields, int(v.start)) {
			return Value{}
		}
	}
	at := w.pos
	if !w.walk(&fields[i], fields, int(v.start)) && !w.partial {
		return Value{}
	}
	return Value{v.view, &fields[i], int32(at), int32(w.pos)}
}
