package eventpipe

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestReverseWait: a command waits for the next connection of a runtime as long as for an
// answer, unless Timeouts.Connect is set.
func TestReverseWait(t *testing.T) {
	for _, c := range []struct {
		name     string
		timeouts Timeouts
		want     time.Duration
	}{
		{"default", Timeouts{}, 5 * time.Second},
		{"as for an answer", Timeouts{Answer: time.Minute}, time.Minute},
		{"Connect", Timeouts{Connect: 2 * time.Second, Answer: time.Minute}, 2 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := (&Runtime{arrived: make(chan struct{})}).Client()
				client.Timeouts = c.timeouts
				begun := time.Now()
				err := client.Resume(t.Context())
				expect.Equal(t, "time", time.Since(begun), c.want)
				var failed *UnreachableError
				if !errors.As(err, &failed) || failed.Reason != NotAnswering {
					t.Errorf("error: got %v, want one with the reason %v", err, NotAnswering)
				}
			})
		})
	}
}
