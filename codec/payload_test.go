package codec_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/internal/traces"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// withFields is a stream of one event whose metadata has these v6 fields.
func withFields(payload []byte, fields ...[]byte) []byte {
	list := bytesOf(uint16(len(fields)))
	for _, f := range fields {
		list = append(list, sized(f)...)
	}
	return newV6().metadataRow(varuint(1), text("P"), varuint(1), text("E"), list, uint16(0)).thread(0, 1, 1).
		block(wire.KindEvent, eventBlock(0, rowV6(1, 1, 0, 0, 0, 2000, 0, string(payload)))).end()
}

// field is a v6 field description.
func field(name string, code wire.TypeCode, rest ...any) []byte {
	return bytesOf(text(name), byte(code), bytesOf(rest...))
}

// only returns the single event of a stream, which stays valid until the next
// call.
func only(t *testing.T, stream []byte, opt codec.Options) *codec.Event {
	t.Helper()
	r := codec.NewBytesReader(stream, opt)
	e, ok := r.Next()
	if !ok {
		t.Fatal(r.Err())
	}
	return e
}

func TestScalars(t *testing.T) {
	payload := bytesOf(uint32(1), uint16(0x41), byte(0xFF), byte(0xFE), uint16(0xFFFE), uint16(0xFFFD), uint32(0xFFFFFFFC), uint32(0xFFFFFFFB),
		uint64(math.MaxUint64-5), uint64(math.MaxUint64-6), math.Float32bits(1.5), math.Float64bits(-2.5), "0123456789abcdef",
		binary.AppendVarint(nil, -300), varuint(300), byte('x'), byte(1))
	fields := [][]byte{
		field("bool", wire.Boolean), field("char", wire.UTF16CodeUnit), field("sbyte", wire.SByte), field("byte", wire.Byte), field("int16", wire.Int16),
		field("uint16", wire.UInt16), field("int32", wire.Int32), field("uint32", wire.UInt32), field("int64", wire.Int64), field("uint64", wire.UInt64),
		field("single", wire.Single), field("double", wire.Double), field("guid", wire.GUIDCode), field("varint", wire.VarInt), field("varuint", wire.VarUInt),
		field("utf8", wire.UTF8CodeUnit), field("bool8", wire.Boolean8),
	}
	e := only(t, withFields(payload, fields...), codec.Options{})
	if bad := codec.RuleOf(e.FieldsError()); bad != rule.None {
		t.Fatalf("does not fit: %s", bad)
	}
	for name, want := range map[string]int64{
		"bool": 1, "char": 0x41, "sbyte": -1, "byte": 0xFE, "int16": -2, "uint16": 0xFFFD, "int32": -4, "uint32": 0xFFFFFFFB,
		"int64": -6, "uint64": -7, "varint": -300, "varuint": 300, "utf8": 'x', "bool8": 1,
	} {
		t.Run(name, func(t *testing.T) {
			if got := fieldOf(e, name).Int64(); got != want {
				t.Errorf("%d, want %d", got, want)
			}
		})
	}
	expect.Equal(t, `e.Field("single").Float64()`, fieldOf(e, "single").Float64(), 1.5)
	expect.Equal(t, `e.Field("double").Float64()`, fieldOf(e, "double").Float64(), -2.5)
	expect.Equal(t, `e.Field("sbyte").Float64()`, fieldOf(e, "sbyte").Float64(), -1)
	if fieldOf(e, "guid").GUID() != wire.GUID([]byte("0123456789abcdef")) || !fieldOf(e, "bool8").Bool() {
		t.Error("guid or Boolean8")
	}
	v := fieldOf(e, "nothing")
	expect.Equal(t, "v.Valid()", v.Valid(), false)
	expect.Equal(t, "v.Uint64()", v.Uint64(), 0)
	expect.Equal(t, "v.Text()", v.Text(), "")
	expect.Equal(t, "v.Type()", v.Type(), nil)
	expect.Equal(t, "len(v.Bytes())", len(v.Bytes()), 0)
	var names []string
	for name := range e.Fields() {
		names = append(names, name)
	}
	expect.Len(t, "names", names, len(fields))
	expect.Equal(t, "names[0]", names[0], "bool")
	expect.Equal(t, "names[16]", names[16], "bool8")
	clone := e.Clone()
	if fieldOf(clone, "int16").Int64() != -2 || codec.RuleOf(clone.FieldsError()) != rule.None {
		t.Error("a clone's fields")
	}
}

