package main

import (
	"fmt"
	"math"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// sample is a value of a type, in two encodings.
type sample struct {
	name     string
	code     wire.TypeCode
	one, two []byte
	versions []wire.Format
	variable bool // it has no fixed size: nothing can point at it
}

var guid = wire.GUID{0x33, 0x22, 0x11, 0, 0x55, 0x44, 0x77, 0x66, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF}

var in456 = []wire.Format{wire.V4, wire.V5, wire.V6}

var samples = []sample{
	{"boolean", wire.Boolean, bytesOf(uint32(1)), bytesOf(uint32(0)), in456, false},
	{"sbyte", wire.SByte, bytesOf(byte(0x80)), bytesOf(byte(127)), in456, false},
	{"byte", wire.Byte, bytesOf(byte(255)), bytesOf(byte(0)), in456, false},
	{"int16", wire.Int16, bytesOf(uint16(0x8000)), bytesOf(uint16(32767)), in456, false},
	{"uint16", wire.UInt16, bytesOf(uint16(65535)), bytesOf(uint16(1)), in456, false},
	{"int32", wire.Int32, bytesOf(uint32(1 << 31)), bytesOf(uint32(1<<31 - 1)), in456, false},
	{"uint32", wire.UInt32, bytesOf(uint32(1<<32 - 1)), bytesOf(uint32(7)), in456, false},
	{"int64", wire.Int64, bytesOf(uint64(1 << 63)), bytesOf(uint64(1<<63 - 1)), in456, false},
	{"uint64", wire.UInt64, bytesOf(uint64(1<<64 - 1)), bytesOf(uint64(1<<53 + 1)), in456, false},
	{"single", wire.Single, bytesOf(float32(0.1)), bytesOf(float32(-3.4e38)), in456, false},
	{"double", wire.Double, bytesOf(0.1), bytesOf(5e-324), in456, false},
	{"utf16-unit", wire.UTF16CodeUnit, bytesOf(uint16(0x20AC)), bytesOf(uint16('x')), in456, false},
	{"guid", wire.GUIDCode, guid[:], make([]byte, 16), in456, false},
	{"datetime", wire.DateTime, bytesOf(uint64(133_000_000_000_000_000)), bytesOf(uint64(0)), in456, false},
	{"text", wire.NullTerminatedUTF16String, wide("grün 日本 𝄞"), wide(""), in456, true},
	{"varint", wire.VarInt, wire.AppendVarInt(nil, math.MinInt64), wire.AppendVarInt(nil, 63), in6, true},
	{"varuint", wire.VarUInt, wire.AppendVarUint(nil, math.MaxUint64), wire.AppendVarUint(nil, 127), in6, true},
	{"datetime-of-16-bytes", wire.DateTime, systemTime(2026, 11, 6, 21), systemTime(2000, 2, 2, 29), in6, false},
	{"boolean8", wire.Boolean8, bytesOf(byte(1)), bytesOf(byte(0)), in6, false},
}

// systemTime is the DateTime of v6 by the specification: eight Int16.
func systemTime(year, month, weekday, day uint16) []byte {
	return bytesOf(year, month, weekday, day, uint16(9), uint16(30), uint16(59), uint16(250))
}

// sentinel follows each value: a reader that regards the value as too long or too
// short does not read it.
const sentinel = 0x005E_A5ED

func sentinelField() codec.Field {
	return codec.Field{Name: "After", Type: codec.Type{Code: wire.Int32}}
}

// typeSituations uses each type in every allowed position.
func typeSituations() []situation {
	var list []situation
	for _, s := range samples {
		list = append(list, s.situations()...)
	}
	return append(list, textSituations()...)
}

// situations are those of one type: alone, and as a part of other types.
func (s *sample) situations() []situation {
	element := &codec.Type{Code: s.code}
	inner := []codec.Field{{Name: "Inner", Type: *element}, {Name: "Small", Type: codec.Type{Code: wire.Byte}}}
	list := []situation{
		s.in("", s.versions, *element, s.one, s.two),
		s.in("array-of-", arraysIn(s.versions), codec.Type{Code: wire.Array, Element: element}, bytesOf(uint16(0)), bytesOf(uint16(3), s.one, s.two, s.one)),
		s.in("object-with-", s.versions, codec.Type{Code: wire.Object, Fields: inner}, bytesOf(s.one, byte(1)), bytesOf(s.two, byte(2))),
		s.in("fixed-array-of-", in6, codec.Type{Code: wire.FixedLengthArray, Element: element, Count: 2}, bytesOf(s.one, s.two), bytesOf(s.two, s.one)),
	}
	if !s.variable {
		list = append(list, locators(s.name, element, s.one, s.two)...)
	}
	return list
}

// positions describe where a value is, by the prefix of the case's name.
var positions = map[string]string{
	"": "A field has the type %s.", "array-of-": "A field is an array of %s, with no elements and with three.",
	"object-with-": "A field is an object with a field of the type %s.", "fixed-array-of-": "A field is a fixed-length array of two %s.",
	"relloc-of-":  "A RelLoc refers to two elements of the type %s, and to none.",
	"dataloc-of-": "A DataLoc refers to two elements of the type %s, and to none.",
}

// aboutType is the sentence for a type in a position.
func aboutType(position, name string) string { return fmt.Sprintf(positions[position], name) }

// in is the situation of two values in a position.
func (s *sample) in(position string, versions []wire.Format, t codec.Type, one, two []byte) situation {
	made := situation{
		block: "type", name: position + s.name, about: aboutType(position, s.name), versions: versions,
		make: func(g *stage) { g.values(t, one, two) },
	}
	if s.name == "datetime-of-16-bytes" {
		made.other = func(g *stage) { g.fileTimes(t, one, two) }
	}
	return made
}

// fileTimes is values as a reader sees them that takes each DateTime of 16 bytes for a
// FILETIME of eight: the sentinel is what follows.
func (g *stage) fileTimes(t codec.Type, list ...[]byte) {
	g.threads(1)
	id := g.valued(t)
	for i, value := range list {
		n := map[wire.TypeCode]int{wire.DateTime: 8, wire.Object: 8 + 1, wire.FixedLengthArray: 2 * 8, wire.Array: 2 + len(value)/16*8}[t.Code]
		g.event(id, uint64(100*(i+1)), with(bytesOf(value, uint32(sentinel))[:n+4]))
	}
}

// arraysIn are the versions that have arrays.
func arraysIn(versions []wire.Format) []wire.Format {
	if len(versions) == len(in6) {
		return in6
	}
	return in56
}

// values is an event type with one field and the sentinel, and an event for each
// value.
func (g *stage) values(t codec.Type, list ...[]byte) {
	g.threads(1)
	id := g.valued(t)
	for i, value := range list {
		g.event(id, uint64(100*(i+1)), with(bytesOf(value, uint32(sentinel))))
	}
}

// valued defines an event type with one field and the sentinel.
func (g *stage) valued(t codec.Type) uint32 {
	return g.Metadata(&codec.Metadata{
		Provider: "Contoso", EventID: 7, Name: "Valued", Level: 4,
		Fields: []codec.Field{{Name: "Value", Type: t}, sentinelField()},
	})
}

// locators refer to two elements after the fixed part, and to none.
func locators(name string, element *codec.Type, one, two []byte) []situation {
	size := uint32(len(one) + len(two))
	locator := func(code wire.TypeCode, pos uint32) func(*stage) {
		return func(g *stage) {
			g.threads(1)
			id := g.Metadata(&codec.Metadata{
				Provider: "Contoso", EventID: 8, Name: "Located", Level: 4,
				Fields: []codec.Field{{Name: "Value", Type: codec.Type{Code: code, Element: element}}, sentinelField()},
			})
			g.event(id, 100, with(bytesOf(size<<16|pos, uint32(sentinel), one, two)))
			g.event(id, 200, with(bytesOf(pos, uint32(sentinel))))
		}
	}
	return []situation{
		{block: "type", name: "relloc-of-" + name, about: aboutType("relloc-of-", name), versions: in6, make: locator(wire.RelLoc, 4)},
		{block: "type", name: "dataloc-of-" + name, about: aboutType("dataloc-of-", name), versions: in6, make: locator(wire.DataLoc, 8)},
	}
}

// textSituations are arrays that are text, and arrays of them.
func textSituations() []situation {
	utf8, utf16 := &codec.Type{Code: wire.UTF8CodeUnit}, &codec.Type{Code: wire.UTF16CodeUnit}
	counted := func(element *codec.Type) codec.Type { return codec.Type{Code: wire.Array, Element: element} }
	list8, list16 := counted(utf8), counted(utf16)
	const word = "é€𝄞"
	short := func(b []byte, unit int) []byte { return bytesOf(uint16(len(b)/unit), b) }
	return []situation{
		{block: "type", name: "text-utf8", about: "An array of UTF8CodeUnit is text, with and without NUL, and empty.", versions: in6, make: func(g *stage) {
			g.values(list8, short([]byte(word), 1), short([]byte("a\x00b"), 1), short(nil, 1))
		}},
		{block: "type", name: "text-with-nul", about: "An array of UTF16CodeUnit is text with a NUL in it.", versions: in6, make: func(g *stage) { g.values(list16, short(units("a\x00b"), 2)) }},
		{block: "type", name: "text-fixed", about: "A text of fixed length keeps the NULs at its end.", versions: in6, make: func(g *stage) {
			g.values(codec.Type{Code: wire.FixedLengthArray, Element: utf8, Count: 6}, []byte("abc\x00\x00\x00"), []byte("abcdef"))
		}},
		{block: "type", name: "array-of-counted-text", about: "An array has elements that are counted texts.", versions: in6, make: func(g *stage) {
			g.values(counted(&list8), bytesOf(uint16(2), short([]byte("one"), 1), short([]byte(word), 1)), bytesOf(uint16(0)))
		}},
		{block: "type", name: "array-of-array-of-int32", about: "An array has elements that are arrays of Int32.", versions: in6, make: func(g *stage) {
			numbers := counted(&codec.Type{Code: wire.Int32})
			g.values(counted(&numbers), bytesOf(uint16(2), uint16(1), uint32(5), uint16(2), uint32(6), uint32(7)), bytesOf(uint16(1), uint16(0)))
		}},
		{block: "type", name: "array-of-objects", about: "An array has elements that are objects.", versions: in56, make: func(g *stage) {
			object := codec.Type{Code: wire.Object, Fields: []codec.Field{
				{Name: "A", Type: codec.Type{Code: wire.Int16}}, {Name: "B", Type: codec.Type{Code: wire.NullTerminatedUTF16String}}}}
			g.values(counted(&object), bytesOf(uint16(2), uint16(1), wide("x"), uint16(2), wide("")))
		}},
		{block: "type", name: "relloc-of-utf8", about: "A RelLoc refers to an empty UTF-8 text.", versions: in6, make: func(g *stage) {
			g.values(codec.Type{Code: wire.RelLoc, Element: utf8}, bytesOf(uint32(0)))
		}},
	}
}
