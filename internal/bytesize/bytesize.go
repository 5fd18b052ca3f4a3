// Package bytesize parses numbers of bytes with a unit.
package bytesize

import (
	"fmt"
	"strconv"
	"strings"
)

// sizeUnits are the units after a size. A unit that ends with another one comes
// before it.
var sizeUnits = []struct {
	suffix string
	bytes  int64
}{
	{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30},
	{"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9}, {"k", 1e3}, {"m", 1e6}, {"g", 1e9}, {"b", 1},
}

// Parse reads a number of bytes with a unit: 500MB, 1.5GiB, 4096B.
func Parse(text string) (int64, error) {
	lower := strings.ToLower(strings.TrimSpace(text))
	for _, unit := range sizeUnits {
		digits, ok := strings.CutSuffix(lower, unit.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(digits), 64)
		if n *= float64(unit.bytes); err != nil || !(n > 0) || n >= 1<<62 {
			break
		}
		return int64(n), nil
	}
	return 0, fmt.Errorf(`%q is not a size ("500MB", "2GiB")`, text)
}
