package gen

import (
	"encoding/binary"
	"math"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// maxNesting is how deep random types go.
const maxNesting = 3

// fields returns n fields, at a depth of types.
func (r *random) fields(n, depth int) []codec.Field {
	var list []codec.Field
	for range n {
		list = append(list, codec.Field{Name: r.name(), Type: r.fieldType(depth, depth == 0)})
	}
	return list
}

// fieldType chooses a type of the version. Locators are only in the outermost
// list, and refer to values of a fixed size.
func (r *random) fieldType(depth int, locators bool) codec.Type {
	for {
		code := wire.TypeCode(1 + r.n(26))
		switch {
		case !r.format.HasType(code):
			continue
		case code == wire.Object:
			if depth < maxNesting {
				return codec.Type{Code: code, Fields: r.fields(1+r.n(3), depth+1)}
			}
		case code == wire.RelLoc, code == wire.DataLoc:
			if locators {
				return codec.Type{Code: code, Element: r.fixedType()}
			}
		case code.HasElement():
			if depth < maxNesting {
				element := r.fieldType(depth+1, false)
				t := codec.Type{Code: code, Element: &element}
				if code == wire.FixedLengthArray {
					t.Count = uint16(1 + r.n(4))
				}
				return t
			}
		default:
			return codec.Type{Code: code}
		}
	}
}

// fixedType chooses a type whose values have the same size.
func (r *random) fixedType() *codec.Type {
	for {
		if t := r.fieldType(maxNesting-1, false); t.FixedSize() {
			return &t
		}
	}
}

// payload makes values for the fields of an event type. The values of locators
// are after the fields.
func (r *random) payload(m *codec.Metadata) []byte {
	var b []byte
	type hole struct {
		pos  int
		kind *codec.Type
	}
	var holes []hole
	for i := range m.Fields {
		t := &m.Fields[i].Type
		if t.Code == wire.RelLoc || t.Code == wire.DataLoc {
			holes = append(holes, hole{len(b), t})
		}
		b = r.value(b, t)
	}
	for _, h := range holes {
		at := len(b)
		for range r.n(4) {
			b = r.value(b, h.kind.Element)
		}
		pos := at
		if h.kind.Code == wire.RelLoc {
			pos -= h.pos + 4
		}
		binary.LittleEndian.PutUint32(b[h.pos:], uint32(len(b)-at)<<16|uint32(pos))
	}
	return b
}

// value appends a value. That of a locator is filled in later.
func (r *random) value(b []byte, t *codec.Type) []byte {
	le := binary.LittleEndian
	switch t.Code {
	case wire.Object:
		for i := range t.Fields {
			b = r.value(b, &t.Fields[i].Type)
		}
	case wire.Array, wire.FixedLengthArray:
		n := int(t.Count)
		if t.Code == wire.Array {
			n = r.n(4)
			b = le.AppendUint16(b, uint16(n))
		}
		for range n {
			b = r.value(b, t.Element)
		}
	case wire.Boolean:
		b = le.AppendUint32(b, uint32(r.n(2)))
	case wire.Boolean8:
		b = append(b, byte(r.n(2)))
	case wire.UTF8CodeUnit:
		b = append(b, byte('A'+r.n(26)))
	case wire.UTF16CodeUnit:
		b = le.AppendUint16(b, uint16('À'+r.n(1<<8)))
	case wire.NullTerminatedUTF16String:
		b = wire.AppendUTF16Z(b, r.text(6))
	case wire.VarInt:
		b = wire.AppendVarInt(b, int64(r.bits(64)))
	case wire.VarUInt:
		b = wire.AppendVarUint(b, r.bits(64))
	case wire.DateTime:
		b = le.AppendUint64(b, 130000000000000000+r.bits(55))
	case wire.Single:
		b = le.AppendUint32(b, math.Float32bits(float32(r.n(1<<20))))
	case wire.Double:
		b = le.AppendUint64(b, math.Float64bits(float64(r.n(1<<30))))
	default:
		at := len(b)
		b = append(b, make([]byte, t.Code.Size())...)
		r.fill(b[at:])
	}
	return b
}
