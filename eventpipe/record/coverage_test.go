package record

import (
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestNameless: a frame has a name if it is in a method, whose end is exclusive.
// Methods may overlap.
func TestNameless(t *testing.T) {
	c := newCoverage()
	c.code = []span{{500, 510}, {100, 300}, {150, 160}}
	for _, in := range []uint64{100, 155, 160, 299, 500, 509} {
		c.frames[in] = 1
	}
	outside := map[uint64]int64{99: 2, 300: 3, 499: 4, 510: 5}
	for a, n := range outside {
		c.frames[a] = n
	}
	nameless, all := c.nameless()
	expect.Equal(t, "frames without a name", nameless, 2+3+4+5)
	expect.Equal(t, "frames", all, 6+2+3+4+5)
}
