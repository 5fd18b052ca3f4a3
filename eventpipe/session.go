package eventpipe

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Session is a running recording. Read returns the trace, from its header to
// its end mark, and then io.EOF. A runtime that exits writes its rundown and
// the end mark first; the trace of a killed process is truncated.
//
// Only one goroutine at a time may call Read. Other goroutines may call Finish,
// Stop and Close meanwhile.
type Session struct {
	// ID is the runtime's number for the session. The runtime uses it again after
	// the session's end.
	ID uint64
	// Command is the CollectTracing command that was accepted.
	Command Command

	client *Client
	conn   net.Conn
	begun  time.Time
	last   atomic.Int64  // time since begun of the last byte that was read, or of a stop
	ended  chan struct{} // closed when a Read has met the end, and by Close
	once   sync.Once

	mu     sync.Mutex
	reason error // why Finish has set a deadline in the past, or nil
}

// StartSession starts a recording. It sends the lowest version of
// CollectTracing that can express the configuration, but at least
// CollectTracing2. It falls back to a lower version only if that version means
// the same; otherwise the error is an [*UnsupportedError]. ctx bounds the start
// only.
//
// A runtime that is suspended at its start accepts the session and sends
// nothing before [Client.Resume], which has no effect on a running one. A
// session that is stopped before that ends without a byte.
//
// The caller must read the session to its end or close it: see [Session.Stop].
func (c *Client) StartSession(ctx context.Context, cfg SessionConfig) (*Session, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	lowest, feature := cfg.needs()
	for cmd := max(lowest, CollectTracing2); ; cmd-- {
		conn, reply, err := c.send(ctx, cmd, cfg.encode(cmd), c.Timeouts.answer())
		switch {
		case isUnknown(err) && cmd > lowest:
			continue
		case isUnknown(err):
			return nil, &UnsupportedError{Feature: feature, Command: cmd}
		case err != nil:
			return nil, err
		case len(reply) < 8:
			conn.Close()
			return nil, &ProtocolError{Command: cmd, What: "the answer has no session id"}
		}
		return &Session{ID: binary.LittleEndian.Uint64(reply), Command: cmd, client: c, conn: conn, begun: time.Now(), ended: make(chan struct{})}, nil
	}
}

