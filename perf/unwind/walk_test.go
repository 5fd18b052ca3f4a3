package unwind

import (
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/perf"
)

// TestMark: only the frame that the kernel lost is a repair, also where it is the same as one
// that the kernel found further out.
func TestMark(t *testing.T) {
	u := New(Options{})
	u.out = []uint64{1, 2, 7, 3, 4, 7, 5}
	for i, how := range []string{byOSR, byUnwind, byFrame, byFrame, byUnwind, byFrame} {
		u.repairs = append(u.repairs, perf.Repair{Frame: i + 1, How: how})
	}
	u.mark(&perf.Record{User: []uint64{1, 9, 3, 4, 7, 5}})
	expect.Slices(t, "repairs", u.repairs, []perf.Repair{{Frame: 1, How: byOSR}, {Frame: 2, How: byUnwind}})
}
