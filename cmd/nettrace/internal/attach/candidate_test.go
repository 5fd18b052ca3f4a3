//go:build unix

package attach

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestAsk asks a process that does not answer, and one that cannot report its
// version.
func TestAsk(t *testing.T) {
	t.Run("silent", func(t *testing.T) {
		silent := eventpipetest.Start(t, eventpipetest.Config{Faults: map[eventpipe.Command]eventpipetest.Fault{eventpipe.GetProcessInfo3: eventpipetest.Silent()}})
		c := ask(t.Context(), eventpipe.Process{Address: silent.Address()}, 10*time.Millisecond)
		if !errors.Is(c.Err, context.DeadlineExceeded) { // os.ErrDeadlineExceeded is that of the client, after 5 s
			t.Errorf("c.Err: got %v, want %v", c.Err, context.DeadlineExceeded)
		}
	})
	t.Run("old", func(t *testing.T) {
		old := eventpipetest.Start(t, eventpipetest.Config{Release: 3})
		c := ask(t.Context(), eventpipe.Process{Address: old.Address()}, time.Minute)
		expect.NoError(t, c.Err)
		expect.Equal(t, "c.Info.Version", c.Info.Version, "3.x")
	})
}
