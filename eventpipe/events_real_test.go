//go:build linux

package eventpipe_test

import (
	"context"
	"errors"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// TestEventsRealEnd ends sessions of counters of a real process in each way: the time and the error.
func TestEventsRealEnd(t *testing.T) {
	tier.NeedsCheck(t) // starts a process for each way
	counters := eventpipe.SessionConfig{NoRundown: true, Providers: []eventpipe.Provider{{Name: "System.Runtime", Level: 4, Arguments: "EventCounterIntervalSec=1"}}}
	kill := func(s os.Signal) func(*os.Process, func()) { return func(p *os.Process, _ func()) { _ = p.Signal(s) } }
	cancel := func(_ *os.Process, cancel func()) { cancel() }
	for _, c := range []struct {
		name string
		opt  eventpipe.EventsOptions
		slow time.Duration // for which the caller handles the event that comes after the end has begun
		end  func(p *os.Process, cancel func())
		want error
		cut  bool
		most time.Duration
	}{
		{name: "cancel", end: cancel, want: context.Canceled, most: 1500 * time.Millisecond},
		{name: "cancel, slow caller", slow: 2 * time.Second, end: cancel, want: context.Canceled, most: 2500 * time.Millisecond},
		{name: "SIGTERM", end: kill(syscall.SIGTERM), want: eventpipe.ErrProcessEnded, cut: true, most: 2 * time.Second}, // .NET 10 dies of it
		{name: "SIGKILL", end: kill(syscall.SIGKILL), want: eventpipe.ErrProcessEnded, cut: true, most: 2 * time.Second},
		{name: "SIGKILL, slow caller", slow: 2 * time.Second, end: kill(syscall.SIGKILL), want: eventpipe.ErrProcessEnded, cut: true, most: 4 * time.Second},
		{name: "SIGSTOP", opt: eventpipe.EventsOptions{Silence: 3 * time.Second}, end: kill(syscall.SIGSTOP), want: &eventpipe.SilenceError{}, most: 4500 * time.Millisecond},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd, process := startCorners(t, "loop", "300", "cpu")
			session, err := process.Client().StartSession(t.Context(), counters)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var begun time.Time
			for _, err := range session.Events(ctx, c.opt) {
				switch {
				case err == nil && begun.IsZero():
					begun = time.Now()
					c.end(cmd.Process, cancel)
					time.Sleep(c.slow)
				case err != nil:
					took := time.Since(begun)
					t.Logf("%s: %v, %v", c.name, took.Round(time.Millisecond), err)
					expect.AtMost(t, "time", took, c.most)
					expect.Equal(t, "is the stream cut", errors.Is(err, codec.ErrTruncated), c.cut)
					var silent *eventpipe.SilenceError
					if errors.As(c.want, &silent) {
						expect.Equal(t, "is it silent", errors.As(err, &silent), true)
						expect.Equal(t, "why", silent.Halted, eventpipe.Halted(process.PID))
					} else {
						expect.ErrorIs(t, err, c.want)
					}
				}
			}
			_ = cmd.Process.Signal(syscall.SIGCONT)
		})
	}
}
