package layout

import (
	"math"
	"testing"
)

// TestPast gives sizes that no int holds, or none on 32 bits.
func TestPast(t *testing.T) {
	for _, c := range []struct {
		name     string
		encoding Encoding
		value    uint64
		want     int64
	}{
		{"in the body", Uint32, 8, 48},
		{"negative", Int32, math.MaxUint64 - 7, 32},
		{"the highest of 32 bits", Int32, math.MaxInt32, min(math.MaxInt, 40+math.MaxInt32)},
		{"above 31 bits", Uint32, 0xfffffff8, min(math.MaxInt, 40+0xfffffff8)},
		{"above 63 bits", VarUint64, math.MaxUint64, math.MaxInt},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := Field{Encoding: c.encoding, Value: c.value}
			if got := f.past(40); int64(got) != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}
