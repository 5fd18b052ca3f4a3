package seekable_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/seekable"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// TestFrameCost measures how much larger a trace of several frames is than in one frame. The
// comment of FrameSize has the figures.
func TestFrameCost(t *testing.T) {
	tier.NeedsCheck(t) // it compresses 130 MB twice
	shared.Dir(t)      // the limit is about all traces: those of the repository alone need more
	frames, one := 0, 0
	for _, name := range shared.Traces(t) {
		plain := shared.Trace(t, name)
		if len(plain) <= seekable.FrameSize {
			continue
		}
		t.Run(name, func(t *testing.T) {
			several, single := len(written(t, plain, seekable.FrameSize)), len(written(t, plain, len(plain)))
			t.Logf("%.1f MiB: %d bytes, %+.2f %%", float64(len(plain))/(1<<20), several, 100*float64(several-single)/float64(single))
			frames, one = frames+several, one+single
		})
	}
	if one == 0 {
		t.Skip("no trace of several frames")
	}
	share := 100 * float64(frames-one) / float64(one)
	t.Logf("all: %d bytes, %+.2f %%", frames, share)
	expect.AtMost(t, "percent more", share, 1)
}
