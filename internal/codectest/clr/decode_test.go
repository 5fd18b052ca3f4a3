package clr_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"unicode/utf16"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// decoder reads a payload by a schema, as plainly as it can be done.
type decoder struct {
	b       []byte
	pos     int
	pointer int
}

// member is one field of an object, decoded.
type member struct {
	name  string
	value any // uint64, int64, float64, bool, string, []any or []member
}

var errShort = errors.New("the payload ends")

// take returns the next n bytes.
func (d *decoder) take(n int) []byte {
	if n < 0 || n > len(d.b)-d.pos {
		panic(errShort)
	}
	d.pos += n
	return d.b[d.pos-n : d.pos]
}

func (d *decoder) uint(n int) uint64 {
	var wide [8]byte
	copy(wide[:], d.take(n))
	return binary.LittleEndian.Uint64(wide[:])
}

// decode reads all fields and returns the number of their bytes.
func decode(payload []byte, pointer int, fields []codec.Field) (members []member, used int, err error) {
	d := &decoder{b: payload, pointer: pointer}
	defer func() {
		used = d.pos
		if r := recover(); r != nil {
			err = fmt.Errorf("at %d: %v", d.pos, r)
		}
	}()
	return d.fields(fields), d.pos, nil
}

func (d *decoder) fields(fields []codec.Field) []member {
	members := make([]member, 0, len(fields))
	for i := range fields {
		members = append(members, member{fields[i].Name, d.value(&fields[i].Type, members)})
	}
	return members
}

func (d *decoder) value(t *codec.Type, before []member) any {
	switch t.Code {
	case wire.Object:
		return d.fields(t.Fields)
	case wire.Array:
		return d.array(t, before)
	case wire.Boolean:
		return d.uint(4) != 0
	case wire.Int32:
		return int64(int32(d.uint(4)))
	case wire.Int64:
		return int64(d.uint(8))
	case wire.Double:
		return math.Float64frombits(d.uint(8))
	case wire.GUIDCode:
		return wire.GUID(d.take(16)).String()
	case wire.Pointer:
		return d.uint(d.pointer)
	case wire.VarUInt:
		value, n := binary.Uvarint(d.b[d.pos:])
		d.take(n)
		return value
	case wire.CountedUTF8String:
		return string(d.take(int(d.uint(2))))
	case wire.NullTerminatedUTF8String:
		return d.text(1)
	case wire.NullTerminatedUTF16String:
		return d.text(2)
	case wire.Byte, wire.UInt16, wire.UInt32, wire.UInt64:
		return d.uint(t.Code.Size())
	}
	panic(fmt.Sprintf("no rule for %v", t.Code))
}

func (d *decoder) array(t *codec.Type, before []member) any {
	var count uint64
	if t.CountField > 0 {
		count = before[t.CountField-1].value.(uint64)
	} else {
		count = d.uint(2)
	}
	var values []any
	for range count {
		values = append(values, d.value(t.Element, nil))
	}
	return values
}

// text reads code units of n bytes to a zero one.
func (d *decoder) text(n int) string {
	var units []uint16
	for {
		unit := uint16(d.uint(n))
		if unit == 0 {
			return string(utf16.Decode(units))
		}
		units = append(units, unit)
	}
}
