package codec_test

import (
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// TestValueOfAnotherType: what a value is not, it gives as nothing.
func TestValueOfAnotherType(t *testing.T) {
	payload := bytesOf(uint32(7), uint16(2), uint16(1), uint16(2))
	e := only(t, withFields(payload, field("number", wire.Int32), field("list", wire.Array, byte(wire.UInt16))), codec.Options{})
	for _, name := range []string{"number", "list", "nothing"} {
		v := e.Field(name)
		if v.GUID() != (wire.GUID{}) || v.Text() != "" {
			t.Errorf("%s: %v, %q", name, v.GUID(), v.Text())
		}
		if at, ok := v.Time(); ok {
			t.Errorf("%s: time %v", name, at)
		}
		for name := range v.Fields() {
			t.Errorf("field %s of what is no object", name)
		}
	}
	if n := e.Field("list").Uint64(); n != 0 {
		t.Errorf("an array as a number: %d", n)
	}
	for _, name := range []string{"number", "nothing"} {
		v := e.Field(name)
		for range v.Elements() {
			t.Errorf("%s has an element", name)
		}
		if v.IsArray() {
			t.Errorf("%s is an array", name)
		}
	}
	if v := e.Field("nothing"); v.Code() != 0 || v.Float64() != 0 {
		t.Error("a field that is not there has a value")
	}
	if v := e.Field("number"); v.Float64() != 7 {
		t.Errorf("%v, want 7", v.Float64())
	}
}

// known describes the events of withFields by a schema, which can have types
// that no stream holds.
func known(fields ...codec.Field) codec.Options {
	schema := &codec.Known{Fields: fields}
	return codec.Options{Schemas: func(*codec.Metadata, uint32) (codec.Known, bool) { return *schema, true }}
}

// TestCountedText reads text and arrays that an earlier field counts, whole and
// cut anywhere.
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
	if id := e.FieldsError(); id != rule.None {
		t.Fatal(id)
	}
	if got := e.Field("text").Text() + e.Field("skipped").Text() + e.Field("end").Text(); got != "xyzabend" {
		t.Errorf("text %q", got)
	}
	list := e.Field("list")
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
		if id := e.FieldsError(); id != want {
			t.Errorf("%d bytes: %v, want %v", n, id, want)
		}
	}
}
