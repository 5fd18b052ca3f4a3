package codec

import (
	"fmt"
	"math"
	"testing"
	"time"
)

func TestTraceClock(t *testing.T) {
	sync := time.Date(2026, 11, 21, 2, 0, 14, 171e6, time.UTC)
	for _, frequency := range []uint64{1e9, 1e7, 3124099, 1, math.MaxInt64} {
		t.Run(fmt.Sprintf("frequency=%v", frequency), func(t *testing.T) {
			trace := Trace{SyncTime: sync, SyncTicks: 1 << 50, TickFrequency: frequency}
			for _, d := range []time.Duration{0, 1, -1, time.Second, -time.Second, 90 * time.Minute, -36 * time.Hour, 1500 * time.Millisecond} {
				t.Run(fmt.Sprint(d), func(t *testing.T) {
					if frequency > 1e9 && d != 0 && d != time.Second && d != 1 {
						return // beyond the reach of 64-bit ticks
					}
					ticks := trace.Ticks(d)
					back := trace.Since(ticks)
					if step := time.Duration(1e9/min(frequency, 1e9)) + 1; back > d || back < d-step {
						t.Errorf("frequency %d: %v comes back as %v", frequency, d, back)
					}
					if at := trace.Time(ticks); !at.Equal(sync.Add(back)) {
						t.Errorf("frequency %d: %v is at %v", frequency, d, at)
					}
				})
			}
		})
	}
	trace := Trace{SyncTime: sync, SyncTicks: 1000, TickFrequency: 1}
	if trace.Since(1<<63) != math.MaxInt64 && trace.Since(1<<63) != math.MinInt64 {
		t.Errorf("a far time: %v", trace.Since(1<<63))
	}
	if got := trace.Time(1001); got.Sub(sync) != time.Second {
		t.Errorf("one tick: %v", got)
	}
	var none Trace
	if !none.Time(5).IsZero() || none.Since(5) != 0 {
		t.Error("a trace without a clock has times")
	}
}
