package codec_test

import (
	"errors"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// encodeMisuses has what a caller of an EventEncoder can do wrong with the payload.
func encodeMisuses() []encodeMisuse {
	number, text := scalar(wire.Int32), scalar(wire.NullTerminatedUTF16String)
	point := object(codec.Field{Name: "x", Type: number}, codec.Field{Name: "y", Type: number})
	two := []codec.Type{number, text}
	return []encodeMisuse{
		{"wrong type", two, func(e *codec.EventEncoder) { e.Float64(1).String("x") }, codec.FieldError{Field: "a", Want: "Int32", Got: "Float64"}},
		{"wrong type of the second field", two, func(e *codec.EventEncoder) { e.Int32(1).Int32(2) },
			codec.FieldError{Index: 1, Field: "b", Want: "NullTerminatedUTF16String", Got: "Int32"}},
		{"same size, other sign", two, func(e *codec.EventEncoder) { e.Uint32(1).String("x") }, codec.FieldError{Field: "a", Want: "Int32", Got: "Uint32"}},
		{"Int64 for VarInt", []codec.Type{scalar(wire.VarInt)}, func(e *codec.EventEncoder) { e.Int64(1) }, codec.FieldError{Field: "a", Want: "VarInt", Got: "Int64"}},
		{"text for a number", two, func(e *codec.EventEncoder) { e.String("x") }, codec.FieldError{Field: "a", Want: "Int32", Got: "String"}},
		{"text for an array of numbers", []codec.Type{of(wire.Array, number)}, func(e *codec.EventEncoder) { e.String("x") },
			codec.FieldError{Field: "a", Want: "Array of Int32", Got: "String"}},
		{"bytes for an array of numbers", []codec.Type{of(wire.Array, number)}, func(e *codec.EventEncoder) { e.Bytes(nil) },
			codec.FieldError{Field: "a", Want: "Array of Int32", Got: "Bytes"}},
		{"bytes for a number", two, func(e *codec.EventEncoder) { e.Bytes(nil) }, codec.FieldError{Field: "a", Want: "Int32", Got: "Bytes"}},
		{"array for a number", two, func(e *codec.EventEncoder) { e.Array().Int32(1).End() }, codec.FieldError{Field: "a", Want: "Int32", Got: "Array"}},
		{"object for a number", two, func(e *codec.EventEncoder) { e.Object().Int32(1).End() }, codec.FieldError{Field: "a", Want: "Int32", Got: "Object"}},
		{"array for an object", []codec.Type{point}, func(e *codec.EventEncoder) { e.Array() }, codec.FieldError{Field: "a", Want: "Object", Got: "Array"}},
		{"the first error stays", two, func(e *codec.EventEncoder) {
			e.Bool(true).Int32(1).String("\xFF").DateTime(time.Time{}).Array().End().Object()
		},
			codec.FieldError{Field: "a", Want: "Int32", Got: "Bool"}},

		{"no field", two, func(*codec.EventEncoder) {}, codec.FieldError{Field: "a", Want: "Int32", Got: "Write"}},
		{"missing field", two, func(e *codec.EventEncoder) { e.Int32(1) }, codec.FieldError{Index: 1, Field: "b", Want: "NullTerminatedUTF16String", Got: "Write"}},
		{"too many fields", two, func(e *codec.EventEncoder) { e.Int32(1).String("x").Int32(2) }, codec.FieldError{Index: 2, Want: "Write", Got: "Int32"}},
		{"field of a type without fields", nil, func(e *codec.EventEncoder) { e.Int32(2) }, codec.FieldError{Want: "Write", Got: "Int32"}},
		{"End of the payload", two, func(e *codec.EventEncoder) { e.Int32(1).String("x").End() }, codec.FieldError{Index: 2, Want: "Write", Got: "End"}},
		{"End in the payload", two, func(e *codec.EventEncoder) { e.Int32(1).End() }, codec.FieldError{Index: 1, Field: "b", Want: "NullTerminatedUTF16String", Got: "End"}},

		{"missing field of an object", []codec.Type{point}, func(e *codec.EventEncoder) { e.Object().Int32(1).End() }, codec.FieldError{Field: "a.y", Want: "Int32", Got: "End"}},
		{"too many fields of an object", []codec.Type{point}, func(e *codec.EventEncoder) { e.Object().Int32(1).Int32(2).Int32(3).End() },
			codec.FieldError{Field: "a", Want: "End", Got: "Int32"}},
		{"object without End", []codec.Type{point}, func(e *codec.EventEncoder) { e.Object().Int32(1).Int32(2) }, codec.FieldError{Field: "a", Want: "End", Got: "Write"}},
		{"Write in an object", []codec.Type{point}, func(e *codec.EventEncoder) { e.Object() }, codec.FieldError{Field: "a.x", Want: "Int32", Got: "Write"}},
		{"array without End", []codec.Type{number, of(wire.Array, number)}, func(e *codec.EventEncoder) { e.Int32(1).Array().Int32(1) },
			codec.FieldError{Index: 1, Field: "b[1]", Want: "End", Got: "Write"}},
		{"wrong type of an element", []codec.Type{number, of(wire.Array, number)}, func(e *codec.EventEncoder) { e.Int32(1).Array().Int32(1).Int64(2).End() },
			codec.FieldError{Index: 1, Field: "b[1]", Want: "Int32", Got: "Int64"}},
		{"wrong type deep inside", []codec.Type{of(wire.Array, point)}, func(e *codec.EventEncoder) { e.Array().Object().Int32(1).Int32(2).End().Object().Int32(3).Bool(true) },
			codec.FieldError{Field: "a[1].y", Want: "Int32", Got: "Bool"}},

		{"too few elements", []codec.Type{fixedOf(3, number)}, func(e *codec.EventEncoder) { e.Array().Int32(1).Int32(2).End() },
			codec.FieldError{Field: "a", Want: "length 3", Got: "length 2"}},
		{"too many elements", []codec.Type{number, fixedOf(1, number)}, func(e *codec.EventEncoder) { e.Int32(1).Array().Int32(1).Int32(2).End() },
			codec.FieldError{Index: 1, Field: "b", Want: "length 1", Got: "length 2"}},
		{"too few elements in an array", []codec.Type{of(wire.Array, fixedOf(2, scalar(wire.Byte)))}, func(e *codec.EventEncoder) { e.Array().Bytes([]byte{1, 2}).Bytes([]byte{3}).End() },
			codec.FieldError{Field: "a[1]", Want: "length 2", Got: "length 1"}},
		{"text of another length", []codec.Type{fixedOf(2, scalar(wire.UTF16CodeUnit))}, func(e *codec.EventEncoder) { e.String("abc") },
			codec.FieldError{Field: "a", Want: "length 2", Got: "length 3"}},
		{"bytes of another length", []codec.Type{fixedOf(2, scalar(wire.Byte))}, func(e *codec.EventEncoder) { e.Bytes([]byte{1}) },
			codec.FieldError{Field: "a", Want: "length 2", Got: "length 1"}},
		{"array of 65536 elements", []codec.Type{of(wire.Array, scalar(wire.Byte))}, func(e *codec.EventEncoder) { e.Bytes(make([]byte, 1<<16)) },
			codec.FieldError{Field: "a", Want: "length 0 to 65535", Got: "length 65536"}},

		{"zero character", two, func(e *codec.EventEncoder) { e.Int32(1).String("a\x00b") },
			codec.FieldError{Index: 1, Field: "b", Want: "text without a zero character", Got: `the text "a\x00b"`}},
		{"text that is not UTF-8", two, func(e *codec.EventEncoder) { e.Int32(1).String("caf\xe9") },
			codec.FieldError{Index: 1, Field: "b", Want: "valid UTF-8", Got: `the text "caf\xe9"`}},
		{"units that are not UTF-8", []codec.Type{of(wire.RelLoc, scalar(wire.UTF8CodeUnit))}, func(e *codec.EventEncoder) { e.String("caf\xe9") },
			codec.FieldError{Field: "a", Want: "valid UTF-8", Got: `the text "caf\xe9"`}},
		{"year 1600", []codec.Type{scalar(wire.DateTime)}, func(e *codec.EventEncoder) { e.DateTime(time.Date(1600, 12, 31, 0, 0, 0, 0, time.UTC)) },
			codec.FieldError{Field: "a", Want: "a year from 1601 to 9999", Got: "the year 1600"}},
		{"year 10000", []codec.Type{scalar(wire.DateTime)}, func(e *codec.EventEncoder) { e.DateTime(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)) },
			codec.FieldError{Field: "a", Want: "a year from 1601 to 9999", Got: "the year 10000"}},
		{"year 1600 for a number", two, func(e *codec.EventEncoder) { e.DateTime(time.Date(1600, 1, 1, 0, 0, 0, 0, time.UTC)) },
			codec.FieldError{Field: "a", Want: "Int32", Got: "DateTime"}},

		{"locator in a locator", []codec.Type{of(wire.RelLoc, of(wire.DataLoc, scalar(wire.Byte)))}, func(e *codec.EventEncoder) { e.Array().Bytes(nil).End() },
			codec.FieldError{Field: "a[0]", Want: "no locator in the values of a locator", Got: "Bytes"}},
	}
}

