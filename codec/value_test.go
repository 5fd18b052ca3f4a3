package codec_test

import (
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// TestValueOfAnotherType: the accessor of another type returns the zero value.
func TestValueOfAnotherType(t *testing.T) {
	payload := bytesOf(uint32(7), uint16(2), uint16(1), uint16(2))
	e := only(t, withFields(payload, field("number", wire.Int32), field("list", wire.Array, byte(wire.UInt16))), codec.Options{})
	for _, name := range []string{"number", "list", "nothing"} {
		t.Run(name, func(t *testing.T) {
			v := fieldOf(e, name)
			if v.GUID() != (wire.GUID{}) || v.Text() != "" {
				t.Errorf("%v, %q", v.GUID(), v.Text())
			}
			if at, ok := v.Time(); ok {
				t.Errorf("time %v", at)
			}
			for name := range v.Fields() {
				t.Errorf("field %s of a value that is no object", name)
			}
		})
	}
	if n := fieldOf(e, "list").Uint64(); n != 0 {
		t.Errorf("an array as a number: %d", n)
	}
	for _, name := range []string{"number", "nothing"} {
		t.Run(name, func(t *testing.T) {
			v := fieldOf(e, name)
			for range v.Elements() {
				t.Errorf("%s has an element", name)
			}
			if v.IsArray() {
				t.Errorf("%s is an array", name)
			}
		})
	}
	if v := fieldOf(e, "nothing"); v.Code() != 0 || v.Float64() != 0 {
		t.Error("a missing field has a value")
	}
	if v := fieldOf(e, "number"); v.Float64() != 7 {
		t.Errorf("%v, want 7", v.Float64())
	}
}

// known describes the events of withFields by a schema, which can have types
// that no stream holds.
func known(fields ...codec.Field) codec.Options {
	schema := &codec.EventSchema{Fields: fields}
	return codec.Options{Schemas: func(*codec.Metadata, uint32) (codec.EventSchema, bool) { return *schema, true }}
}

// TestCountedText reads text and arrays that an earlier field counts, complete
// and truncated anywhere.
func TestCountedText(t *testing.T) {
	opt := known(
		codec.Field{Name: "skipped", Type: codec.Type{Code: wire.NullTerminatedUTF8String}},
		codec.Field{Name: "count", Type: codec.Type{Code: wire.UInt16}},
		codec.Field{Name: "text", Type: codec.Type{Code: wire.CountedUTF8String}},
		codec.Field{Name: "list", Type: codec.Type{Code: wire.Array, CountField: 2, Element: &codec.Type{Code: wire.UInt16}}},
		codec.Field{Name: "end", Type: codec.Type{Code: wire.NullTerminatedUTF8String}},
	)
	payload := bytesOf("ab\x00", uint16(2), uint16(3), "xyz", uint16(8), uint16(9), "end\x00")
	e := only(t, withFields(payload), opt)
	if id := codec.RuleOf(e.FieldsError()); id != rule.None {
		t.Fatal(id)
	}
	if got := fieldOf(e, "text").Text() + fieldOf(e, "skipped").Text() + fieldOf(e, "end").Text(); got != "xyzabend" {
		t.Errorf("text %q", got)
	}
	list := fieldOf(e, "list")
	var got []uint64
	for v := range list.Elements() {
		got = append(got, v.Uint64())
	}
	if !list.IsArray() || !slices.Equal(got, []uint64{8, 9}) {
		t.Errorf("elements %d", got)
	}
	short := []rule.ID{0: rule.PAY001, 1: rule.PAY006, 3: rule.PAY001, 7: rule.PAY008, 14: rule.PAY001, 15: rule.PAY006}
	want := rule.None
	for n := range payload {
		if n < len(short) && short[n] != rule.None {
			want = short[n]
		}
		e := only(t, withFields(payload[:n]), opt)
		if id := codec.RuleOf(e.FieldsError()); id != want {
			t.Errorf("%d bytes: %v, want %v", n, id, want)
		}
	}
}

// TestWrongSchemas: a schema whose array has no integer counter before it makes
// payloads that do not fit, and nothing worse.
func TestWrongSchemas(t *testing.T) {
	array := func(counter int) codec.Field {
		return codec.Field{Name: "a", Type: codec.Type{Code: wire.Array, CountField: counter, Element: &codec.Type{Code: wire.UInt16}}}
	}
	text := codec.Field{Name: "s", Type: codec.Type{Code: wire.NullTerminatedUTF16String}}
	number := codec.Field{Name: "n", Type: codec.Type{Code: wire.Byte}}
	element := array(1).Type
	inner := codec.Field{Name: "a", Type: codec.Type{Code: wire.Array, Element: &element}}
	for name, c := range map[string]struct {
		fields []codec.Field
		want   rule.ID
	}{
		"right":                {[]codec.Field{number, array(1)}, rule.None},
		"by a text":            {[]codec.Field{text, array(1)}, rule.PAY008},
		"by itself":            {[]codec.Field{number, array(2)}, rule.PAY008},
		"by a later field":     {[]codec.Field{number, array(3), number}, rule.PAY008},
		"by a later text":      {[]codec.Field{number, array(3), text}, rule.PAY008},
		"by none":              {[]codec.Field{number, array(9)}, rule.PAY008},
		"elements of an array": {[]codec.Field{number, inner}, rule.PAY008},
		"two in a row":         {[]codec.Field{array(2), array(1)}, rule.PAY008},
		"a code of no type":    {[]codec.Field{number, {Name: "x", Type: codec.Type{Code: 77}}}, rule.PAY001},
	} {
		t.Run(name, func(t *testing.T) {
			opt := codec.Options{Schemas: func(*codec.Metadata, uint32) (codec.EventSchema, bool) {
				return codec.EventSchema{Name: "E", Fields: c.fields}, true
			}}
			e := only(t, withFields([]byte{1, 1, 0, 0, 0, 0, 0}), opt)
			fitting := 0
			for range e.Fields() {
				fitting++
			}
			got := codec.RuleOf(e.FieldsError())
			expect.Equal(t, "result", got, c.want)
			if c.want == rule.None && fitting != len(c.fields) {
				t.Errorf("%v, want %v; %d fields", got, c.want, fitting)
			}
		})
	}
}

// TestLocatedElementsCut: elements of no fixed size in the range of a locator are
// returned as far as they fit. Only strings of a recognised writer, and of
// schemas, are such.
func TestLocatedElementsCut(t *testing.T) {
	texts := func(v codec.Value) (list []string) {
		for e := range v.Elements() {
			if e.Code() != wire.Object {
				list = append(list, e.Text())
			}
			for _, inner := range e.Fields() {
				list = append(list, inner.Text())
			}
		}
		return list
	}
	located := func(size int, data ...any) []byte { return bytesOf(uint32(size<<16|4), bytesOf(data...)) }
	schema := func(element wire.TypeCode) codec.Options {
		return codec.Options{Schemas: func(*codec.Metadata, uint32) (codec.EventSchema, bool) {
			return codec.EventSchema{Fields: []codec.Field{{Name: "f", Type: codec.Type{Code: wire.DataLoc, Element: &codec.Type{Code: element}}}}}, true
		}}
	}
	for name, c := range map[string]struct {
		stream []byte
		opt    codec.Options
		want   []string
	}{
		"counted strings":        {withFields(located(7, uint16(1), "a", uint16(3), "bc")), schema(wire.CountedUTF8String), []string{"a"}},
		"terminated strings":     {withFields(located(5, "ab\x00cd")), schema(wire.NullTerminatedUTF8String), []string{"ab", "cd"}},
		"of a recognised writer": {recordTraceObjects(located(7, uint16(1), "a", uint16(3), "bc")), codec.Options{}, []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := texts(fieldOf(only(t, c.stream, c.opt), "f")); !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// recordTraceObjects is a stream of record-trace with an event whose field refers
// to objects of one counted string.
func recordTraceObjects(payload []byte) []byte {
	row := func(id uint64, provider string, f []byte) []byte {
		return sized(varuint(id), text(provider), varuint(1), text("E"), uint16(1), sized(f), uint16(0))
	}
	object := bytesOf(byte(wire.Object), uint16(1), sized(field("s", wire.UTF8CodeUnit)))
	return newV6().block(wire.KindMetadata, uint16(0),
		row(1, "P", field("f", wire.DataLoc, object)), row(2, "Universal.System", field("s", wire.UTF8CodeUnit))).
		thread(0, 1, 1).block(wire.KindEvent, eventBlock(0, rowV6(1, 1, 0, 0, 0, 2000, 0, string(payload)))).end()
}
