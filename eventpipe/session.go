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

// Session is a recording that goes on. What is read from it is a trace, from
// its header to its end mark, and then io.EOF. A runtime that ends writes its
// rundown and the end mark first; one that is killed leaves the trace as it is.
//
// Read is for one goroutine at a time; Stop and Close may be called beside it.
type Session struct {
	// ID is the runtime's number for the session. It is used again after the
	// session's end.
	ID uint64
	// Command is the CollectTracing command that was accepted.
	Command Command

	client *Client
	conn   net.Conn
	ended  chan struct{} // closed when a Read has met the end
	once   sync.Once
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
// to send.
func (s *Session) Read(p []byte) (int, error) {
	n, err := s.conn.Read(p)
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		s.once.Do(func() { close(s.ended) })
	}
	return n, err
}

// SetReadDeadline bounds Read, as that of a [net.Conn]; after a read that
// failed for that reason, reading may go on.
func (s *Session) SetReadDeadline(t time.Time) error { return s.conn.SetReadDeadline(t) }

// Stop asks the runtime to end the session and waits until it has. The runtime
// then sends what it still has and the rundown, and answers when all of that
// has been read: another goroutine must read on until io.EOF, or Stop waits for
// nothing until the context ends or Timeouts.Stop is over. A session that has
// ended already, with its process too, is no error.
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

// Drain is Stop for the goroutine that reads: it asks the runtime to end the
// session, reads what is left and throws it away. It returns the number of
// bytes thrown away. When the session cannot be stopped in time, reading ends
// with the reason.
func (s *Session) Drain(ctx context.Context) (int64, error) {
	stopped := make(chan error, 1)
	go func() {
		err := s.Stop(ctx)
		if err != nil {
			s.conn.SetReadDeadline(time.Unix(1, 0))
		}
		stopped <- err
	}()
	n, err := io.Copy(io.Discard, s)
	if failed := <-stopped; failed != nil {
		err = failed
	}
	return n, err
}

// Close gives the session up: the runtime ends it when it next has something
// to send, and what it had not sent is lost. Close after io.EOF frees the
// connection. A Read that waits returns with an error.
func (s *Session) Close() error { return s.conn.Close() }
