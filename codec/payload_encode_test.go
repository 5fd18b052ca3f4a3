package codec_test

import (
	"bytes"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// encoded is a stream under construction, with one type of event.
type encoded struct {
	out     bytes.Buffer
	w       *codec.Writer
	thread  uint64
	request *codec.EventType
}

// encoding begins a stream of events with these fields.
func encoding(t testing.TB, opt codec.WriterOptions, fields ...codec.Field) *encoded {
	t.Helper()
	s := &encoded{thread: 4711}
	opt.Trace = clock
	s.w = codec.NewWriter(&s.out, opt)
	if opt.Format.IsZero() || opt.Format.HasThreadTable() {
		var err error
		s.thread, err = s.w.DefineThread(&codec.Thread{Name: "main"})
		expect.NoError(t, err)
	}
	var err error
	s.request, err = s.w.DefineEvent(&codec.Metadata{Provider: "P", EventID: 1, Name: "E", Fields: fields})
	expect.NoError(t, err)
	return s
}

// event begins an event with a thread and a time.
func (s *encoded) event() *codec.EventEncoder { return s.request.Event().Thread(s.thread).Timestamp(7) }

// only ends the stream and returns its single event.
func (s *encoded) only(t testing.TB) *codec.Event {
	t.Helper()
	expect.NoError(t, s.w.Close())
	r := codec.NewBytesReader(s.out.Bytes(), codec.Options{Strict: true})
	e, ok := r.Next()
	if !ok {
		t.Fatalf("no event: %v", r.Err())
	}
	return e
}

// of is a field of a type with elements.
func of(code wire.TypeCode, element codec.Type) codec.Type {
	return codec.Type{Code: code, Element: &element}
}

func fixedOf(count uint16, element codec.Type) codec.Type {
	return codec.Type{Code: wire.FixedLengthArray, Count: count, Element: &element}
}

func object(fields ...codec.Field) codec.Type { return codec.Type{Code: wire.Object, Fields: fields} }

func scalar(code wire.TypeCode) codec.Type { return codec.Type{Code: code} }

// hasType reports whether a format has a type with all that it consists of.
func hasType(format wire.Format, t *codec.Type) bool {
	for i := range t.Fields {
		if !hasType(format, &t.Fields[i].Type) {
			return false
		}
	}
	return format.HasType(t.Code) && (t.Element == nil || hasType(format, t.Element))
}

// typeCase is a value of a type: the call that encodes it, the value as text, and the
// payload.
type typeCase struct {
	name  string
	field codec.Type
	call  func(e *codec.EventEncoder)
	text  string
	bytes []byte
}

var encodings = []typeCase{
	{"Boolean", scalar(wire.Boolean), func(e *codec.EventEncoder) { e.Bool(true) }, "true", bytesOf(uint32(1))},
	{"Boolean false", scalar(wire.Boolean), func(e *codec.EventEncoder) { e.Bool(false) }, "false", bytesOf(uint32(0))},
	{"Boolean8", scalar(wire.Boolean8), func(e *codec.EventEncoder) { e.Bool(true) }, "true", []byte{1}},
	{"UTF16CodeUnit", scalar(wire.UTF16CodeUnit), func(e *codec.EventEncoder) { e.UTF16CodeUnit('é') }, "233", []byte{0xE9, 0}},
	{"UTF8CodeUnit", scalar(wire.UTF8CodeUnit), func(e *codec.EventEncoder) { e.UTF8CodeUnit('x') }, "120", []byte{'x'}},
	{"SByte", scalar(wire.SByte), func(e *codec.EventEncoder) { e.Int8(-2) }, "-2", []byte{0xFE}},
	{"Byte", scalar(wire.Byte), func(e *codec.EventEncoder) { e.Uint8(254) }, "254", []byte{0xFE}},
	{"Int16", scalar(wire.Int16), func(e *codec.EventEncoder) { e.Int16(-3) }, "-3", bytesOf(uint16(0xFFFD))},
	{"UInt16", scalar(wire.UInt16), func(e *codec.EventEncoder) { e.Uint16(65533) }, "65533", bytesOf(uint16(0xFFFD))},
	{"Int32", scalar(wire.Int32), func(e *codec.EventEncoder) { e.Int32(-4) }, "-4", bytesOf(uint32(math.MaxUint32 - 3))},
	{"UInt32", scalar(wire.UInt32), func(e *codec.EventEncoder) { e.Uint32(1 << 31) }, "2147483648", bytesOf(uint32(1 << 31))},
	{"Int64", scalar(wire.Int64), func(e *codec.EventEncoder) { e.Int64(-5) }, "-5", bytesOf(uint64(math.MaxUint64 - 4))},
	{"UInt64", scalar(wire.UInt64), func(e *codec.EventEncoder) { e.Uint64(1 << 63) }, "9223372036854775808", bytesOf(uint64(1 << 63))},
	{"Single", scalar(wire.Single), func(e *codec.EventEncoder) { e.Float32(1.5) }, "1.5", bytesOf(math.Float32bits(1.5))},
	{"Double", scalar(wire.Double), func(e *codec.EventEncoder) { e.Float64(-2.5) }, "-2.5", bytesOf(math.Float64bits(-2.5))},
	{"Decimal", scalar(wire.Decimal), func(e *codec.EventEncoder) { e.Decimal([16]byte([]byte("0123456789abcdef"))) },
		"30313233343536373839616263646566", []byte("0123456789abcdef")},
	{"DateTime", scalar(wire.DateTime), func(e *codec.EventEncoder) {
		e.DateTime(time.Date(2026, 11, 21, 3, 0, 14, 199, time.FixedZone("", 3600)))
	},
		"2026-11-21T02:00:14.0000001Z", bytesOf(uint64(134_397_000_140_000_001))},
	{"DateTime zero", scalar(wire.DateTime), func(e *codec.EventEncoder) { e.DateTime(time.Time{}) }, "1601-01-01T00:00:00Z", make([]byte, 8)},
	{"Guid", scalar(wire.GUIDCode), func(e *codec.EventEncoder) { e.GUID(wire.GUID([]byte("0123456789abcdef"))) },
		"33323130-3534-3736-3839-616263646566", []byte("0123456789abcdef")},
	{"VarInt", scalar(wire.VarInt), func(e *codec.EventEncoder) { e.VarInt(-300) }, "-300", []byte{0xD7, 0x04}},
	{"VarUInt", scalar(wire.VarUInt), func(e *codec.EventEncoder) { e.VarUint(300) }, "300", []byte{0xAC, 0x02}},
	{"NullTerminatedUTF16String", scalar(wire.NullTerminatedUTF16String), func(e *codec.EventEncoder) { e.String("é😀") },
		"é😀", []byte{0xE9, 0, 0x3D, 0xD8, 0x00, 0xDE, 0, 0}},
	{"text in UTF-16 with a count", of(wire.Array, scalar(wire.UTF16CodeUnit)), func(e *codec.EventEncoder) { e.String("a\x00😀") },
		"a\x00😀", []byte{4, 0, 'a', 0, 0, 0, 0x3D, 0xD8, 0x00, 0xDE}},
	{"text in UTF-8 with a count", of(wire.Array, scalar(wire.UTF8CodeUnit)), func(e *codec.EventEncoder) { e.String("é") }, "é", []byte{2, 0, 0xC3, 0xA9}},
	{"text of a fixed length", fixedOf(3, scalar(wire.UTF16CodeUnit)), func(e *codec.EventEncoder) { e.String("abc") }, "abc", []byte("a\x00b\x00c\x00")},
	{"text at a RelLoc", of(wire.RelLoc, scalar(wire.UTF8CodeUnit)), func(e *codec.EventEncoder) { e.String("é") }, "é", []byte{0, 0, 2, 0, 0xC3, 0xA9}},
	{"text at a DataLoc", of(wire.DataLoc, scalar(wire.UTF16CodeUnit)), func(e *codec.EventEncoder) { e.String("é") }, "é", []byte{4, 0, 2, 0, 0xE9, 0}},
	{"Array of Int32", of(wire.Array, scalar(wire.Int32)), func(e *codec.EventEncoder) { e.Array().Int32(1).Int32(-1).End() },
		"[1 -1]", bytesOf(uint16(2), uint32(1), uint32(math.MaxUint32))},
	{"Array of nothing", of(wire.Array, scalar(wire.Int32)), func(e *codec.EventEncoder) { e.Array().End() }, "[]", []byte{0, 0}},
	{"Array of Byte", of(wire.Array, scalar(wire.Byte)), func(e *codec.EventEncoder) { e.Bytes([]byte{7, 8}) }, "[7 8]", []byte{2, 0, 7, 8}},
	{"RelLoc of Byte", of(wire.RelLoc, scalar(wire.Byte)), func(e *codec.EventEncoder) { e.Bytes([]byte{7, 8}) }, "[7 8]", []byte{0, 0, 2, 0, 7, 8}},
	{"Array of text", of(wire.Array, scalar(wire.NullTerminatedUTF16String)), func(e *codec.EventEncoder) { e.Array().String("").String("a").String("").End() },
		"[ a ]", []byte{3, 0, 0, 0, 'a', 0, 0, 0, 0, 0}},
	{"Array of Array", of(wire.Array, of(wire.Array, scalar(wire.Byte))), func(e *codec.EventEncoder) { e.Array().Bytes([]byte{1, 2}).Array().Uint8(3).End().End() },
		"[[1 2] [3]]", []byte{2, 0, 2, 0, 1, 2, 1, 0, 3}},
	{"FixedLengthArray of Int16", fixedOf(2, scalar(wire.Int16)), func(e *codec.EventEncoder) { e.Array().Int16(5).Int16(6).End() }, "[5 6]", []byte{5, 0, 6, 0}},
	{"RelLoc of Object", of(wire.RelLoc, object(codec.Field{Name: "a", Type: scalar(wire.Byte)})), func(e *codec.EventEncoder) { e.Array().Object().Uint8(1).End().Object().Uint8(2).End().End() },
		"[{a:1} {a:2}]", []byte{0, 0, 2, 0, 1, 2}},
	{"DataLoc of FixedLengthArray", of(wire.DataLoc, fixedOf(2, scalar(wire.Byte))), func(e *codec.EventEncoder) { e.Array().Bytes([]byte{1, 2}).Bytes([]byte{3, 4}).End() },
		"[[1 2] [3 4]]", []byte{4, 0, 4, 0, 1, 2, 3, 4}},
	{"Array of RelLoc", of(wire.Array, of(wire.RelLoc, scalar(wire.Byte))), func(e *codec.EventEncoder) { e.Array().Bytes([]byte{1}).Bytes([]byte{2, 3}).End() },
		"[[1] [2 3]]", []byte{2, 0, 4, 0, 1, 0, 1, 0, 2, 0, 1, 2, 3}},
	{"Object", object(codec.Field{Name: "n", Type: scalar(wire.Int16)}, codec.Field{Name: "o", Type: object(codec.Field{Name: "s", Type: scalar(wire.NullTerminatedUTF16String)})}),
		func(e *codec.EventEncoder) { e.Object().Int16(1).Object().String("x").End().End() }, "{n:1 o:{s:x}}", []byte{1, 0, 'x', 0, 0, 0}},
	{"Object without fields", object(), func(e *codec.EventEncoder) { e.Object().End() }, "{}", nil},
}

// TestEncodeTypes writes a value of each type, in each version that has the type, and
// reads it.
func TestEncodeTypes(t *testing.T) {
	for _, c := range encodings {
		for _, format := range []wire.Format{wire.V4, wire.V5, wire.V6} {
			if !hasType(format, &c.field) {
				continue
			}
			t.Run(c.name+" "+format.String(), func(t *testing.T) {
				s := encoding(t, codec.WriterOptions{Format: format}, codec.Field{Name: "value", Type: c.field})
				e := s.event()
				c.call(e)
				expect.NoError(t, e.Write())
				got := s.only(t)
				expect.Bytes(t, "payload", got.Payload(), c.bytes)
				expect.Equal(t, "value", fieldOf(got, "value").String(), c.text)
				expect.Equal(t, "rule", codec.RuleOf(got.FieldsError()), rule.None)
			})
		}
	}
}

// TestEncodeManyFields writes all types that a version has in one payload. Readers
// take a Decimal in two ways, so it has a test of its own.
func TestEncodeManyFields(t *testing.T) {
	for _, format := range []wire.Format{wire.V4, wire.V5, wire.V6} {
		t.Run(format.String(), func(t *testing.T) {
			cases := slices.DeleteFunc(slices.Clone(encodings), func(c typeCase) bool {
				return !hasType(format, &c.field) || c.field.Code == wire.Decimal
			})
			var fields []codec.Field
			for _, c := range cases {
				fields = append(fields, codec.Field{Name: c.name, Type: c.field})
			}
			s := encoding(t, codec.WriterOptions{Format: format}, fields...)
			e := s.event()
			for _, c := range cases {
				c.call(e)
			}
			expect.NoError(t, e.Write())
			got := s.only(t)
			for _, c := range cases {
				expect.Equal(t, c.name, fieldOf(got, c.name).String(), c.text)
			}
		})
	}
}
