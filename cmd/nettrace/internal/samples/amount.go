package samples

import (
	"strconv"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/profile"
)

// units of amounts, the greatest first: the base unit, the number of base units
// in one, and the number of decimals.
var units = map[string][]struct {
	name     string
	size     float64
	decimals int
}{
	"nanoseconds": {{" s", 1e9, 2}, {" ms", 1e6, 2}, {" µs", 1e3, 1}, {" ns", 1, 0}},
	"bytes":       {{" GB", 1e9, 2}, {" MB", 1e6, 2}, {" kB", 1e3, 1}, {" B", 1, 0}},
}

// Amount returns a value of a type of samples with a unit.
func Amount(v int64, t profile.Type) string {
	of := units[t.Value().Unit]
	if of == nil || v == 0 {
		return display.Grouped(v)
	}
	size := float64(v)
	for _, u := range of {
		if size >= u.size || -size >= u.size {
			return strconv.FormatFloat(size/u.size, 'f', u.decimals, 64) + u.name
		}
	}
	return display.Grouped(v)
}