func TestTextAndArrays(t *testing.T) {
	units := func(s string) []byte { b := utf16z(s); return b[:len(b)-2] }
	payload := bytesOf(utf16z("héllo 😀"), uint16(3), units("a\x00b"), uint16(5), "é€", uint16(2), uint32(7), uint32(8),
		uint32(1), uint32(2), uint32(3), uint16(2), utf16z("x"), utf16z("yz"), byte(9), uint32(10))
	e := only(t, withFields(payload,
		field("z", wire.NullTerminatedUTF16String), field("wide", wire.Array, byte(wire.UTF16CodeUnit)), field("narrow", wire.Array, byte(wire.UTF8CodeUnit)),
		field("ints", wire.Array, byte(wire.Int32)), field("three", wire.FixedLengthArray, byte(wire.Int32), uint16(3)),
		field("texts", wire.Array, byte(wire.NullTerminatedUTF16String)),
		field("object", wire.Object, uint16(2), sized(field("b", wire.Byte)), sized(field("i", wire.Int32)))), codec.Options{})
	if bad := codec.RuleOf(e.FieldsError()); bad != rule.None {
		t.Fatalf("does not fit: %s", bad)
	}
	for name, want := range map[string]string{"z": "héllo 😀", "wide": "a\x00b", "narrow": "é€"} {
		t.Run(name, func(t *testing.T) {
			got := fieldOf(e, name)
			expect.Equal(t, "Text()", got.Text(), want)
			expect.Equal(t, "IsText()", got.IsText(), true)
			expect.Equal(t, "IsArray()", got.IsArray(), false)
		})
	}
	for name, want := range map[string][]int64{"ints": {7, 8}, "three": {1, 2, 3}} {
		t.Run(name, func(t *testing.T) {
			var got []int64
			for v := range fieldOf(e, name).Elements() {
				got = append(got, v.Int64())
			}
			if !slices.Equal(got, want) || !fieldOf(e, name).IsArray() {
				t.Error(got)
			}
		})
	}
	var texts []string
	for v := range fieldOf(e, "texts").Elements() {
		texts = append(texts, v.Text())
	}
	if !slices.Equal(texts, []string{"x", "yz"}) {
		t.Errorf("texts: %q", texts)
	}
	sum := int64(0)
	for _, v := range fieldOf(e, "object").Fields() {
		sum += v.Int64()
	}
	if sum != 19 {
		t.Errorf("object: %d", sum)
	}
}

func TestLocators(t *testing.T) {
	array := func(code wire.TypeCode) []byte { return field("at", code, byte(wire.UInt16)) }
	last := field("last", wire.Byte)
	for name, c := range map[string]struct {
		code    wire.TypeCode
		locator uint32
		bad     rule.ID
		want    []uint64
	}{
		"RelLoc":                 {wire.RelLoc, 4<<16 | 1, rule.None, []uint64{0x0201, 0x0403}},
		"DataLoc":                {wire.DataLoc, 4<<16 | 5, rule.None, []uint64{0x0201, 0x0403}},
		"RelLoc past the end":    {wire.RelLoc, 4<<16 | 2, rule.PAY011, nil},
		"DataLoc past the end":   {wire.DataLoc, 4<<16 | 6, rule.PAY012, nil},
		"size is not a multiple": {wire.DataLoc, 3<<16 | 5, rule.PAY013, nil},
	} {
		t.Run(name, func(t *testing.T) {
			payload := bytesOf(c.locator, byte(9), byte(1), byte(2), byte(3), byte(4))
			e := only(t, withFields(payload, array(c.code), last), codec.Options{})
			var got []uint64
			for v := range fieldOf(e, "at").Elements() {
				got = append(got, v.Uint64())
			}
			expect.Equal(t, "codec.RuleOf(e.FieldsError())", codec.RuleOf(e.FieldsError()), c.bad)
			expect.Slices(t, "result", got, c.want)
			expect.Equal(t, `e.Field("last").Uint64()`, fieldOf(e, "last").Uint64(), 9)
		})
	}
}

