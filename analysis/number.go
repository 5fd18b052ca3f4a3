package analysis

import "strconv"

// Number is an integer that can be unknown. The zero value is unknown; JSON
// leaves out the key of an unknown Number (omitzero).
type Number struct {
	n     int64
	known bool
}

// Known returns the Number with a value.
func Known(n int64) Number { return Number{n, true} }

// Get returns the value, and whether it is known.
func (n Number) Get() (int64, bool) { return n.n, n.known }

// IsZero reports whether the value is unknown.
func (n Number) IsZero() bool { return !n.known }

// Or returns the value, or other if it is unknown.
func (n Number) Or(other int64) int64 {
	if n.known {
		return n.n
	}
	return other
}

// Add returns the sum of a Number and m: m if the Number is unknown.
func (n Number) Add(m int64) Number { return Known(n.n + m) }

// String returns the value in decimal, "" if it is unknown.
func (n Number) String() string {
	if !n.known {
		return ""
	}
	return strconv.FormatInt(n.n, 10)
}

// MarshalJSON returns the value, or null if it is unknown.
func (n Number) MarshalJSON() ([]byte, error) {
	if !n.known {
		return []byte("null"), nil
	}
	return strconv.AppendInt(nil, n.n, 10), nil
}

// UnmarshalJSON reads what MarshalJSON returns.
func (n *Number) UnmarshalJSON(b []byte) error {
	*n = Number{}
	if string(b) == "null" {
		return nil
	}
	value, err := strconv.ParseInt(string(b), 10, 64)
	if err == nil {
		*n = Known(value)
	}
	return err
}