// Read reads from the trace. It waits for as long as the runtime has nothing
// to send, unless [Session.Finish] fails: Read then returns the error of Finish.
func (s *Session) Read(p []byte) (int, error) {
	n, err := s.conn.Read(p)
	if n > 0 {
		s.last.Store(int64(time.Since(s.begun)))
	}
	switch {
	case err == nil:
		return n, nil
	case !errors.Is(err, os.ErrDeadlineExceeded):
		s.end()
		return n, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reason != nil {
		err = s.reason
	}
	return n, err
}

// ReadEvery makes Read look for data at most once in a time, at the same moments in all
// sessions, so that the program is not woken for each part that the runtime writes. Read
// looks more often while much arrives, and after Stop or Finish was called. Call it before
// the first Read, and no other method meanwhile. It has an effect on Unix only, and none if
// d is 0 or less. The error is one of the system; the session must then be closed.
func (s *Session) ReadEvery(d time.Duration) error {
	if d <= 0 {
		return nil
	}
	conn, err := pace(s.conn, d)
	if err == nil {
		s.conn = conn
	}
	return err
}

func (s *Session) end() { s.once.Do(func() { close(s.ended) }) }

// SetReadDeadline sets the deadline of Read, like that of a [net.Conn]. After a
// Read that exceeded the deadline, reading can continue with a later deadline,
// also after a failed Finish or Drain.
func (s *Session) SetReadDeadline(t time.Time) error { return s.setDeadline(t, nil) }

func (s *Session) setDeadline(t time.Time, reason error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reason = reason
	return s.conn.SetReadDeadline(t)
}

// Stop asks the runtime to end the session and waits for the answer. The
// runtime first sends its remaining events and the rundown, and answers when
// all of that has been read: another goroutine must read until io.EOF, or Stop
// waits until ctx ends or nothing was read for Timeouts.Stop. Stop returns nil if
// the session or its process has already ended.
//
// Stop does not bound the reading: a runtime can go on sending after its
// answer, or refuse to stop. [Session.Finish] bounds it.
func (s *Session) Stop(ctx context.Context) error {
	if p, ok := s.conn.(interface{ hurry() }); ok {
		p.hurry()
	}
	ctx, cancel := s.untilSilent(ctx)
	defer cancel()
	id := binary.LittleEndian.AppendUint64(nil, s.ID)
	_, err := s.client.ask(ctx, StopTracing, id, NoTimeout)
	var broken *ProtocolError
	switch {
	case err == errEnded || unreachable(err, NoSocket):
		return nil
	case errors.As(err, &broken): // the process may be ending
		select {
		case <-s.ended:
			return nil
		case <-time.After(time.Second):
		}
	}
	return err
}

// untilSilent returns a context that ends, with the reason as its cause, when the stream
// has ended, or when nothing of it was read for Timeouts.Stop.
func (s *Session) untilSilent(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	limit := s.client.Timeouts.stop()
	s.last.Store(int64(time.Since(s.begun)))
	go func() {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		for {
			select {
			case <-s.ended:
				cancel(errEnded)
				return
			case <-ctx.Done():
				return
			case <-timer.C:
			}
			silent := time.Since(s.begun) - time.Duration(s.last.Load())
			if silent >= limit {
				cancel(s.client.silence(limit))
				return
			}
			timer.Reset(limit - silent)
		}
	}()
	return ctx, func() { cancel(nil) }
}

// silence is the error of a stopped session that sends nothing.
func (c *Client) silence(limit time.Duration) error {
	e := &UnreachableError{PID: c.pid, Reason: NotAnswering, Path: c.path}
	if c.pid != 0 {
		e.Detail = Halted(c.pid)
	}
	if e.Detail == "" {
		e.Detail = fmt.Sprintf("after the session was stopped, nothing of its stream came for %v", limit)
	}
	return e
}

// errEnded reports that a session has already ended.
var errEnded = errors.New("eventpipe: the session has ended")

// Finish stops the session and waits until the goroutine that reads it has
// reached the end of the stream, or the session is closed. If Stop fails, or if
// ctx ends or nothing is read for Timeouts.Stop first, Finish returns the error,
// and Read returns the same error from then on; close the session then. Only ctx
// bounds a stream that goes on without an end. A reader that stops at the end mark
// of the trace, like those of package codec, does not reach the end of the stream:
// it must close the session or end ctx.
func (s *Session) Finish(ctx context.Context) error {
	ctx, cancel := s.untilSilent(ctx)
	defer cancel()
	err := s.Stop(ctx)
	if err == nil {
		<-ctx.Done() // the end of the stream ends it too
		err = context.Cause(ctx)
	}
	if err == errEnded {
		return nil
	}
	s.setDeadline(time.Unix(1, 0), err)
	return err
}

// Drain stops the session, reads the rest of the stream and discards it. It is
// Finish for the goroutine that reads. It returns the number of discarded
// bytes, and the error of Finish or of Read.
func (s *Session) Drain(ctx context.Context) (int64, error) {
	if err := s.SetReadDeadline(time.Time{}); err != nil { // that of a Finish that failed
		return 0, err
	}
	finished := make(chan error, 1)
	go func() { finished <- s.Finish(ctx) }()
	n, err := io.Copy(io.Discard, s)
	if failed := <-finished; failed != nil {
		err = failed
	}
	return n, err
}

// Close closes the connection of the session. If the stream has not ended, the
// runtime ends the session when it next sends something, and the data that it
// has not sent is lost. A blocked Read returns an error; Stop and Finish return
// nil.
func (s *Session) Close() error {
	s.end()
	return s.conn.Close()
}