type encodeMisuse struct {
	name   string
	fields []codec.Type
	calls  func(e *codec.EventEncoder)
	want   codec.FieldError
}

// TestEncodeMisuse: Write returns the first error, and nothing is written; the next
// event is.
func TestEncodeMisuse(t *testing.T) {
	for _, c := range encodeMisuses() {
		t.Run(c.name, func(t *testing.T) {
			var fields []codec.Field
			for i := range c.fields {
				fields = append(fields, codec.Field{Name: string(rune('a' + i)), Type: c.fields[i]})
			}
			s := encoding(t, codec.WriterOptions{}, fields...)
			after, err := s.w.DefineEvent(&codec.Metadata{Provider: "P", EventID: 2, Name: "After"})
			expect.NoError(t, err)
			e := s.event()
			c.calls(e)
			err = e.Write()
			var got *codec.FieldError
			if !errors.As(err, &got) {
				t.Fatalf("error: got %v, want a *FieldError", err)
			}
			want := c.want
			want.MetadataID = 1
			expect.Equal(t, "error", *got, want)
			expect.ErrorIs(t, err, codec.ErrPayload)
			expect.NoError(t, after.Event().Thread(s.thread).Timestamp(8).Write())
			expect.Equal(t, "name of the only event", s.only(t).Name(), "After")
		})
	}
}

