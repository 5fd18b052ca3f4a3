//go:build unix

package units_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/units"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestPercent: a % may follow the number.
func TestPercent(t *testing.T) {
	for _, c := range []struct {
		text string
		want float64
		ok   bool
	}{
		{"10", 10, true}, {"10%", 10, true}, {"0.5%", 0.5, true}, {"%", 1, false}, {"10%%", 1, false}, {"x", 1, false},
	} {
		t.Run(c.text, func(t *testing.T) {
			var got float64
			v := units.Percent(&got, 1)
			expect.Equal(t, "default", v.String(), "1")
			expect.Equal(t, "is a percentage", v.Set(c.text) == nil, c.ok)
			expect.Equal(t, "value", got, c.want)
		})
	}
}

func TestParseSize(t *testing.T) {
	for text, want := range map[string]int64{"500MB": 500e6, "1GiB": 1 << 30, "1.5kb": 1500, "7B": 7, "2m": 2e6, " 3 KiB": 3072} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			if n, err := units.ParseSize(text); err != nil || n != want {
				t.Errorf("%d, %v; want %d", n, err, want)
			}
		})
	}
	for _, text := range []string{"", "5", "MB", "-1MB", "0MB", "1e300GB", "NaNMB", "x"} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			if n, err := units.ParseSize(text); err == nil {
				t.Errorf("%d, no error", n)
			}
		})
	}
}

func TestParseLimit(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"": 0, "30s": 30 * time.Second, "1m30s": 90 * time.Second, "00:00:00:05": 5 * time.Second, "01:02:03:04": 26*time.Hour + 3*time.Minute + 4*time.Second, "01:02": time.Hour + 2*time.Minute,
		"01:02:03": time.Hour + 2*time.Minute + 3*time.Second, "1.02:03": 26*time.Hour + 3*time.Minute, "0.00:00:01": time.Second, "0:0:1.5": 1500 * time.Millisecond,
	} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			if got, err := units.ParseDuration(text); err != nil || got != want {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
	for _, text := range []string{"0s", "-1s", "5", "00:60", "24:00:00", "1:2:3:4:5", "240000h", "1:2.5", "a:b", "00:00"} {
		t.Run(fmt.Sprintf("%q", text), func(t *testing.T) {
			if got, err := units.ParseDuration(text); err == nil {
				t.Error(got)
			}
		})
	}
}