// TestReadings: types that real writers use against the text are read as
// intended, and by the text with NoLeniency.
func TestReadings(t *testing.T) {
	flat := [][]byte{field("b", wire.Boolean), field("y", wire.Byte), field("i", wire.Int32)}
	for name, c := range map[string]struct {
		payload []byte
		fields  [][]byte
		want    map[string]int64
	}{
		"as declared":            {bytesOf(uint32(1), byte(2), uint32(3)), flat, map[string]int64{"b": 1, "y": 2, "i": 3}},
		"Boolean of one byte":    {bytesOf(byte(1), byte(2), uint32(3)), flat, map[string]int64{"b": 1, "y": 2, "i": 3}},
		"Byte of four bytes":     {bytesOf(uint32(1), uint32(2), uint32(3)), flat, map[string]int64{"b": 1, "y": 2, "i": 3}},
		"second Byte of four":    {bytesOf(byte(4), uint32(2), byte(0)), [][]byte{field("y", wire.Byte), field("z", wire.Byte), field("s", wire.Array, byte(wire.Byte))}, nil},
		"Decimal as a double":    {bytesOf(math.Float64bits(2)), [][]byte{field("d", wire.Decimal)}, nil},
		"Decimal of sixteen":     {bytesOf(make([]byte, 16)), [][]byte{field("d", wire.Decimal)}, nil},
		"DateTime of sixteen":    {bytesOf(syncTime), [][]byte{field("t", wire.DateTime)}, nil},
		"Write() with a Boolean": {bytesOf(byte(1), byte(2), byte(0), byte(0), byte(0)), [][]byte{field("", wire.Object, uint16(2), sized(field("b", wire.Boolean)), sized(field("i", wire.Int32)))}, map[string]int64{"b": 1, "i": 2}},
	} {
		t.Run(name, func(t *testing.T) {
			e := only(t, withFields(c.payload, c.fields...), codec.Options{})
			if bad := codec.RuleOf(e.FieldsError()); bad != rule.None && c.want != nil {
				t.Errorf("%s", bad)
			}
			for field, want := range c.want {
				if got := fieldOf(e, field).Int64(); got != want {
					t.Errorf("%s is %d, want %d", field, got, want)
				}
			}
		})
	}
	one := withFields(bytesOf(byte(1), byte(2), uint32(3)), flat...)
	if e := only(t, one, codec.Options{NoLeniency: true}); codec.RuleOf(e.FieldsError()) != rule.PAY001 {
		t.Errorf("by the text a Boolean of one byte: %s", e.FieldsError())
	}
	filetime := bytesOf(uint64(116444736000000000))
	if at, ok := fieldOf(only(t, withFields(filetime, field("t", wire.DateTime)), codec.Options{}), "t").Time(); !ok || at.Unix() != 0 {
		t.Errorf("FILETIME: %v", at)
	}
	if at, ok := fieldOf(only(t, withFields(syncTime, field("t", wire.DateTime)), codec.Options{NoLeniency: true}), "t").Time(); !ok || at.Year() != 2026 {
		t.Errorf("DateTime by the text: %v", at)
	}
}

