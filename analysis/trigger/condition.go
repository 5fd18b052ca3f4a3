package trigger

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// op is a comparison.
type op uint8

const (
	opNone op = iota
	opEqual
	opUnequal
	opLess
	opAtMost
	opOver
	opAtLeast
)

// ops are the comparisons by their text. One that begins with another one comes
// before it.
var ops = []struct {
	text string
	op   op
}{{"!=", opUnequal}, {"<=", opAtMost}, {">=", opAtLeast}, {"=", opEqual}, {"<", opLess}, {">", opOver}}

// String returns the text of the comparison.
func (o op) String() string {
	for _, known := range ops {
		if known.op == o {
			return known.text
		}
	}
	return ""
}

// ordered reports whether the comparison needs numbers.
func (o op) ordered() bool { return o >= opLess }

// holds compares two numbers. A number that is not finite only differs.
func (o op) holds(a, b float64) bool {
	switch o {
	case opEqual:
		return a == b
	case opUnequal:
		return a != b
	case opLess:
		return a < b
	case opAtMost:
		return a <= b
	case opOver:
		return a > b
	}
	return a >= b
}

// condition is about the value of a field or of a tag.
type condition struct {
	field  string
	op     op
	value  pattern
	number float64 // of an ordered comparison
}

// String returns the condition as in a rule.
func (c *condition) String() string { return c.field + c.op.String() + c.value.text }

// holds compares the text of a value.
func (c *condition) holds(text []byte) bool {
	if c.op.ordered() {
		n, ok := parseNumber(text)
		return ok && c.op.holds(n, c.number)
	}
	return c.value.matches(text) == (c.op == opEqual)
}

// parseNumber parses the decimal text of a value. It does not allocate.
func parseNumber(text []byte) (float64, bool) {
	n, err := strconv.ParseFloat(string(text), 64)
	return n, err == nil
}

// pattern is text in which each * matches any text.
type pattern struct {
	text  string   // as in the rule
	parts [][]byte // between the asterisks; one part means exact text
}

// exactly returns the pattern of one text.
func exactly(text string) pattern { return pattern{text, [][]byte{[]byte(text)}} }

// glob returns the pattern of a text with asterisks.
func glob(text string) pattern {
	p := pattern{text: text}
	for part := range strings.SplitSeq(text, "*") {
		p.parts = append(p.parts, []byte(part))
	}
	return p
}

// matches reports whether text has the pattern.
func (p *pattern) matches(text []byte) bool {
	last := len(p.parts) - 1
	if last == 0 {
		return bytes.Equal(text, p.parts[0])
	}
	text, ok := bytes.CutPrefix(text, p.parts[0])
	if !ok {
		return false
	}
	for _, part := range p.parts[1:last] {
		at := bytes.Index(text, part)
		if at < 0 {
			return false
		}
		text = text[at+len(part):]
	}
	return bytes.HasSuffix(text, p.parts[last])
}

// appendValue appends the text of a value: text unchanged, integers in decimal,
// pointers in hexadecimal.
func appendValue(dst []byte, v codec.Value) []byte {
	if v.IsText() {
		return v.AppendText(dst)
	}
	switch v.Code() {
	case wire.SByte, wire.Int16, wire.Int32, wire.Int64, wire.VarInt:
		return strconv.AppendInt(dst, v.Int64(), 10)
	case wire.Byte, wire.UInt16, wire.UInt32, wire.UInt64, wire.VarUInt:
		return strconv.AppendUint(dst, v.Uint64(), 10)
	case wire.Pointer:
		return strconv.AppendUint(append(dst, "0x"...), v.Uint64(), 16)
	}
	return append(dst, v.String()...)
}
