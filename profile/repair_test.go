package profile_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
)

// TestCutAndCompare truncates complete stacks, repairs them, and compares each
// with the original.
func TestCutAndCompare(t *testing.T) {
	if shared.Race {
		t.Skip("the race detector: large traces, one goroutine")
	}
	for _, c := range []struct {
		trace        string
		depth        int
		cut          int     // samples
		exact, wrong float64 // minimum and maximum in percent
	}{
		{"roslyn-net10-cpu.v4", 40, 12627, 98, 0.3},
		{"azmcp-net10-cpu.v4", 40, 1275, 90, 0.8},
		{"azmcp-net10-cpu.v4", 25, 1901, 83, 1.3},
		{"aspnet-net10.v4", 25, 367, 43, 0.6},
	} {
		t.Run(fmt.Sprintf("%s at %d", c.trace, c.depth), func(t *testing.T) {
			whole := read(t, c.trace, profile.Options{NoRepair: true, RuntimeHelpers: true})
			begin := time.Now()
			repaired := readAt(c.depth, t, c.trace, profile.Options{RuntimeHelpers: true})
			took := time.Since(begin)
			var cut, exact, left int
			each(whole, repaired, profile.Wall, func(was, is profile.Sample) {
				original := addresses(whole, was.Stack)
				if len(original) >= 100 || len(original) < c.depth {
					return
				}
				cut++
				switch {
				case is.Status == profile.Truncated:
					left++
				case slices.Equal(original, addresses(repaired, is.Stack)):
					exact++
				}
			})
			percent := func(n int) float64 { return 100 * float64(n) / float64(cut) }
			t.Logf("%d truncated; %.2f %% exact, %.2f %% wrong, %.2f %% left, %v, %+v", cut, percent(exact), percent(cut-exact-left), percent(left), took, repaired.Repaired)
			expect.Equal(t, "cut", cut, c.cut)
			expect.AtLeast(t, "percent(exact)", percent(exact), c.exact)
			expect.AtMost(t, "percent(cut-exact-left)", percent(cut-exact-left), c.wrong)
		})
	}
}

// each yields the samples of two profiles of one trace, pair by pair.
func each(a, b *profile.Profile, of profile.Type, f func(a, b profile.Sample)) {
	second := slices.Collect(b.Samples(of))
	i := 0
	for s := range a.Samples(of) {
		f(s, second[i])
		i++
	}
}

// addresses are those of a stack, leaf first.
func addresses(p *profile.Profile, id profile.StackID) []uint64 {
	var list []uint64
	for _, f := range p.Stack(id) {
		list = append(list, p.Frame(f).Address)
	}
	return list
}
