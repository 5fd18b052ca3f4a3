package collect

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
)

// TestHeed: only a second signal gives up the rest of a recording, whatever has
// stopped its session.
func TestHeed(t *testing.T) {
	for _, c := range []struct {
		name    string
		stopped error // by what, before the signals; nil: it runs
		signals int
		given   bool   // up
		want    string // in the message
	}{
		{"the first signal", nil, 1, false, ""},
		{"the second signal", nil, 2, true, ""},
		{"the first after --duration", errTimeOver, 1, false, "a second signal ends the recording without it"},
		{"the second after --duration", errTimeOver, 2, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stderr bytes.Buffer
			r := &collecting{p: &run.Program{Stderr: &stderr}}
			r.stop, r.cease = context.WithCancelCause(t.Context())
			r.giveUp, r.abort = context.WithCancelCause(t.Context())
			r.running.Add(1)
			if c.stopped != nil {
				r.cease(c.stopped)
			}
			for n := range c.signals {
				r.handleSignal(n + 1)
			}
			if r.stop.Err() == nil {
				t.Error("the session is not stopped")
			}
			if given := r.giveUp.Err() != nil; given != c.given {
				t.Errorf("given up: %v, want %v", given, c.given)
			}
			if !strings.Contains(stderr.String(), c.want) {
				t.Errorf("stderr %q, want %q", stderr.String(), c.want)
			}
		})
	}
}
