package eventpipe

import (
	"context"
	"io"
	"time"
)

// Nudge opens a second session of a provider for a time, discards what it records, and returns
// some time after its end. An event source that keeps events back learns of both changes, and
// writes what it has into the sessions that stay open: the async profiler of .NET 11 does that at
// the next record of each thread, and within about a second for threads without one. A session
// that is stopped loses what is not written.
//
// The error is that of opening the second session. ctx ends the waiting.
func (c *Client) Nudge(ctx context.Context, p Provider, open, after time.Duration) error {
	session, err := c.StartSession(ctx, SessionConfig{BufferMB: nudgeMB, Providers: []Provider{p}, NoRundown: true})
	if err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.Copy(io.Discard, session)
	}()
	wait := func(d time.Duration) {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
	}
	wait(open)
	_ = session.Finish(ctx) // a process that does not answer is found by the first session
	session.Close()
	<-ended
	wait(after)
	return nil
}

// nudgeMB is the size of the buffer of a session whose events are discarded.
const nudgeMB = 4
