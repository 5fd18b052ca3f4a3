package codec

import (
	"fmt"
	"strconv"
	"time"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// String returns the value in a form for users: text unchanged, numbers in
// decimal, times as RFC 3339, arrays as [a b], objects as {name:a}. The zero
// Value gives "(not found)".
func (v Value) String() string { return string(v.append(nil)) }

func (v Value) append(b []byte) []byte {
	switch {
	case v.node == nil:
		return append(b, "(not found)"...)
	case v.IsText():
		return v.AppendText(b)
	case v.IsArray():
		return v.appendElements(b)
	case v.Code() == wire.Object:
		return v.appendFields(b)
	}
	return v.appendScalar(b)
}

func (v Value) appendElements(b []byte) []byte {
	b = append(b, '[')
	separator := ""
	for e := range v.Elements() {
		b = e.append(append(b, separator...))
		separator = " "
	}
	return append(b, ']')
}

func (v Value) appendFields(b []byte) []byte {
	b = append(b, '{')
	first := len(b)
	for name, f := range v.Fields() {
		if len(b) > first {
			b = append(b, ' ')
		}
		b = f.append(append(append(b, name...), ':'))
	}
	return append(b, '}')
}

func (v Value) appendScalar(b []byte) []byte {
	switch v.Code() {
	case wire.Boolean, wire.Boolean8:
		return strconv.AppendBool(b, v.Bool())
	case wire.Single:
		return strconv.AppendFloat(b, v.Float64(), 'g', -1, 32)
	case wire.Double:
		return strconv.AppendFloat(b, v.Float64(), 'g', -1, 64)
	case wire.SByte, wire.Int16, wire.Int32, wire.Int64, wire.VarInt:
		return strconv.AppendInt(b, v.Int64(), 10)
	case wire.GUIDCode:
		return append(b, v.GUID().String()...)
	case wire.DateTime, wire.SystemTimeCode:
		if t, ok := v.Time(); ok {
			return t.AppendFormat(b, time.RFC3339Nano)
		}
		return fmt.Appendf(b, "%x", v.Bytes())
	case wire.Decimal:
		return fmt.Appendf(b, "%x", v.Bytes())
	}
	return strconv.AppendUint(b, v.Uint64(), 10)
}
