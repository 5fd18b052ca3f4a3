package main

import (
	"math"
	"strconv"

	"github.com/nettrace-go/nettrace/conformance/ndjson"
)

// jsonText builds JSON by hand, so that keys come in a fixed order and text is
// escaped as in the canonical lines. Commas come by themselves.
type jsonText struct{ b []byte }

// comma separates what comes from what stands before it.
func (j *jsonText) comma() {
	if n := len(j.b); n > 0 && j.b[n-1] != '{' && j.b[n-1] != '[' && j.b[n-1] != ':' {
		j.b = append(j.b, ',')
	}
}

func (j *jsonText) key(name string) *jsonText {
	j.comma()
	j.b = append(ndjson.AppendString(j.b, name), ':')
	return j
}

func (j *jsonText) open(bracket byte) {
	j.comma()
	j.b = append(j.b, bracket)
}

func (j *jsonText) close(bracket byte) { j.b = append(j.b, bracket) }

func (j *jsonText) text(s string) {
	j.comma()
	j.b = ndjson.AppendString(j.b, s)
}

func (j *jsonText) number(n int64) {
	j.comma()
	j.b = strconv.AppendInt(j.b, n, 10)
}

func (j *jsonText) decimal(n uint64) {
	j.comma()
	j.b = ndjson.AppendDecimal(j.b, n)
}

func (j *jsonText) bool(v bool) {
	j.comma()
	j.b = strconv.AppendBool(j.b, v)
}

// float appends a number; what JSON has none for is text.
func (j *jsonText) float(x float64) {
	switch {
	case math.IsNaN(x):
		j.text("NaN")
	case math.IsInf(x, 1):
		j.text("Infinity")
	case math.IsInf(x, -1):
		j.text("-Infinity")
	default:
		j.comma()
		j.b = strconv.AppendFloat(j.b, x, 'g', -1, 64)
	}
}
