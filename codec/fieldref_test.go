package codec_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/internal/traces"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// fieldOf is Event.Field, or a Value that is not Valid for a missing field.
func fieldOf(e *codec.Event, name string) codec.Value {
	v, _ := e.Field(name)
	return v
}

// names lists the fields of a row, and the members of the one nameless object.
func names(fields []codec.Field) (list []string) {
	for i := range fields {
		list = append(list, fields[i].Name)
	}
	if len(fields) == 1 && fields[0].Name == "" {
		list = append(list, names(fields[0].Type.Fields)...)
	}
	return list
}

// TestFieldRef: a reference returns the same value as a search for the name.
func TestFieldRef(t *testing.T) {
	for _, name := range []string{"net10-types.v4", "onecollect-small.v6"} {
		t.Run(name, func(t *testing.T) {
			compared := 0
			for e, err := range codec.NewBytesReader(traces.Read(t, name), codec.Options{}).Events() {
				if err != nil {
					t.Fatal(err)
				}
				for _, field := range names(e.Metadata().Fields) {
					ref, ok := e.Metadata().Field(field)
					if got, want := e.Value(ref), fieldOf(e, field); !ok || got != want {
						t.Fatalf("event at %d, field %q: %v by reference, %v by name", e.Offset(), field, got, want)
					}
					compared++
				}
			}
			if compared < 30 {
				t.Errorf("%d fields were compared", compared)
			}
		})
	}
}

// TestFieldRefMisses: a field that is missing, or does not fit, is not found.
func TestFieldRefMisses(t *testing.T) {
	fields := [][]byte{field("a", wire.Int32), field("text", wire.NullTerminatedUTF16String), field("b", wire.Int32)}
	whole := bytesOf(uint32(7), "x\x00\x00\x00", uint32(9))
	for _, c := range []struct {
		name    string
		payload []byte
		field   string
		want    string
	}{
		{"the first", whole, "a", "7"},
		{"after text", whole, "b", "9"},
		{"no such field", whole, "c", "(not found)"},
		{"truncated", whole[:10], "b", "(not found)"},
		{"after text without an end", whole[:6], "b", "(not found)"},
		{"text without an end", whole[:6], "text", "x"},
		{"no payload", nil, "a", "(not found)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := only(t, withFields(c.payload, fields...), codec.Options{})
			ref, _ := e.Metadata().Field(c.field)
			if got := e.Value(ref); got.String() != c.want || got.Valid() != (c.want != "(not found)") || got != fieldOf(e, c.field) {
				t.Errorf("%v, want %s; by name %v", got, c.want, fieldOf(e, c.field))
			}
			if _, ok := e.Field(c.field); ok != (c.want != "(not found)") {
				t.Errorf("found by name: %v", ok)
			}
		})
	}
}

// TestFieldRefOfSchema: a reference of a schema reads the events that it describes.
func TestFieldRefOfSchema(t *testing.T) {
	schema, _ := oneNumber(nil, 0)
	for _, c := range []struct {
		name, field string
		found       bool
		want        []string // of the two events
	}{
		{"field", "n", true, []string{"7", "(not found)"}},
		{"no such field", "m", false, []string{"(not found)", "(not found)"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ref, ok := schema.Field(c.field)
			expect.Equal(t, "found", ok, c.found)
			var got []string
			for e, err := range codec.NewBytesReader(undescribed(), codec.Options{Schemas: oneNumber}).Events() {
				expect.NoError(t, err)
				expect.Stop(t)
				got = append(got, e.Value(ref).String())
			}
			expect.Slices(t, "values", got, c.want)
		})
	}
}

// TestFieldRefDoesNotAllocate: reading by reference allocates nothing.
func TestFieldRefDoesNotAllocate(t *testing.T) {
	e := only(t, withFields(bytesOf(uint32(7), "x\x00\x00\x00", uint32(9)),
		field("a", wire.Int32), field("text", wire.NullTerminatedUTF16String), field("b", wire.Int32)), codec.Options{})
	ref, _ := e.Metadata().Field("b")
	sum := uint64(0)
	if n := testing.AllocsPerRun(100, func() { sum += e.Value(ref).Uint64() }); n != 0 || sum == 0 {
		t.Errorf("%v allocations, sum %d", n, sum)
	}
}

