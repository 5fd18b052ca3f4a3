package ndjson

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// AppendFields appends the key "fields" of an event and, if the payload does
// not fit the fields, "fieldsError", each with a comma before it. It appends
// nothing for an event without fields.
func AppendFields(dst []byte, e *codec.Event) []byte {
	start := len(dst)
	dst = append(dst, `,"fields":{`...)
	n := 0
	var names unique
	for name, v := range e.Fields() {
		dst = appendField(dst, names.Name(name), v, n)
		n++
	}
	bad := codec.RuleOf(e.FieldsError())
	if n == 0 && bad == rule.None {
		return dst[:start]
	}
	dst = append(dst, '}')
	if bad != rule.None {
		dst = append(dst, `,"fieldsError":`...)
		dst = AppendString(dst, bad.String())
	}
	return dst
}

func appendField(dst []byte, name string, v codec.Value, n int) []byte {
	if n > 0 {
		dst = append(dst, ',')
	}
	dst = AppendString(dst, name)
	dst = append(dst, ':')
	return AppendValue(dst, v)
}

// AppendValue appends the canonical JSON of a payload value.
func AppendValue(dst []byte, v codec.Value) []byte {
	switch {
	case v.IsText():
		dst = append(dst, '"')
		start := len(dst)
		return quote(v.AppendText(dst), start)
	case v.Code() == wire.Object:
		return appendObject(dst, v)
	case v.IsArray():
		return appendArray(dst, v)
	}
	return appendScalar(dst, v)
}

func appendObject(dst []byte, v codec.Value) []byte {
	dst = append(dst, '{')
	n := 0
	var names unique
	for name, inner := range v.Fields() {
		dst = appendField(dst, names.Name(name), inner, n)
		n++
	}
	return append(dst, '}')
}

// appendArray appends an array; one of bytes is a hex string.
func appendArray(dst []byte, v codec.Value) []byte {
	bytes := v.Type().Element.Code == wire.Byte
	open, shut := byte('['), byte(']')
	if bytes {
		open, shut = '"', '"'
	}
	dst = append(dst, open)
	n := 0
	for inner := range v.Elements() {
		switch {
		case bytes:
			dst = hex.AppendEncode(dst, inner.Bytes())
		case n > 0:
			dst = AppendValue(append(dst, ','), inner)
		default:
			dst = AppendValue(dst, inner)
		}
		n++
	}
	return append(dst, shut)
}

func appendScalar(dst []byte, v codec.Value) []byte {
	switch v.Code() {
	case wire.Boolean, wire.Boolean8:
		return strconv.AppendBool(dst, v.Bool())
	case wire.SByte, wire.Int16, wire.Int32:
		return strconv.AppendInt(dst, v.Int64(), 10)
	case wire.Int64, wire.VarInt:
		return append(strconv.AppendInt(append(dst, '"'), v.Int64(), 10), '"')
	case wire.UInt64, wire.VarUInt:
		return AppendDecimal(dst, v.Uint64())
	case wire.Pointer:
		return appendAddress(dst, v.Uint64())
	case wire.Single:
		return appendFloat(dst, v.Float64(), 32)
	case wire.Double:
		return appendFloat(dst, v.Float64(), 64)
	case wire.GUIDCode:
		return append(v.GUID().AppendText(append(dst, '"')), '"')
	case wire.DateTime, wire.SystemTimeCode:
		return appendTime(dst, v)
	case wire.Decimal:
		return AppendString(dst, decimal(v.Bytes()))
	}
	return strconv.AppendUint(dst, v.Uint64(), 10)
}

// appendTime appends a time with a resolution of 100 ns, or its bytes when they
// are no valid time.
func appendTime(dst []byte, v codec.Value) []byte {
	t, ok := v.Time()
	if !ok {
		return append(appendHex(append(dst, `{"raw":`...), v.Bytes()), '}')
	}
	return t.AppendFormat(dst, `"2006-01-02T15:04:05.0000000Z"`)
}

// appendFloat appends the shortest number that reads back the same, in the form
// of ECMAScript; minus zero keeps its sign.
func appendFloat(dst []byte, f float64, bits int) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, `"NaN"`...)
	case math.IsInf(f, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(f, -1):
		return append(dst, `"-Infinity"`...)
	}
	if size := math.Abs(f); size != 0 && (size < 1e-6 || size >= 1e21) {
		text := strconv.FormatFloat(f, 'e', -1, bits)
		mantissa, exponent, _ := strings.Cut(text, "e")
		sign := exponent[:1]
		return append(dst, mantissa+"e"+sign+strings.TrimLeft(exponent[1:], "0")...)
	}
	return strconv.AppendFloat(dst, f, 'f', -1, bits)
}

// decimal formats a Decimal of 16 bytes as .NET has it in memory: scale and
// sign in the third and fourth byte, then the high 32 and the low 64 bits of the
// number.
func decimal(b []byte) string {
	if len(b) < 16 || b[2] > 28 {
		return ""
	}
	n := new(big.Int).SetUint64(uint64(binary.LittleEndian.Uint32(b[4:])))
	n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(binary.LittleEndian.Uint64(b[8:])))
	digits, scale := n.String(), int(b[2])
	if len(digits) <= scale {
		digits = strings.Repeat("0", scale+1-len(digits)) + digits
	}
	if scale > 0 {
		digits = digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
	}
	if b[3]&0x80 != 0 {
		digits = "-" + digits
	}
	return digits
}
