package codec

import (
	"math"
	"slices"
	"sync/atomic"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// maxByteReadings bounds the readings of a row with many Byte fields.
const maxByteReadings = 16

// plan is how the payloads of one metadata row are read. It is compiled at the
// first use and kept with the row.
type plan struct {
	name     string                   // as known
	fields   []Field                  // as declared, or as known
	pointer  int                      // bytes
	version  uint32                   // that the schema is of
	known    bool                     // from Options.Schemas: the payload may continue after the fields
	lacking  bool                     // no fields, and no Options.Schemas
	steady   bool                     // first is the layout of each event of its type and version
	readings []reading                // tried in order; the first that consumes a payload exactly wins
	first    []node                   // the layout of the first reading; nil: no memory for it
	layouts  []atomic.Pointer[[]node] // of all, compiled when first tried; clones share them

	size, held int64 // bytes of a layout, and those charged; used by the Reader alone
}

// reading is one way to read the types that real writers use in several ways.
type reading struct {
	boolean1   bool // Boolean takes one byte (self-describing EventSource)
	byte4      int  // position plus one of the Byte field that takes four (byte enumeration)
	decimal16  bool // Decimal takes 16 bytes and not the 8 of a double
	dateTime16 bool // DateTime takes 16 bytes, by the text
	counted8   bool // UTF8CodeUnit is a counted string (of a recognised writer)
	absent     int  // position plus one of the string that has no bytes, not even a terminator
	located    bool // a locator points here; further ones are not followed
}

// noCounter marks a counter that is not before its array, as in a wrong schema:
// no payload is that long.
const noCounter = math.MaxInt32

// node is a type under one reading.
type node struct {
	name     string // of the field; an element has none
	declared *Type
	element  *node
	fields   *[]node // of an object
	sign     uint64  // the highest bit of a signed integer
	code     wire.TypeCode
	size     int32 // bytes of every value, -1 when they differ or depend on the payload
	counter  int32 // position of the field that counts the array in its list, -1 when it differs
	unused   uint8 // bits of a word of 8 bytes that are not an integer's
	integer  bool  // of fixed size, see Value.Uint64
	text     bool  // a string, or an array of code units
}

// manner determines how a Reader reads the types of a stream.
type manner struct {
	noLeniency bool // by the text, without leniency
	dateTime16 bool // the size of DateTime in the text, with noLeniency
	counted8   bool // a writer that declares counted strings as UTF8CodeUnit
	logging    bool // events of nullNames
}

// nullNames is a provider that wrote nothing for the field nullName where it was null, before
// its version 5.0: https://github.com/microsoft/perfview/issues/1092.
const nullNames, nullName = "Microsoft-Extensions-Logging", "EventName"

// compile makes the readings of a plan and the layout of the first one.
func (p *plan) compile(by manner) {
	switch {
	case p.known:
		p.readings = []reading{{decimal16: true}}
	case by.noLeniency:
		p.readings = []reading{{decimal16: true, dateTime16: by.dateTime16}}
	default:
		p.readings = readings(p.fields, reading{counted8: by.counted8})
		if i := slices.IndexFunc(p.fields, isNullName); by.logging && i >= 0 {
			p.readings = append(p.readings, reading{absent: i + 1})
		}
	}
	p.layouts = make([]atomic.Pointer[[]node], len(p.readings))
	p.first = p.layout(0)
	p.steady = len(p.readings) == 1 && !p.lacking
}

func isNullName(f Field) bool {
	return f.Name == nullName && f.Type.Code == wire.NullTerminatedUTF16String
}

// readings lists the ways to read a field list, in the order they are tried.
func readings(fields []Field, first reading) []reading {
	list := []reading{first}
	inner := fields
	nameless := len(fields) == 1 && fields[0].Name == "" && fields[0].Type.Code == wire.Object
	if nameless {
		inner = fields[0].Type.Fields
	}
	if holds(fields, wire.Boolean) {
		small := first
		small.boolean1 = true
		list = append(list, small)
		if nameless { // Write() events: their Booleans take one byte
			list[0], list[1] = list[1], list[0]
		}
	}
	for i := range inner {
		if inner[i].Type.Code == wire.Byte && !nameless && len(list) < maxByteReadings {
			wide := first
			wide.byte4 = i + 1
			list = append(list, wide)
		}
	}
	if holds(fields, wire.Decimal) {
		wide := list[0]
		wide.decimal16 = true
		list = append(list, wide)
	}
	if holds(fields, wire.DateTime) {
		wide := list[0]
		wide.dateTime16 = true
		list = append(list, wide)
	}
	return list
}

// holds reports whether a type code occurs in a field list, at any depth.
func holds(fields []Field, code wire.TypeCode) bool {
	for i := range fields {
		if fields[i].Type.holds(code) {
			return true
		}
	}
	return false
}

func (t *Type) holds(code wire.TypeCode) bool {
	return t.Code == code || t.Element != nil && t.Element.holds(code) || holds(t.Fields, code)
}

// layout returns the field list under reading i.
func (p *plan) layout(i int) []node {
	if l := p.layouts[i].Load(); l != nil {
		return *l
	}
	nodes, _ := p.list(p.fields, p.readings[i])
	p.layouts[i].Store(&nodes)
	return nodes
}

// list compiles a field list. byte4 and absent count in the outermost list only.
func (p *plan) list(fields []Field, r reading) ([]node, int) {
	nodes, size := make([]node, len(fields)), 0
	for i := range fields {
		inner := r
		inner.byte4, inner.absent = 0, 0
		nodes[i] = p.node(&fields[i].Type, inner)
		if r.byte4 == i+1 {
			nodes[i].code, nodes[i].size = wire.UInt32, 4
		}
		if r.absent == i+1 {
			nodes[i].size = 0
		}
		nodes[i].name = fields[i].Name
		nodes[i].classify()
		if from := fields[i].Type.CountField; from > i {
			nodes[i].counter = noCounter
		} else if from > 0 {
			nodes[i].counter = int32(offsetOf(nodes[:from-1]))
		}
		if nodes[i].size < 0 || size < 0 {
			size = -1
		} else {
			size = clamp(int64(size) + int64(nodes[i].size))
		}
	}
	return nodes, size
}

// offsetOf is the position of the value after nodes, -1 when it differs.
func offsetOf(nodes []node) int {
	offset := 0
	for i := range nodes {
		if nodes[i].size < 0 {
			return -1
		}
		offset = clamp(int64(offset) + int64(nodes[i].size))
	}
	return offset
}

// node compiles a type.
func (p *plan) node(t *Type, r reading) node {
	n := node{declared: t, code: r.code(t.Code)}
	switch n.code {
	case wire.Object:
		fields, size := p.list(t.Fields, r)
		n.fields, n.size = &fields, int32(size)
		return n
	case wire.Pointer:
		n.size = int32(p.pointer)
		return n
	case wire.FixedLengthArray:
		n.element = p.child(t, r)
		n.size = -1
		if n.element.size > 0 || t.Count == 0 {
			n.size = int32(clamp(int64(n.element.size) * int64(t.Count)))
		}
		return n
	case wire.Array:
		n.element, n.size = p.child(t, r), -1
		return n
	case wire.RelLoc, wire.DataLoc:
		n.element, n.size = p.child(t, r), -1
		return n
	}
	if n.size = int32(n.code.Size()); n.size == 0 {
		n.size = -1
	}
	return n
}

// child compiles the element type of an array or locator. Units in an array are
// text; only a single one is a counted string.
func (p *plan) child(t *Type, r reading) *node {
	r.counted8 = r.counted8 && t.Element.Code != wire.UTF8CodeUnit
	r.located = r.located || t.Code == wire.RelLoc || t.Code == wire.DataLoc
	n := p.node(t.Element, r)
	n.classify()
	return &n
}

// classify stores properties that Value uses often.
func (n *node) classify() {
	unit := n.element != nil && (n.element.code == wire.UTF16CodeUnit || n.element.code == wire.UTF8CodeUnit)
	switch n.code {
	case wire.NullTerminatedUTF16String, wire.NullTerminatedUTF8String, wire.CountedUTF8String:
		n.text = true
	case wire.Byte, wire.UTF8CodeUnit, wire.Boolean8, wire.UInt16, wire.UTF16CodeUnit, wire.UInt32, wire.Boolean,
		wire.UInt64, wire.DateTime, wire.Pointer:
		n.integer = true
	case wire.SByte, wire.Int16, wire.Int32, wire.Int64:
		n.integer, n.sign = true, 1<<(8*n.size-1)
	default:
		n.text = unit
	}
	n.unused = uint8(64 - 8*min(max(n.size, 1), 8))
}

// extend returns the integer at the low end of a word, a signed one with its
// sign.
func (n *node) extend(word uint64) uint64 {
	word <<= n.unused & 63
	return (word>>(n.unused&63) ^ n.sign) - n.sign
}

// clamp limits a size to an int32, also when a position is added to it: a larger
// one fits no payload.
func clamp(size int64) int { return int(min(size, math.MaxInt32/2)) }

// code is the type code that a declared code is read as.
func (r reading) code(declared wire.TypeCode) wire.TypeCode {
	switch {
	case declared == wire.Boolean && r.boolean1:
		return wire.Boolean8
	case declared == wire.Decimal && !r.decimal16:
		return wire.Double
	case declared == wire.DateTime && r.dateTime16:
		return wire.SystemTimeCode
	case declared == wire.UTF8CodeUnit && r.counted8:
		return wire.CountedUTF8String
	case (declared == wire.RelLoc || declared == wire.DataLoc) && r.located:
		return wire.UInt32
	}
	return declared
}