// TestEncodeAfterError: an error of one event does not change the next one.
func TestEncodeAfterError(t *testing.T) {
	bytes := of(wire.RelLoc, scalar(wire.Byte))
	s := encoding(t, codec.WriterOptions{}, codec.Field{Name: "at", Type: bytes}, codec.Field{Name: "list", Type: of(wire.Array, bytes)})
	for _, bad := range []func(e *codec.EventEncoder){
		func(e *codec.EventEncoder) { e.Array().Uint8(1) },
		func(e *codec.EventEncoder) { e.Bytes([]byte{1}).Array().Array().Uint8(1).Uint16(2) },
		func(e *codec.EventEncoder) { e.Bytes([]byte{1}).Array().End().End() },
	} {
		e := s.event()
		bad(e)
		expect.ErrorIs(t, e.Write(), codec.ErrPayload)
	}
	err := s.event().Bytes(nil).Array().Bool(true).Write()
	expect.Equal(t, "error", err.Error(), "codec: field 1 (list[0]) of metadata 1: got Bool, want RelLoc of Byte")
	expect.NoError(t, s.event().Bytes([]byte{4, 5}).Array().Bytes([]byte{6}).End().Write())
	got := s.only(t)
	expect.Equal(t, "at", fieldOf(got, "at").String(), "[4 5]")
	expect.Equal(t, "list", fieldOf(got, "list").String(), "[[6]]")
}

// TestFieldErrorText: an error names the field by its number and name.
func TestFieldErrorText(t *testing.T) {
	err := codec.FieldError{MetadataID: 7, Index: 2, Field: "Items[1].Price", Want: "Double", Got: "Int32"}
	expect.Equal(t, "text", err.Error(), "codec: field 2 (Items[1].Price) of metadata 7: got Int32, want Double")
	err.Field = ""
	expect.Equal(t, "text without a name", err.Error(), "codec: field 2 of metadata 7: got Int32, want Double")
}

// TestLocatorTooFar: the position of the values of a locator has 16 bits, and so has
// their size.
func TestLocatorTooFar(t *testing.T) {
	fields := []codec.Field{
		{Name: "before", Type: of(wire.Array, scalar(wire.Byte))}, {Name: "relative", Type: object(codec.Field{Name: "at", Type: of(wire.RelLoc, scalar(wire.Byte))})},
		{Name: "after", Type: of(wire.Array, scalar(wire.Byte))}, {Name: "absolute", Type: of(wire.DataLoc, scalar(wire.Byte))},
	}
	const last = 1<<16 - 1 // position
	const others = 2 + 4 + 2 + 4
	for _, c := range []struct {
		name                              string
		before, relative, after, absolute int // bytes
		want                              codec.FieldError
	}{
		{"the last position", 60_000, 1, last - 60_000 - others - 1, 1<<16 - 1, codec.FieldError{}},
		{"DataLoc beyond", 60_000, 1, last - 60_000 - others, 1, codec.FieldError{Index: 3, Field: "absolute", Got: "position 65536, size 1"}},
		{"RelLoc beyond", 0, 1, last - 5, 1, codec.FieldError{Index: 1, Field: "relative", Got: "position 65536, size 1"}},
		{"65536 bytes", 0, 1 << 16, 0, 1, codec.FieldError{Index: 1, Field: "relative", Got: "position 6, size 65536"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := encoding(t, codec.WriterOptions{}, fields...)
			err := s.event().Bytes(make([]byte, c.before)).Object().Bytes(make([]byte, c.relative)).End().
				Bytes(make([]byte, c.after)).Bytes(make([]byte, c.absolute)).Write()
			if c.want.Field == "" {
				expect.NoError(t, err)
				expect.Equal(t, "misfit", s.only(t).FieldsError(), nil)
				return
			}
			var got *codec.FieldError
			if !errors.As(err, &got) {
				t.Fatalf("error: got %v, want a *FieldError", err)
			}
			c.want.MetadataID, c.want.Want = 1, "a position and a size up to 65535 bytes"
			expect.Equal(t, "error", *got, c.want)
		})
	}
}
