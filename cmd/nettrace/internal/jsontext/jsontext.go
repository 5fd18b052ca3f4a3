// Package jsontext writes JSON whose keys come in a fixed order.
package jsontext

import (
	"math"
	"strconv"

	"github.com/nettrace-go/nettrace/conformance/ndjson"
)

// Builder builds JSON whose keys come in a fixed order. It escapes text as the canonical
// lines of package ndjson do, and writes the commas.
type Builder struct {
	Bytes []byte // the text so far
}

// comma appends a comma if a value precedes.
func (j *Builder) comma() {
	if n := len(j.Bytes); n > 0 && j.Bytes[n-1] != '{' && j.Bytes[n-1] != '[' && j.Bytes[n-1] != ':' {
		j.Bytes = append(j.Bytes, ',')
	}
}

// Key appends a key.
func (j *Builder) Key(name string) *Builder {
	j.comma()
	j.Bytes = append(ndjson.AppendString(j.Bytes, name), ':')
	return j
}

// Open appends { or [.
func (j *Builder) Open(bracket byte) {
	j.comma()
	j.Bytes = append(j.Bytes, bracket)
}

// Close appends } or ].
func (j *Builder) Close(bracket byte) { j.Bytes = append(j.Bytes, bracket) }

// Text appends a string.
func (j *Builder) Text(s string) {
	j.comma()
	j.Bytes = ndjson.AppendString(j.Bytes, s)
}

// Number appends a number.
func (j *Builder) Number(n int64) {
	j.comma()
	j.Bytes = strconv.AppendInt(j.Bytes, n, 10)
}

// Decimal appends a number as a string, as canonical lines have numbers of 64 bits.
func (j *Builder) Decimal(n uint64) {
	j.comma()
	j.Bytes = ndjson.AppendDecimal(j.Bytes, n)
}

// Bool appends true or false.
func (j *Builder) Bool(v bool) {
	j.comma()
	j.Bytes = strconv.AppendBool(j.Bytes, v)
}

// Float appends a number, and a string where JSON has no number: "NaN", "Infinity".
func (j *Builder) Float(x float64) {
	switch {
	case math.IsNaN(x):
		j.Text("NaN")
	case math.IsInf(x, 1):
		j.Text("Infinity")
	case math.IsInf(x, -1):
		j.Text("-Infinity")
	default:
		j.comma()
		j.Bytes = strconv.AppendFloat(j.Bytes, x, 'g', -1, 64)
	}
}
