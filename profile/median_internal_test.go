package profile

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestMedian: the median of random intervals of some magnitudes is that of their sorted list.
func TestMedian(t *testing.T) {
	for _, longest := range []uint64{1, 3, 1023, 1025, 5000, 1 << 21, 1 << 40, 1 << 58} {
		t.Run(fmt.Sprint("up to ", longest), func(t *testing.T) {
			dice := rand.New(rand.NewPCG(1, longest))
			for n := range 60 {
				var o ofType
				var intervals []uint64
				at := uint64(0)
				o.on(0).add(record{})
				for range n {
					d := dice.Uint64N(longest)
					if at+d < at {
						break
					}
					at += d
					o.on(0).add(record{ticks: at})
					intervals = append(intervals, d)
				}
				want := uint64(0)
				if slices.Sort(intervals); len(intervals) > 0 {
					want = intervals[len(intervals)/2]
				}
				expect.Equal(t, fmt.Sprint("median of ", n), o.median(1+n%3), want)
				expect.Stop(t)
			}
		})
	}
}
