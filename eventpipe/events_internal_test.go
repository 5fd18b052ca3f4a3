package eventpipe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// played is a runtime whose connections are pipes, which have the clock of synctest.
type played struct {
	trace   []byte
	deaf    bool // it does not answer StopTracing
	endless bool // it answers StopTracing and goes on sending
	cut     int  // bytes of the trace that it does not send before it is killed

	mu      sync.Mutex
	stream  net.Conn
	killed  bool
	stopped chan struct{} // closed by StopTracing and by exit
	stop    sync.Once
	sent    chan struct{} // closed when the stream has ended
	ended   time.Time     // when it was asked to stop
}

func (p *played) open(context.Context) (net.Conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.killed {
		return nil, syscall.ECONNREFUSED
	}
	ours, theirs := net.Pipe()
	go p.serve(theirs)
	return ours, nil
}

func (p *played) serve(conn net.Conn) {
	cmd, _, err := readMessage(conn)
	switch {
	case err != nil:
		conn.Close()
	case cmd == StopTracing && p.deaf:
		_, _ = io.Copy(io.Discard, conn)
	case cmd == StopTracing:
		p.end()
		if !p.endless {
			<-p.sent
		}
		answer(conn, "12345678")
		conn.Close()
	default:
		p.stream = conn
		answer(conn, "12345678")
		p.send(conn)
	}
}

// send sends the trace, and its last byte after StopTracing.
func (p *played) send(conn net.Conn) {
	defer close(p.sent)
	defer conn.Close()
	last := len(p.trace) - 1 - p.cut
	_, err := conn.Write(p.trace[:last])
	<-p.stopped
	for p.endless && err == nil {
		time.Sleep(10 * time.Millisecond)
		_, err = conn.Write(make([]byte, 100))
	}
	if p.cut == 0 {
		_, _ = conn.Write(p.trace[last:])
	}
}

// end ends the stream.
func (p *played) end() {
	p.stop.Do(func() {
		p.ended = time.Now()
		close(p.stopped)
	})
}

// exit ends the stream and the process.
func (p *played) exit() {
	p.mu.Lock()
	p.killed = true
	p.mu.Unlock()
	p.end()
}

// TestEventsEnd: each end of an iteration has its error, and comes in its time.
func TestEventsEnd(t *testing.T) {
	for _, c := range []struct {
		name    string
		runtime *played
		opt     EventsOptions
		slow    time.Duration // that the caller takes for the first event
		after   func(p *played, cancel func())
		want    error
		cut     bool // the error is also ErrTruncated
		took    time.Duration
	}{
		{name: "cancel", after: func(_ *played, cancel func()) { cancel() }, want: context.Canceled},
		{name: "cancel, no answer", runtime: &played{deaf: true}, after: func(_ *played, cancel func()) { cancel() },
			want: context.Canceled, took: time.Second},
		{name: "cancel, no answer, Cleanup", runtime: &played{deaf: true}, opt: EventsOptions{Cleanup: 3 * time.Second},
			after: func(_ *played, cancel func()) { cancel() }, want: context.Canceled, took: 3 * time.Second},
		{name: "cancel, endless stream", runtime: &played{endless: true}, after: func(_ *played, cancel func()) { cancel() }, want: context.Canceled, took: time.Second},
		{name: "cancel, slow caller", slow: time.Minute, after: func(_ *played, cancel func()) { cancel() }, want: context.Canceled},
		{name: "exit", after: func(p *played, _ func()) { p.exit() }, want: ErrProcessEnded},
		{name: "killed", runtime: &played{cut: 9}, after: func(p *played, _ func()) { p.exit() }, want: ErrProcessEnded, cut: true},
		{name: "stopped by another client", after: func(p *played, _ func()) { p.end() }, want: ErrSessionEnded, took: endingTime},
		{name: "halted", runtime: &played{deaf: true}, opt: EventsOptions{Silence: 5 * time.Second},
			after: func(*played, func()) {}, want: &SilenceError{Silence: 5 * time.Second}, took: time.Second}, // of Cleanup, after the silence
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, trace := cmp.Or(c.runtime, &played{}), shared.Trace(t, "net10-empty.v4")
				if c.slow > 0 {
					trace = shared.Trace(t, "net10-counters.v4") // whose blocks have many events
				}
				p.trace, p.stopped, p.sent = trace, make(chan struct{}), make(chan struct{})
				client := &Client{open: p.open}
				s, err := client.StartSession(t.Context(), SessionConfig{Providers: []Provider{{Name: "P"}}})
				expect.NoError(t, err)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				const at = 10 * time.Second // when all has been read, and of after
				time.AfterFunc(at, func() { c.after(p, cancel) })
				begun, yielded := time.Now(), 0
				for e, err := range s.Events(ctx, c.opt) {
					if e != nil {
						yielded++
						time.Sleep(c.slow)
						continue
					}
					took := time.Since(begun) - max(at, c.slow)
					if c.opt.Silence > 0 {
						took = time.Since(begun) - c.opt.Silence
					}
					expect.Equal(t, "time", took, c.took)
					expect.Equal(t, "is the stream cut", errors.Is(err, codec.ErrTruncated), c.cut)
					var silent, want *SilenceError
					if errors.As(c.want, &want) && errors.As(err, &silent) {
						expect.Equal(t, "silence", *silent, *want)
					} else {
						expect.ErrorIs(t, err, c.want)
					}
				}
				expect.AtLeast(t, "events", yielded, 1)
				if c.slow > 0 {
					expect.Equal(t, "events, of which the second comes after the cancel", yielded, 1)
					expect.Equal(t, "time of the stop", p.ended.Sub(begun), at)
				}
				p.end()
				<-p.sent
				synctest.Wait()
			})
		})
	}
}

// TestEventsLeft: leaving the loop ends the session, without another value.
func TestEventsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &played{trace: shared.Trace(t, "net10-empty.v4"), stopped: make(chan struct{}), sent: make(chan struct{})}
		client := &Client{open: p.open}
		s, err := client.StartSession(t.Context(), SessionConfig{Providers: []Provider{{Name: "P"}}})
		expect.NoError(t, err)
		for _, err := range s.Events(t.Context(), EventsOptions{}) {
			expect.NoError(t, err)
			break
		}
		select {
		case <-p.sent:
		default:
			t.Error("the session has not ended")
		}
		_, err = s.Read(make([]byte, 1))
		expect.ErrorIs(t, err, io.ErrClosedPipe)
	})
}

// TestSilenceError says what is known.
func TestSilenceError(t *testing.T) {
	expect.Equal(t, "of a port", fmt.Sprint(&SilenceError{Silence: time.Second}), "eventpipe: nothing came for 1s")
	expect.Equal(t, "of a process", fmt.Sprint(&SilenceError{PID: 7, Silence: time.Second, Halted: "a debugger has stopped it"}),
		"eventpipe: process 7: nothing came for 1s: a debugger has stopped it")
}
