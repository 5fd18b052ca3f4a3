package browser

import (
	"strconv"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// durations are texts that Go parses as a duration, or refuses.
var durations = []string{"0", "1s", "1.5s", "-2m", "1h2m3.000000004s", "100ns", "1us", "1µs", ".5ms", "5.s", "+3s", "", "s", "1", "1.s2", "1 s", "3x", "1e3s", "..1s"}

// TestDurations: the page parses durations as Go does.
func TestDurations(t *testing.T) {
	p := open(t, reported(t, "net10-mix-gc.v4"))
	for _, text := range durations {
		t.Run(text, func(t *testing.T) {
			want := "none"
			if d, err := time.ParseDuration(text); err == nil {
				want = d.String()
			}
			var got string
			p.evaluate(t, "nettrace.duration("+quoted(text)+")", &got)
			if got != "none" {
				d, err := time.ParseDuration(got + "ns")
				if err != nil {
					t.Fatal(err)
				}
				got = d.String()
			}
			expect.Equal(t, "duration", got, want)
		})
	}
}

// TestExactFlags: a time that the page writes as a flag is the same for the program.
func TestExactFlags(t *testing.T) {
	p := open(t, reported(t, "net10-mix-gc.v4"))
	for _, ns := range []int64{0, 1, 999, 1000, 1001, 123456789, 1e9, 1e9 + 1, 24_389_802_580, -5, -1_500_000_001} {
		var text string
		p.evaluate(t, "nettrace.flag("+strconv.FormatInt(ns, 10)+")", &text)
		d, err := time.ParseDuration(text)
		if err != nil {
			t.Errorf("%d: %v", ns, err)
		}
		expect.Equal(t, text, int64(d), ns)
	}
}
