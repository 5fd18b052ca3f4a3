package codec

import (
	"encoding/binary"
	"iter"
	"math"
	"time"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// Value is a view of one value in a payload. It is valid as long as its event.
// The zero Value is not Valid; its methods return zero values.
type Value struct {
	view       *fieldsView // the event with its payload
	node       *node
	start, end int32 // of its encoding in the payload
}

// Valid reports whether the value exists.
func (v Value) Valid() bool { return v.node != nil }

// Type returns the declared type, nil if the value is not valid.
func (v Value) Type() *Type {
	if v.node == nil {
		return nil
	}
	return v.node.declared
}

// Code returns the type code with which the value is decoded. It differs from
// the declared one where real writers differ from the specification: Boolean8
// for a Boolean of one byte, UInt32 for a Byte of four, Double for a Decimal of
// eight, CountedUTF8String for a UTF8CodeUnit. It is UInt32 for a locator
// inside the target of a locator: such locators are not followed, because a few
// bytes could refer to an excessive number of values.
func (v Value) Code() wire.TypeCode {
	if v.node == nil {
		return 0
	}
	return v.node.code
}

// Bytes returns the value as it is in the payload: with the count of an array and the
// terminator of text; of a locator the locator itself, not the data it refers to.
func (v Value) Bytes() []byte {
	if v.node == nil {
		return nil
	}
	return v.view.payload[v.start:v.end:v.end]
}

// Uint64 returns an integer, a Boolean, a code unit, a pointer, or of a DateTime of 8
// bytes its FILETIME, units of 100 ns since 1601; signed integers are sign-extended. Other types return 0.
func (v Value) Uint64() uint64 {
	n := v.node
	if n == nil {
		return 0
	}
	b, start := v.view.payload, uint(v.start)
	if b = b[:cap(b)]; n.integer && start+8 <= uint(len(b)) && v.end-v.start >= n.size {
		return n.extend(binary.LittleEndian.Uint64(b[start : start+8]))
	}
	return v.uint64()
}

// uint64 is the slow path of Uint64: for integers among the last 8 bytes of a
// block, and those of variable length.
func (v Value) uint64() uint64 {
	b := v.Bytes()
	switch {
	case v.node.code == wire.VarUInt:
		x, _ := wire.VarUint64(b, 0)
		return x
	case v.node.code == wire.VarInt:
		x, _ := wire.VarInt64(b, 0)
		return uint64(x)
	case !v.node.integer || len(b) < int(v.node.size):
		return 0
	}
	var word [8]byte
	copy(word[:], b[:v.node.size])
	return v.node.extend(binary.LittleEndian.Uint64(word[:]))
}

// Int64 returns Uint64 as a signed number.
func (v Value) Int64() int64 { return int64(v.Uint64()) }

// Bool returns whether a Boolean is not 0.
func (v Value) Bool() bool { return v.Uint64() != 0 }

// Float64 returns a Single or a Double, or an integer converted to float64.
func (v Value) Float64() float64 {
	b := v.Bytes()
	switch v.Code() {
	case wire.Single:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	case wire.Double:
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	case wire.SByte, wire.Int16, wire.Int32, wire.Int64, wire.VarInt:
		return float64(v.Int64())
	}
	return float64(v.Uint64())
}

// GUID returns a Guid; other types return zero.
func (v Value) GUID() wire.GUID {
	b := v.Bytes()
	if v.Code() != wire.GUIDCode || len(b) < 16 {
		return wire.GUID{}
	}
	return wire.GUID(b[:16])
}

// Time returns a DateTime in UTC. ok is false if the bytes are no time between
// the years 1 (for 8 bytes 1601) and 9999.
func (v Value) Time() (t time.Time, ok bool) {
	switch v.Code() {
	case wire.SystemTimeCode:
		return wire.SystemTime(v.Bytes())
	case wire.DateTime:
		return wire.FileTime(v.Uint64())
	}
	return time.Time{}, false
}

// IsText reports whether the value is text: a string, or an array of code
// units.
func (v Value) IsText() bool { return v.node != nil && v.node.text }

// hasUnits reports whether the value is an array, or a locator, of a code unit.
func (v Value) hasUnits(unit wire.TypeCode) bool {
	return v.node != nil && v.node.element != nil && v.node.element.code == unit
}

// Units returns the code units of text in the payload: UTF-16, little-endian,
// or UTF-8, without terminator and count.
func (v Value) Units() (units []byte, utf16 bool) {
	if v.node == nil {
		return nil, false
	}
	b := v.view.payload[v.start:v.end:v.end]
	switch v.node.code {
	case wire.NullTerminatedUTF16String:
		n := len(b)
		if n >= 2 && n%2 == 0 && b[n-1] == 0 && b[n-2] == 0 {
			n -= 2
		}
		return b[:n&^1], true
	case wire.NullTerminatedUTF8String:
		n := len(b)
		if n > 0 && b[n-1] == 0 {
			n--
		}
		return b[:n], false
	case wire.CountedUTF8String:
		return b[2:], false
	}
	if v.hasUnits(wire.UTF16CodeUnit) || v.hasUnits(wire.UTF8CodeUnit) {
		start, end, _ := v.extent()
		return v.view.payload[start:end:end], v.hasUnits(wire.UTF16CodeUnit)
	}
	return nil, false
}

// AppendText appends text in UTF-8; for other values it appends nothing. An
// unpaired surrogate becomes three bytes (see wire.AppendUTF16).
func (v Value) AppendText(dst []byte) []byte {
	units, wide := v.Units()
	if wide {
		return wire.AppendUTF16(dst, units)
	}
	return append(dst, units...)
}

// Text returns text as a string; other types return "".
func (v Value) Text() string { return string(v.AppendText(nil)) }

// extent returns the range of the elements of an array or a locator, and their
// number, -1 when it is not known without a walk. The value has elements; its
// count or locator was checked when the value was made.
func (v Value) extent() (start, end, count int) {
	start, end = int(v.start), int(v.end)
	payload := v.view.payload
	switch code := v.node.code; {
	case code == wire.FixedLengthArray:
		return start, end, int(v.node.declared.Count)
	case code == wire.RelLoc || code == wire.DataLoc:
		x, next := wire.Uint32(payload, start)
		start, end = located(code, x, next)
	case v.node.declared.CountField == 0:
		count, next := wire.Uint16(payload, start)
		return next, end, int(count)
	}
	if size := v.node.element.size; size > 0 {
		return start, end, (end - start) / int(size)
	}
	return start, end, -1
}

// IsArray reports whether the value is an array, or a locator of one, with
// elements other than code units.
func (v Value) IsArray() bool { return v.node != nil && v.node.element != nil && !v.IsText() }

// Elements iterates over the elements of an array or of a locator's target.
func (v Value) Elements() iter.Seq[Value] {
	return func(yield func(Value) bool) {
		if v.node == nil || v.node.element == nil {
			return
		}
		start, end, count := v.extent()
		w := walker{b: v.view.payload[:end], pos: start}
		for i := 0; i != count && (count >= 0 || w.pos < end); i++ {
			at := w.pos
			ok := w.walk(v.node.element, nil, at)
			if !ok && !w.partial || !yield(Value{v.view, v.node.element, int32(at), int32(w.pos)}) || !ok {
				return
			}
		}
	}
}

// Fields iterates over the fields of an object, in declared order.
func (v Value) Fields() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if v.Code() != wire.Object {
			return
		}
		w := walker{b: v.view.payload[:v.end], pos: int(v.start)}
		fields := *v.node.fields
		for i := range fields {
			n, at := &fields[i], w.pos
			ok := w.walk(n, fields, int(v.start))
			name := v.node.declared.Fields[i].Name
			if !ok && !w.partial || !yield(name, Value{v.view, n, int32(at), int32(w.pos)}) || !ok {
				return
			}
		}
	}
}
