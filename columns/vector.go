package columns

import "math"

// Vector has the values of one column, one for each row. A value is in Ints,
// Floats or Texts, as the column's Type says; a Bool is 0 or 1 in Ints. Many rows
// can share a value: then Index has the position of each row's value. If Ints,
// Floats and Texts are all nil, the value of a row is its number, from 1.
type Vector struct {
	Index  []uint32  // by row; nil: the value of row i is at position i
	Ints   []int64   // values of Int, Time and Bool
	Floats []float64 // values of Float
	Texts  []string  // values of Text
	Nulls  []bool    // by position: there is no value; nil: there is always one
	Base   int64     // added to each of Ints
}

// position returns the position of a row's value.
func (v *Vector) position(row int) int {
	if v.Index != nil {
		return int(v.Index[row])
	}
	return row
}

// Null reports whether a row has no value.
func (v *Vector) Null(row int) bool { return v.Nulls != nil && v.Nulls[v.position(row)] }

// Int returns the value of a row of type Int, Time or Bool. The sum with Base
// saturates at the bounds of an int64.
func (v *Vector) Int(row int) int64 {
	if v.Ints == nil {
		return int64(row) + 1
	}
	n := v.Ints[v.position(row)]
	switch sum := n + v.Base; {
	case v.Base > 0 && sum < n:
		return math.MaxInt64
	case v.Base < 0 && sum > n:
		return math.MinInt64
	default:
		return sum
	}
}

// Float returns the value of a row of type Float.
func (v *Vector) Float(row int) float64 { return v.Floats[v.position(row)] }

// Text returns the value of a row of type Text.
func (v *Vector) Text(row int) string { return v.Texts[v.position(row)] }

// builder makes a Vector value by value.
type builder struct {
	of     Type
	vector Vector
	texts  numbering[string]
	none   bool // the dictionary has a position without a text
	left   LeftOutFields
}

// add appends a value: an int64, a float64, a bool, a string, or nil for none.
func (b *builder) add(value any) {
	v := &b.vector
	switch x := value.(type) {
	case int64:
		v.Ints = append(v.Ints, x)
	case bool:
		v.Ints = append(v.Ints, toInt(x))
	case float64:
		v.Floats = append(v.Floats, x)
	case string:
		v.Index = append(v.Index, b.texts.of(x)+1)
	default:
		b.null()
		return
	}
	if v.Nulls != nil {
		v.Nulls = append(v.Nulls, false)
	}
}

// null appends a row without a value.
func (b *builder) null() {
	v := &b.vector
	if b.of == Text {
		v.Index = append(v.Index, 0)
		b.none = true
		return
	}
	if v.Nulls == nil {
		v.Nulls = make([]bool, max(len(v.Ints), len(v.Floats)))
	}
	v.Nulls = append(v.Nulls, true)
	if b.of == Float {
		v.Floats = append(v.Floats, 0)
		return
	}
	v.Ints = append(v.Ints, 0)
}

// done returns the Vector.
func (b *builder) done() *Vector {
	v := &b.vector
	switch b.of {
	case Text:
		v.Texts = append([]string{""}, b.texts.list...)
		if b.none {
			v.Nulls = make([]bool, len(v.Texts))
			v.Nulls[0] = true
		}
		if v.Index == nil {
			v.Index = []uint32{}
		}
	case Float:
		if v.Floats == nil {
			v.Floats = []float64{}
		}
	default:
		if v.Ints == nil {
			v.Ints = []int64{}
		}
	}
	return v
}

// toInt returns 1 for true.
func toInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
