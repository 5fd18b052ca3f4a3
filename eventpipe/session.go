package eventpipe

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// Session is a running recording. Read returns the trace, from its header to its
// end mark, and then io.EOF. A runtime that exits writes its rundown and the end
// mark first; the trace of one that is killed is truncated.
//
// Read is for one goroutine at a time; Finish, Stop and Close may be called from
// others meanwhile.
type Session struct {
	// ID is the runtime's number for the session. The runtime uses it again after
	// the session's end.
	ID uint64
	// Command is the CollectTracing command that was accepted.
	Command Command

	client *Client
	conn   net.Conn
	ended  chan struct{} // closed when a Read has met the end, and by Close
	once   sync.Once

	mu     sync.Mutex
	reason error // why Finish has set a deadline in the past, or nil
}

// StartSession starts a recording. It takes the lowest version of
// CollectTracing that can say all that the configuration asks; a runtime that
// does not know it is asked with a lower one only if that says the same, and
// otherwise the error is an [*UnsupportedError]. The context bounds the start
// alone.
//
// A runtime that is suspended at its start accepts the session and sends nothing
// before [Client.Resume], which has no effect on one that runs. A session that is
// stopped before that ends without a byte.
//
// The session must be read: see [Session.Stop].
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
			return nil, &ProtocolError{cmd, "the answer has no session id"}
		}
		return &Session{ID: binary.LittleEndian.Uint64(reply), Command: cmd, client: c, conn: conn, ended: make(chan struct{})}, nil
	}
}

// Read reads from the trace. It waits for as long as the runtime has nothing
// to send, unless [Session.Finish] fails: Read then returns the error of Finish.
func (s *Session) Read(p []byte) (int, error) {
	n, err := s.conn.Read(p)
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

func (s *Session) end() { s.once.Do(func() { close(s.ended) }) }

// SetReadDeadline bounds Read, as that of a [net.Conn]. After a Read that failed
// for that reason, reading may go on, also after a failed Finish or Drain.
func (s *Session) SetReadDeadline(t time.Time) error { return s.setDeadline(t, nil) }

func (s *Session) setDeadline(t time.Time, reason error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reason = reason
	return s.conn.SetReadDeadline(t)
}

// Stop asks the runtime to end the session and waits for the answer. The runtime
// first sends what it still has and the rundown, and answers when all of that
// has been read: another goroutine must read until io.EOF, or Stop waits until
// ctx ends or Timeouts.Stop is over. A session that has ended already, with its
// process too, is no error.
//
// Stop does not bound the reading: a runtime may send without end although it has
// answered, or refuse to stop. [Session.Finish] does.
func (s *Session) Stop(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-s.ended:
			cancel(errEnded)
		case <-ctx.Done():
		}
	}()
	id := binary.LittleEndian.AppendUint64(nil, s.ID)
	_, err := s.client.ask(ctx, StopTracing, id, s.client.Timeouts.stop())
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

// errEnded says that a session needs no stopping any more.
var errEnded = errors.New("the session has ended")

// Finish stops the session and waits until the goroutine that reads it has met
// the end of the stream, or the session is closed. When Stop fails, or ctx ends
// or Timeouts.Stop is over first, Finish returns why, and Read returns the same
// error from then on; the session should be closed. A reader that stops at the
// end mark of the trace, as those of package codec do, does not meet the end of
// the stream: it closes the session, or ends ctx.
func (s *Session) Finish(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, s.client.Timeouts.stop(), errEndless)
	defer cancel()
	err := s.Stop(ctx)
	if err == nil {
		select {
		case <-s.ended:
			return nil
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	s.setDeadline(time.Unix(1, 0), err)
	return err
}

// errEndless is why Finish gives up after the time of Timeouts.Stop.
var errEndless = errors.New("eventpipe: the stream did not end in time after the session was stopped")

// Drain is Finish for the goroutine that reads: it stops the session, reads the
// rest of the stream and discards it. It returns the number of discarded bytes,
// and the error of Finish where that fails.
func (s *Session) Drain(ctx context.Context) (int64, error) {
	finished := make(chan error, 1)
	go func() { finished <- s.Finish(ctx) }()
	n, err := io.Copy(io.Discard, s)
	if failed := <-finished; failed != nil {
		err = failed
	}
	return n, err
}

// Close closes the connection of the session. Before io.EOF that gives the session
// up: the runtime ends it when it next has something to send, and what it had not
// sent is lost. A Read that waits returns with an error, and Stop and Finish
// return nil.
func (s *Session) Close() error {
	s.end()
	return s.conn.Close()
}
