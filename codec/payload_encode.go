package codec

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// Bool encodes a Boolean of four bytes or, where the field is a Boolean8, of one.
func (e *EventEncoder) Bool(v bool) *EventEncoder {
	p, n := &e.payload, byte(0)
	if v {
		n = 1
	}
	if p.top.takes(wire.Boolean8) {
		p.top.advance()
		p.b = append(p.b, n)
	} else if p.take(wire.Boolean, "Bool") {
		p.b = append(p.b, n, 0, 0, 0)
	}
	return e
}

// Int8 encodes an SByte.
func (e *EventEncoder) Int8(v int8) *EventEncoder {
	return e.one(wire.SByte, "Int8", byte(v))
}

// Uint8 encodes a Byte.
func (e *EventEncoder) Uint8(v uint8) *EventEncoder {
	return e.one(wire.Byte, "Uint8", v)
}

// Int16 encodes an Int16.
func (e *EventEncoder) Int16(v int16) *EventEncoder {
	return e.two(wire.Int16, "Int16", uint16(v))
}

// Uint16 encodes a UInt16.
func (e *EventEncoder) Uint16(v uint16) *EventEncoder {
	return e.two(wire.UInt16, "Uint16", v)
}

// Int32 encodes an Int32.
func (e *EventEncoder) Int32(v int32) *EventEncoder {
	return e.four(wire.Int32, "Int32", uint32(v))
}

// Uint32 encodes a UInt32.
func (e *EventEncoder) Uint32(v uint32) *EventEncoder {
	return e.four(wire.UInt32, "Uint32", v)
}

// Int64 encodes an Int64. A field of type VarInt needs VarInt.
func (e *EventEncoder) Int64(v int64) *EventEncoder {
	return e.eight(wire.Int64, "Int64", uint64(v))
}

// Uint64 encodes a UInt64. A field of type VarUInt needs VarUint.
func (e *EventEncoder) Uint64(v uint64) *EventEncoder {
	return e.eight(wire.UInt64, "Uint64", v)
}

// Float32 encodes a Single.
func (e *EventEncoder) Float32(v float32) *EventEncoder {
	return e.four(wire.Single, "Float32", math.Float32bits(v))
}

// Float64 encodes a Double.
func (e *EventEncoder) Float64(v float64) *EventEncoder {
	return e.eight(wire.Double, "Float64", math.Float64bits(v))
}

// VarInt encodes a VarInt: 1 to 10 bytes, fewer for numbers near 0.
func (e *EventEncoder) VarInt(v int64) *EventEncoder {
	if p := &e.payload; p.take(wire.VarInt, "VarInt") {
		p.b = wire.AppendVarInt(p.b, v)
	}
	return e
}

// VarUint encodes a VarUInt: 1 to 10 bytes, fewer for small numbers.
func (e *EventEncoder) VarUint(v uint64) *EventEncoder {
	if p := &e.payload; p.take(wire.VarUInt, "VarUint") {
		p.b = wire.AppendVarUint(p.b, v)
	}
	return e
}

// UTF16CodeUnit encodes a UTF16CodeUnit, the Char of .NET. String encodes all units
// of an array.
func (e *EventEncoder) UTF16CodeUnit(v uint16) *EventEncoder {
	return e.two(wire.UTF16CodeUnit, "UTF16CodeUnit", v)
}

// UTF8CodeUnit encodes a UTF8CodeUnit. String encodes all units of an array.
func (e *EventEncoder) UTF8CodeUnit(v byte) *EventEncoder {
	return e.one(wire.UTF8CodeUnit, "UTF8CodeUnit", v)
}

// Decimal encodes a Decimal: the 16 bytes of a System.Decimal. Many readers
// expect a Double of 8 bytes in its place; prefer a field of type Double.
func (e *EventEncoder) Decimal(v [16]byte) *EventEncoder {
	return e.sixteen(wire.Decimal, "Decimal", &v)
}

// GUID encodes a Guid.
func (e *EventEncoder) GUID(v wire.GUID) *EventEncoder {
	return e.sixteen(wire.GUIDCode, "GUID", (*[16]byte)(&v))
}

