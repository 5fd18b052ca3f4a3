package codec_test

import (
	"math"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
)

func TestTimeRangeContains(t *testing.T) {
	from := codec.TimeRange{From: 10, HasFrom: true}
	to := codec.TimeRange{To: 20, HasTo: true}
	both := codec.TimeRange{From: 10, To: 20, HasFrom: true, HasTo: true}
	for _, c := range []struct {
		name  string
		in    codec.TimeRange
		ticks uint64
		want  bool
	}{
		{"zero range selects 0", codec.TimeRange{}, 0, true},
		{"zero range selects the maximum", codec.TimeRange{}, math.MaxUint64, true},
		{"bounds that are not set are ignored", codec.TimeRange{From: 10, To: 20}, 30, true},
		{"before from", from, 9, false},
		{"at from", from, 10, true},
		{"from alone selects the maximum", from, math.MaxUint64, true},
		{"before to", to, 19, true},
		{"at to", to, 20, false},
		{"to of 0 selects nothing", codec.TimeRange{HasTo: true}, 0, false},
		{"within both", both, 15, true},
		{"after both", both, 20, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.in.Contains(c.ticks); got != c.want {
				t.Errorf("%+v.Contains(%d) = %v, want %v", c.in, c.ticks, got, c.want)
			}
		})
	}
}

func TestTimeRangeClip(t *testing.T) {
	both := codec.TimeRange{From: 10, To: 20, HasFrom: true, HasTo: true}
	for _, c := range []struct {
		name       string
		in         codec.TimeRange
		start, end uint64
		from, to   uint64
		ok         bool
	}{
		{"zero range keeps the span", codec.TimeRange{}, 5, 25, 5, 25, true},
		{"span over both bounds", both, 5, 25, 10, 20, true},
		{"span over from", both, 5, 15, 10, 15, true},
		{"span over to", both, 15, 25, 15, 20, true},
		{"span that ends at from", both, 5, 10, 10, 10, false},
		{"span that starts at to", both, 20, 25, 20, 20, false},
		{"moment at from", both, 10, 10, 10, 10, true},
		{"moment at to", both, 20, 20, 20, 20, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			from, to, ok := c.in.Clip(c.start, c.end)
			if ok != c.ok {
				t.Fatalf("Clip(%d, %d) reports %v, want %v", c.start, c.end, ok, c.ok)
			}
			if ok && (from != c.from || to != c.to) {
				t.Errorf("Clip(%d, %d) = %d, %d, want %d, %d", c.start, c.end, from, to, c.from, c.to)
			}
		})
	}
}
