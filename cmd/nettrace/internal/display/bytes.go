package display

import (
	"strconv"
)

// Bytes returns a number of bytes with a unit: "1.5 MB".
func Bytes(n int64) string {
	for _, unit := range []struct {
		name  string
		bytes float64
	}{{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}} {
		if float64(n) >= unit.bytes {
			return strconv.FormatFloat(float64(n)/unit.bytes, 'f', 1, 64) + " " + unit.name
		}
	}
	return Counted(n, "byte")
}