// DateTime encodes a DateTime of 8 bytes in all versions, a FILETIME in UTC: .NET
// writes it, and readers expect it, although the specification of v6 says 16 bytes. The
// time is truncated to a multiple of 100 ns. As in .NET the zero time is 0, the year 1601; other times before
// 1601 or after 9999 are an error.
func (e *EventEncoder) DateTime(v time.Time) *EventEncoder {
	p := &e.payload
	ticks, ok := wire.FileTimeOf(v)
	if !ok && !v.IsZero() && p.top.takes(wire.DateTime) {
		p.fail("a year from 1601 to 9999", fmt.Sprintf("the year %d", v.UTC().Year()))
		return e
	}
	return e.eight(wire.DateTime, "DateTime", ticks)
}

// String encodes text: a NullTerminatedUTF16String, or an array or a locator of
// UTF16CodeUnit or UTF8CodeUnit. It is an error if text is not valid UTF-8 (unless
// WriterOptions.PassOn), if it contains a zero and the field ends with a zero, or
// if its length is not that of a FixedLengthArray.
func (e *EventEncoder) String(v string) *EventEncoder {
	p := &e.payload
	switch {
	case p.top.takes(wire.NullTerminatedUTF16String):
		if want := e.wantText(v, true); want != "" {
			p.fail(want, quoted(v))
			break
		}
		p.top.advance()
		p.b = wire.AppendUTF16Z(p.b, v)
	case p.openArray("String", wire.UTF16CodeUnit, wire.UTF8CodeUnit):
		if want := e.wantText(v, false); want != "" {
			p.failAround(want, quoted(v))
			break
		}
		p.units(v)
		p.close("String")
	}
	return e
}

// wantText returns what text must be to be encoded, or "".
func (e *EventEncoder) wantText(v string, terminated bool) string {
	switch {
	case !e.w.opt.PassOn && !utf8.ValidString(v):
		return "valid UTF-8"
	case terminated && strings.IndexByte(v, 0) >= 0:
		return "text without a zero character"
	}
	return ""
}

func quoted(v string) string { return fmt.Sprintf("the text %.40q", v) }

// units encodes text as the elements of an array or a locator.
func (p *payloadEncoder) units(v string) {
	f := &p.top
	if f.takes(wire.UTF8CodeUnit) {
		p.b = append(p.b, v...)
		f.count = len(v)
		return
	}
	p.b = wire.AppendUTF16Z(p.b, v)
	p.b = p.b[:len(p.b)-2]
	f.count = (len(p.b) - f.start) / 2
}

// Bytes encodes all elements of an array or a locator of Byte. It copies v.
func (e *EventEncoder) Bytes(v []byte) *EventEncoder {
	if p := &e.payload; p.openArray("Bytes", wire.Byte) {
		p.b = append(p.b, v...)
		p.top.count = len(v)
		p.close("Bytes")
	}
	return e
}

// Array begins the elements of an Array, a FixedLengthArray, a RelLoc or a DataLoc.
// A call for each element follows, then End.
func (e *EventEncoder) Array() *EventEncoder {
	e.payload.openArray("Array")
	return e
}

// Object begins the fields of an Object. A call for each field follows, then End.
func (e *EventEncoder) Object() *EventEncoder {
	if p := &e.payload; p.top.takes(wire.Object) {
		p.open()
	} else {
		p.misfit("Object")
	}
	return e
}

// End ends the elements or the fields that Array or Object began.
func (e *EventEncoder) End() *EventEncoder {
	e.payload.close("End")
	return e
}

func (e *EventEncoder) one(code wire.TypeCode, method string, v byte) *EventEncoder {
	if p := &e.payload; p.take(code, method) {
		p.b = append(p.b, v)
	}
	return e
}

func (e *EventEncoder) two(code wire.TypeCode, method string, v uint16) *EventEncoder {
	if p := &e.payload; p.take(code, method) {
		p.b = binary.LittleEndian.AppendUint16(p.b, v)
	}
	return e
}

func (e *EventEncoder) four(code wire.TypeCode, method string, v uint32) *EventEncoder {
	if p := &e.payload; p.take(code, method) {
		p.b = binary.LittleEndian.AppendUint32(p.b, v)
	}
	return e
}

func (e *EventEncoder) eight(code wire.TypeCode, method string, v uint64) *EventEncoder {
	if p := &e.payload; p.take(code, method) {
		p.b = binary.LittleEndian.AppendUint64(p.b, v)
	}
	return e
}

func (e *EventEncoder) sixteen(code wire.TypeCode, method string, v *[16]byte) *EventEncoder {
	if p := &e.payload; p.take(code, method) {
		p.b = append(p.b, v[:]...)
	}
	return e
}
