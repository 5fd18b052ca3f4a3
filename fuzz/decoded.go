package fuzz

import (
	"encoding/binary"
	"math"
	"strings"
	"unicode/utf16"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// number is the result of Uint64.
func (d *decoded) number(b []byte) uint64 {
	b = b[d.start:d.end]
	v := uint64(0)
	switch d.code {
	case wire.VarUInt, wire.VarInt:
		if v, _ = wire.VarUint64(b, 0); d.code == wire.VarInt {
			v = v/2 ^ -(v % 2)
		}
		return v
	case wire.Single, wire.Double, wire.Decimal, wire.GUIDCode, wire.SystemTimeCode:
		return 0
	}
	if widths[d.code] == 0 {
		return 0
	}
	for i, c := range b {
		v += uint64(c) << (8 * i)
	}
	switch d.code {
	case wire.SByte:
		return uint64(int8(v))
	case wire.Int16:
		return uint64(int16(v))
	case wire.Int32:
		return uint64(int32(v))
	}
	return v
}

// float is the result of Float64, as bits.
func (d *decoded) float(b []byte) uint64 {
	switch d.code {
	case wire.Single:
		return math.Float64bits(float64(math.Float32frombits(binary.LittleEndian.Uint32(b[d.start:]))))
	case wire.Double:
		return binary.LittleEndian.Uint64(b[d.start:])
	case wire.SByte, wire.Int16, wire.Int32, wire.Int64, wire.VarInt:
		return math.Float64bits(float64(int64(d.number(b))))
	}
	return math.Float64bits(float64(d.number(b)))
}

// words is the result of Text; complete is false for text with unpaired surrogates,
// which is not compared.
func (d *decoded) words() (s string, complete bool) {
	if !d.wide() {
		return string(d.units), true
	}
	var units []uint16
	for i := 0; i+2 <= len(d.units); i += 2 {
		units = append(units, binary.LittleEndian.Uint16(d.units[i:]))
	}
	s = string(utf16.Decode(units))
	return s, !strings.ContainsRune(s, 0xFFFD)
}

// isText reports whether the value is text, wide whether its units are UTF-16.
func (d *decoded) isText() bool {
	return d.code == wire.NullTerminatedUTF16String || d.code == wire.CountedUTF8String || isUnit(d.element)
}

func (d *decoded) wide() bool {
	return d.code == wire.NullTerminatedUTF16String || d.element == wire.UTF16CodeUnit
}
