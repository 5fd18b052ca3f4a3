package eventpipe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nettrace-go/nettrace/codec"
)

// EventsOptions configure [Session.Events]. The zero value is right for most programs.
type EventsOptions struct {
	// Reading are the options of the Reader of the stream, such as Schemas and OnLost.
	Reading codec.Options
	// Silence is the longest time in which the iteration waits for a byte of the stream, after
	// which it ends with a [*SilenceError]. The time in which the caller handles an event does
	// not count. A session of events that come rarely is silent too. 0 means no bound.
	Silence time.Duration
	// Cleanup is the longest time that the end of the session takes; default 1 s. After it
	// the connection is closed, and the runtime ends the session when it next sends something.
	Cleanup time.Duration
}

const defaultCleanup = time.Second

// ErrProcessEnded is the error of [Session.Events] for a process that has ended. If the process
// ended without writing the end of the stream, as after SIGKILL, the error is also that of
// reading, such as [codec.ErrTruncated]: what the process had not sent is lost.
var ErrProcessEnded = errors.New("eventpipe: the process has ended")

// ErrSessionEnded is the error of [Session.Events] for a session that ended although nobody here
// stopped it and its process runs: another client has stopped it.
var ErrSessionEnded = errors.New("eventpipe: the session has ended, and its process runs")

// SilenceError reports that nothing of a stream came for [EventsOptions.Silence].
type SilenceError struct {
	PID     int           // in the caller's namespace; 0 if unknown
	Silence time.Duration // in which nothing came
	Halted  string        // why the process executes nothing, see [Halted]; "" if it runs or if that is unknown
}

// Error says why the process is silent, if that is known.
func (e *SilenceError) Error() string {
	text := fmt.Sprintf("eventpipe: nothing came for %v", e.Silence)
	if e.PID != 0 {
		text = fmt.Sprintf("eventpipe: process %d: nothing came for %v", e.PID, e.Silence)
	}
	if e.Halted != "" {
		text += ": " + e.Halted
	}
	return text
}

// Events yields the events of the session until ctx or the process ends, and ends the session:
// no other method of the session is needed. Each event is valid until the next one. The
// last value of an iteration that the caller does not leave is an error that says what ended it:
//
//   - the cause of ctx. Events that the session still has are discarded.
//   - ErrProcessEnded, ErrSessionEnded: all events of the stream have been yielded.
//   - a *SilenceError: the process is stopped, or had nothing to send.
//   - an error of the Reader: the stream is malformed.
//
// When ctx ends, the session ends within Cleanup, also if the caller handles an event
// for longer; Events returns when the session has ended and the caller has handled the event.
func (s *Session) Events(ctx context.Context, opt EventsOptions) iter.Seq2[*codec.Event, error] {
	return func(yield func(*codec.Event, error) bool) {
		r := &reading{session: s, opt: opt, ended: make(chan struct{})}
		stop := context.AfterFunc(ctx, func() { r.end(context.Cause(ctx)) })
		left, err := r.run(yield)
		if !left && r.cause() == nil {
			err = r.why(ctx, err)
		}
		if stop() {
			r.end(err)
		}
		<-r.ended
		if !left {
			yield(nil, r.cause())
		}
	}
}

// reading is one call of Events.
type reading struct {
	session *Session
	opt     EventsOptions
	over    atomic.Bool   // no further event is yielded
	ended   chan struct{} // closed when the session has ended

	reads sync.Mutex // held while the session is read

	mu    sync.Mutex
	first error // of the errors that ended it
}

// run yields the events. It reports whether the caller has left, and the error of reading.
func (r *reading) run(yield func(*codec.Event, error) bool) (left bool, err error) {
	for e, err := range codec.NewReader(r, r.opt.Reading).Events() {
		switch {
		case err != nil:
			return false, err
		case r.over.Load():
			return false, nil
		case !yield(e, nil):
			return true, nil
		}
	}
	return false, nil
}

// Read reads the stream for the Reader.
func (r *reading) Read(p []byte) (int, error) {
	r.reads.Lock()
	defer r.reads.Unlock()
	if err := r.wait(); err != nil {
		return 0, err
	}
	n, err := r.session.Read(p)
	switch {
	case !errors.Is(err, os.ErrDeadlineExceeded):
		if isReset(err) {
			err = io.EOF
		}
		return n, err
	case r.cause() != nil:
		return n, r.cause()
	}
	return n, &SilenceError{PID: r.session.client.pid, Silence: r.opt.Silence, Halted: Halted(r.session.client.pid)}
}

// wait begins the time of Silence. It returns the error of an iteration that is over.
func (r *reading) wait() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.first != nil || r.opt.Silence <= 0 {
		return r.first
	}
	return r.session.SetReadDeadline(time.Now().Add(r.opt.Silence))
}

func (r *reading) cause() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.first
}

// end ends the session within Cleanup, because of an error or, without one, because the caller
// has left.
func (r *reading) end(err error) {
	defer close(r.ended)
	r.mu.Lock()
	r.first = err
	_ = r.session.SetReadDeadline(time.Unix(1, 0)) // ends the waiting of Read
	r.mu.Unlock()
	r.over.Store(true)
	r.reads.Lock()
	defer r.reads.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), orDefault(r.opt.Cleanup, defaultCleanup))
	defer cancel()
	_, _ = r.session.Drain(ctx) // Close ends what does not end
	_ = r.session.Close()
}

// why says why a stream has ended by itself.
func (r *reading) why(ctx context.Context, err error) error {
	if err != nil && !errors.Is(err, codec.ErrTruncated) && !errors.Is(err, io.EOF) {
		return err
	}
	reason := ErrSessionEnded
	if r.session.client.hasEnded(ctx) {
		reason = ErrProcessEnded
	}
	if err != nil {
		return fmt.Errorf("%w, and its stream is cut: %w", reason, err)
	}
	return reason
}

// The end of a process is looked for after the end of its streams, which it ends first.
const (
	endingTime = time.Second
	endingLook = 50 * time.Millisecond
)

// hasEnded reports whether the process ends about now.
func (c *Client) hasEnded(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, endingTime)
	defer cancel()
	tick := time.NewTicker(endingLook)
	defer tick.Stop()
	for ctx.Err() == nil {
		if c.pid != 0 && isGone(c.pid) {
			return true
		}
		conn, err := c.open(ctx)
		switch {
		case err == nil:
			conn.Close() // a runtime does not mind
		case ctx.Err() == nil:
			return true
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	return false
}