// TestMisfits: fields that fit are returned, then the rule; in a strict reader it
// ends the iteration.
func TestMisfits(t *testing.T) {
	for name, c := range map[string]struct {
		payload []byte
		fields  [][]byte
		bad     rule.ID
		fit     int
	}{
		"ends inside":        {bytesOf(uint32(1), uint16(2)), [][]byte{field("a", wire.Int32), field("b", wire.Int32)}, rule.PAY001, 1},
		"ends before":        {bytesOf(uint32(1)), [][]byte{field("a", wire.Int32), field("s", wire.NullTerminatedUTF16String)}, rule.PAY001, 1},
		"goes on":            {bytesOf(uint32(1), byte(2)), [][]byte{field("a", wire.Int32)}, rule.PAY003, 1},
		"text without end":   {bytesOf(uint16('a')), [][]byte{field("s", wire.NullTerminatedUTF16String)}, rule.PAY006, 1},
		"count too large":    {bytesOf(uint16(9), uint32(1)), [][]byte{field("a", wire.Array, byte(wire.Int32))}, rule.PAY008, 0},
		"empty objects":      {bytesOf(uint16(65535)), [][]byte{field("a", wire.Array, byte(wire.Object), uint16(0))}, rule.PAY008, 0},
		"varint of 11 bytes": {slices.Repeat([]byte{0x80}, 11), [][]byte{field("a", wire.VarUInt)}, rule.PAY010, 0},
	} {
		t.Run(name, func(t *testing.T) {
			stream := withFields(c.payload, c.fields...)
			e := only(t, stream, codec.Options{})
			fit := 0
			for range e.Fields() {
				fit++
			}
			if codec.RuleOf(e.FieldsError()) != c.bad || fit != c.fit {
				t.Errorf("%s with %d fields, want %s with %d", e.FieldsError(), fit, c.bad, c.fit)
			}
			r := codec.NewBytesReader(stream, codec.Options{Strict: true})
			for e, err := range r.Events() {
				if err == nil {
					e.FieldsError()
					e.FieldsError()
				}
			}
			d := r.Defects()
			expect.NotZero(t, "Err()", r.Err())
			expect.Len(t, "Defects()", d, 1)
			expect.Equal(t, "d[0].Count", d[0].Count, 1)
		})
	}
}

// TestKnownFields: Options.Schemas describes events that the metadata does not
// describe.
func TestKnownFields(t *testing.T) {
	known := codec.EventSchema{Version: 1, Fields: []codec.Field{
		{Name: "Count", Type: codec.Type{Code: wire.UInt32}},
		{Name: "Values", Type: codec.Type{Code: wire.Array, CountField: 1, Element: &codec.Type{Code: wire.Pointer}}},
		{Name: "Name", Type: codec.Type{Code: wire.NullTerminatedUTF8String}},
	}}
	opt := codec.Options{Schemas: func(m *codec.Metadata, version uint32) (codec.EventSchema, bool) {
		return known, m.Provider == "P" && m.EventID == 1
	}}
	payload := bytesOf(uint32(2), uint64(3), uint64(4), "hi\x00", "a later version's tail")
	e := only(t, withFields(payload), opt)
	var got []uint64
	for v := range fieldOf(e, "Values").Elements() {
		got = append(got, v.Uint64())
	}
	expect.Slices(t, "result", got, []uint64{3, 4})
	expect.Equal(t, `e.Field("Name").Text()`, fieldOf(e, "Name").Text(), "hi")
	expect.Equal(t, "codec.RuleOf(e.FieldsError())", codec.RuleOf(e.FieldsError()), rule.None)
	opt.NoLeniency = true
	if fieldOf(only(t, withFields(payload), opt), "Count").Valid() {
		t.Error("NoLeniency, but Schemas was called")
	}
}

// TestPointerSizeOfNextStream: a Reader keeps metadata rows for the next stream, in which
// pointers may have another size.
func TestPointerSizeOfNextStream(t *testing.T) {
	stream := newV4(4, 4).metadata(1, "E").
		block("EventBlock", eventBlock(0, rowV4(1, 1, 2000, string(bytesOf(uint32(1), uint32(2))), 0, 0))).end()
	size := bytes.Index(stream, bytesOf(uint64(1e9), uint32(8))) + 8
	pointer := codec.EventSchema{Fields: []codec.Field{{Name: "at", Type: codec.Type{Code: wire.Pointer}}}}
	r := codec.NewBytesReader(stream, codec.Options{Schemas: func(*codec.Metadata, uint32) (codec.EventSchema, bool) {
		return pointer, true
	}})
	for _, want := range []uint64{2<<32 | 1, 1} {
		e, ok := r.Next()
		if !ok {
			t.Fatal(r.Err())
		}
		expect.Equal(t, "pointer", fieldOf(e, "at").Uint64(), want)
		stream[size] = 4
		r.ResetBytes(stream)
	}
}

