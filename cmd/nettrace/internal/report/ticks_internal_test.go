package report

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestTicksAt: a moment has the tick that it was made from, for clocks whose tick is no whole number of nanoseconds too.
func TestTicksAt(t *testing.T) {
	for _, frequency := range []uint64{1e9, 1e7, 2_441_437, 24_000_000, 0} {
		header := &codec.Trace{SyncTicks: 1_000_000, TickFrequency: frequency}
		for _, ticks := range []uint64{0, 999_999, 1_000_000, 1_000_001, 1_000_007, 77_777_777_777} {
			nanos := int64(ticks - header.SyncTicks)
			if frequency > 0 {
				nanos = int64(header.Since(ticks))
			}
			if got := ticksAt(header, nanos); got != ticks {
				t.Errorf("%d ticks a second: tick %d, want %d", frequency, got, ticks)
			}
		}
	}
}

// TestWithTicks: moments get ticks, times and texts do not.
func TestWithTicks(t *testing.T) {
	header := &codec.Trace{SyncTicks: 5000, TickFrequency: 1e9}
	got := withTicks([]byte(`{"startNs":12,"totalNs":4,"text":"\"startNs\":1","longest":{"pauseStartNs":-3}}`), header)
	expect.Equal(t, "JSON", string(got), `{"startNs":12,"startTicks":"5012","totalNs":4,"text":"\"startNs\":1","longest":{"pauseStartNs":-3,"pauseStartTicks":"4997"}}`)
}
