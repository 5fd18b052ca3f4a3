package filter

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
)

func TestPeriodTicks(t *testing.T) {
	sync := time.Date(2026, 11, 21, 2, 24, 4, 500_000_000, time.UTC)
	clock := &codec.Trace{SyncTicks: 1000, TickFrequency: 3, SyncTime: sync}
	late := &codec.Trace{SyncTicks: math.MaxUint64 - 5, TickFrequency: 10}
	fast := &codec.Trace{SyncTicks: 1000, TickFrequency: 1 << 40}
	none := codec.TimeRange{From: math.MaxUint64, HasFrom: true, To: math.MaxUint64, HasTo: true}
	from := func(ticks uint64) codec.TimeRange { return codec.TimeRange{From: ticks, HasFrom: true} }
	to := func(ticks uint64) codec.TimeRange { return codec.TimeRange{To: ticks, HasTo: true} }
	for _, c := range []struct {
		name     string
		clock    *codec.Trace
		from, to string
		want     codec.TimeRange
	}{
		{"no bounds", clock, "", "", codec.TimeRange{}},
		{"no trace", nil, "1s", "2s", codec.TimeRange{}},
		{"2s", clock, "2s", "", from(1006)},
		{"1m", clock, "1m", "", from(1180)},
		{"0s", clock, "+0s", "", from(1000)},
		{"before a tick", clock, "333333333ns", "", from(1001)},
		{"after a tick", clock, "333333334ns", "", from(1002)},
		{"-1s", clock, "-1s", "", from(997)},
		{"-100ms", clock, "-100ms", "", from(1000)},
		{"-400ms", clock, "-400ms", "", from(999)},
		{"from before tick 0", clock, "-10m", "", from(0)},
		{"to before tick 0", clock, "", "-10m", to(0)},
		{"both before tick 0", clock, "-2h", "-1h", codec.TimeRange{HasFrom: true, HasTo: true}},
		{"calendar", clock, "2026-11-21T02:24:05.5Z", "", from(1003)},
		{"calendar with a zone", clock, "2026-11-21T03:24:05.5+01:00", "", from(1003)},
		{"calendar before tick 0", clock, "1800-01-01T00:00:00Z", "", from(0)},
		{"both", clock, "1s", "2s", codec.TimeRange{From: 1003, HasFrom: true, To: 1006, HasTo: true}},
		{"from after the last tick", late, "1s", "", none},
		{"from after the last tick, to later", late, "1s", "2s", none},
		{"to after the last tick", late, "", "1s", codec.TimeRange{}},
		{"the last tick", late, "500ms", "", from(math.MaxUint64)},
		{"product above 64 bits", fast, "2000h", "", from(1000 + 2000*3600<<40)},
		{"quotient above 64 bits", fast, "200000h", "", none},
		{"quotient above 64 bits, negative", fast, "-200000h", "", from(0)},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := periodOf(t, c.from, c.to)
			if got, err := p.Ticks(c.clock); err != nil || got != c.want {
				t.Errorf("got %+v, %v; want %+v", got, err, c.want)
			}
		})
	}
}

func TestPeriodWithoutClock(t *testing.T) {
	for _, c := range []struct {
		name  string
		clock *codec.Trace
		from  string
	}{
		{"no frequency", &codec.Trace{SyncTime: time.Now()}, "1s"},
		{"no sync time", &codec.Trace{TickFrequency: 1}, "2026-11-21T02:24:05.5Z"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := periodOf(t, c.from, "")
			if _, err := p.Ticks(c.clock); err == nil || !strings.Contains(err.Error(), "--from: the trace has no clock") {
				t.Errorf("got error %v, want one about the clock", err)
			}
		})
	}
}

func periodOf(t *testing.T, from, to string) *Period {
	t.Helper()
	var p Period
	var err error
	if p.from, err = ParseMoment("from", from); err != nil {
		t.Fatal(err)
	}
	if p.to, err = ParseMoment("to", to); err != nil {
		t.Fatal(err)
	}
	return &p
}