// TestVersionOfLabel: a label gives an event another version, and so other known fields.
func TestVersionOfLabel(t *testing.T) {
	stream := newV6().metadata(1, "E").thread(7, 1, 70).
		block(wire.KindLabelList, uint32(1), uint32(1), byte(wire.LabelVersion|wire.LastLabel), byte(9)).
		block(wire.KindEvent, eventBlock(0, rowV6(1, 1, 7, 7, 0, 2000, 0, "x"), rowV6(1, 2, 7, 7, 0, 2000, 1, "x"))).end()
	r := codec.NewBytesReader(stream, codec.Options{Schemas: func(_ *codec.Metadata, version uint32) (codec.EventSchema, bool) {
		field := codec.Field{Name: fmt.Sprint("of version ", version), Type: codec.Type{Code: wire.Byte}}
		return codec.EventSchema{Fields: []codec.Field{field}}, true
	}})
	for _, want := range []string{"of version 0", "of version 9"} {
		e, ok := r.Next()
		if !ok {
			t.Fatal(r.Err())
		}
		expect.Equal(t, want, fieldOf(e, want).Uint64(), uint64('x'))
	}
}

func TestFieldsDoNotAllocate(t *testing.T) {
	stream := traces.Read(t, "net10-types.v4")
	r := codec.NewBytesReader(stream, codec.Options{})
	sum := uint64(0)
	pass := func() {
		r.ResetBytes(stream)
		for e, err := range r.Events() {
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range e.Fields() {
				units, _ := v.Units()
				sum += v.Uint64() + uint64(len(units))
			}
		}
	}
	pass()
	if n := testing.AllocsPerRun(3, pass); n > 20 { // of 4,838 events
		t.Errorf("%v allocations a pass", n)
	}
}

// TestNullName: Microsoft-Extensions-Logging before 5.0 wrote no bytes for a name that is null.
// The text that follows belongs to the next field. It is so for no other provider, and not where
// the payload has all strings.
func TestNullName(t *testing.T) {
	utf16 := codec.Type{Code: wire.NullTerminatedUTF16String}
	fields := []codec.Field{
		{Name: "Level", Type: codec.Type{Code: wire.Int32}}, {Name: "LoggerName", Type: utf16}, {Name: "EventId", Type: codec.Type{Code: wire.Int32}},
		{Name: "EventName", Type: utf16}, {Name: "FormattedMessage", Type: utf16},
	}
	const logging = "Microsoft-Extensions-Logging"
	level, id := bytesOf(uint32(2)), bytesOf(uint32(1))
	for _, c := range []struct {
		provider      string
		payload       []byte
		name, message string
		bad           rule.ID
	}{
		{logging, bytesOf(level, utf16z("Host"), id, utf16z("started")), "", "started", rule.None},
		{logging, bytesOf(level, utf16z("Host"), id, utf16z("Begin"), utf16z("started")), "Begin", "started", rule.None},
		{logging, bytesOf(level, utf16z("Host"), id, utf16z(""), utf16z("")), "", "", rule.None},
		{"Other", bytesOf(level, utf16z("Host"), id, utf16z("started")), "started", "", rule.PAY001},
	} {
		var stream bytes.Buffer
		w := codec.NewWriter(&stream, codec.WriterOptions{Format: wire.V4, PassOn: true, Trace: codec.Trace{SyncTime: time.Unix(0, 0).UTC(), TickFrequency: 1e9}})
		m, err := w.DefineMetadata(&codec.Metadata{Provider: c.provider, EventID: 1, Name: "FormattedMessage", Fields: fields})
		expect.NoError(t, err)
		expect.NoError(t, w.Write(&codec.Record{MetadataID: m, Payload: c.payload}))
		expect.NoError(t, w.Close())
		e := only(t, stream.Bytes(), codec.Options{})
		name, _ := e.Field("EventName")
		message, _ := e.Field("FormattedMessage")
		expect.Equal(t, "name", name.Text(), c.name)
		expect.Equal(t, "message", message.Text(), c.message)
		expect.Equal(t, "rule", codec.RuleOf(e.FieldsError()), c.bad)
	}
}