// TestValueString: a Value prints as its value.
func TestValueString(t *testing.T) {
	for _, c := range []struct {
		name    string
		field   []byte
		payload []byte
		want    string
	}{
		{"signed", field("f", wire.Int32), bytesOf(uint32(math.MaxUint32)), "-1"},
		{"unsigned", field("f", wire.UInt32), bytesOf(uint32(math.MaxUint32)), "4294967295"},
		{"varint", field("f", wire.VarInt), binary.AppendVarint(nil, -300), "-300"},
		{"boolean", field("f", wire.Boolean), bytesOf(uint32(1)), "true"},
		{"single", field("f", wire.Single), bytesOf(math.Float32bits(0.1)), "0.1"},
		{"double", field("f", wire.Double), bytesOf(math.Float64bits(-2.5)), "-2.5"},
		{"text", field("f", wire.NullTerminatedUTF16String), []byte("h\x00i\x00\x00\x00"), "hi"},
		{"GUID", field("f", wire.GUIDCode), make([]byte, 16), "00000000-0000-0000-0000-000000000000"},
		{"time", field("f", wire.DateTime), bytesOf(uint64(116444736000000000)), "1970-01-01T00:00:00Z"},
		{"no time", field("f", wire.DateTime), bytesOf(uint64(math.MaxUint64)), "ffffffffffffffff"},
		{"array", field("f", wire.Array, byte(wire.Int16)), bytesOf(uint16(2), uint16(3), uint16(math.MaxUint16)), "[3 -1]"},
		{"empty array", field("f", wire.Array, byte(wire.Int16)), bytesOf(uint16(0)), "[]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, ok := only(t, withFields(c.payload, c.field), codec.Options{}).Field("f")
			if got := fmt.Sprint(v); got != c.want || !ok {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	t.Run("not found", func(t *testing.T) {
		if got := fmt.Sprint(codec.Value{}); got != "(not found)" {
			t.Errorf("%q", got)
		}
	})
}

// oneNumber describes all events as a number.
func oneNumber(*codec.Metadata, uint32) (codec.EventSchema, bool) {
	return codec.EventSchema{Name: "Known", Fields: []codec.Field{{Name: "n", Type: codec.Type{Code: wire.Int32}}}}, true
}

// undescribed is a stream of two events that the trace does not describe, the second
// without a payload.
func undescribed() []byte {
	return newV6().metadataRow(varuint(1), text("P"), varuint(1), text(""), uint16(0), uint16(0)).thread(0, 1, 1).
		block(wire.KindEvent, eventBlock(0, rowV6(1, 1, 0, 0, 0, 2000, 0, "\x07\x00\x00\x00"), rowV6(1, 2, 0, 0, 0, 2000, 0, ""))).end()
}

// TestUndescribed counts the events without a description of their fields, and
// only those whose fields were read.
func TestUndescribed(t *testing.T) {
	for _, c := range []struct {
		name   string
		opt    codec.Options
		stream []byte
		fields bool
		want   int64
	}{
		{"without schemas", codec.Options{}, undescribed(), true, 1},
		{"strict", codec.Options{Schemas: oneNumber, NoLeniency: true}, undescribed(), true, 1},
		{"with schemas", codec.Options{Schemas: oneNumber}, undescribed(), true, 0},
		{"not asked", codec.Options{}, undescribed(), false, 0},
		{"described", codec.Options{}, withFields(bytesOf(uint32(7)), field("a", wire.Int32)), true, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := codec.NewBytesReader(nil, c.opt)
			for range 2 { // Reset sets it to 0
				r.ResetBytes(c.stream)
				for e, err := range r.Events() {
					if err != nil {
						t.Fatal(err)
					}
					for range 2 { // an event counts once
						if c.fields {
							e.Field("n")
						}
					}
				}
				if got := r.Undescribed(); got != c.want {
					t.Errorf("%d, want %d", got, c.want)
				}
			}
		})
	}
}

// TestKnownName: an event without a name has that of the schemas, a clone too.
func TestKnownName(t *testing.T) {
	for _, c := range []struct {
		name   string
		opt    codec.Options
		stream []byte
		want   string
	}{
		{"without schemas", codec.Options{}, undescribed(), ""},
		{"with schemas", codec.Options{Schemas: oneNumber}, undescribed(), "Known"},
		{"name in the trace", codec.Options{Schemas: oneNumber}, withFields(bytesOf(uint32(7)), field("a", wire.Int32)), "E"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := only(t, c.stream, c.opt)
			if got, clone := e.Name(), e.Clone().Name(); got != c.want || clone != c.want {
				t.Errorf("%q, of a clone %q, want %q", got, clone, c.want)
			}
		})
	}
}
