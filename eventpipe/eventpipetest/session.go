//go:build unix

package eventpipetest

import (
	"encoding/binary"
	"io"
	"net"
	"sync"
	"time"

	"github.com/nettrace-go/nettrace/eventpipe"
)

// Session is a session that a client started.
type Session struct {
	// ID is the number of the session.
	ID uint64
	// Command is the CollectTracing command that started it.
	Command eventpipe.Command
	Config  eventpipe.SessionConfig // decoded from the request

	conn    net.Conn
	stopped chan struct{} // closed when the client stops the session or the runtime ends
	stop    sync.Once
	done    chan struct{} // closed after the last byte

	mu   sync.Mutex
	sent []byte
}

// Sent returns the bytes of the stream that the connection has accepted so far.
// A client that closed it early has not read all of them.
func (s *Session) Sent() []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sent[:len(s.sent):len(s.sent)]
}

// finish releases the rest of the stream and waits until the client has read it.
func (s *Session) finish() {
	s.stop.Do(func() { close(s.stopped) })
	<-s.done
}

// collectTracing starts a session, whose connection stays open.
func (r *Runtime) collectTracing(conn net.Conn, cmd eventpipe.Command, payload []byte) outcome {
	cfg, decided := decodeConfig(r.cfg.Release, cmd, payload)
	switch decided {
	case malformed:
		return r.refuse(conn, cmd, eventpipe.BadEncoding, "")
	case fatal:
		return dies
	case endless:
		return hangs
	case waits:
		io.Copy(io.Discard, conn)
		return r.refuse(conn, cmd, eventpipe.BadEncoding, "")
	}
	s := r.enter(&Session{Command: cmd, Config: cfg, conn: conn, stopped: make(chan struct{}), done: make(chan struct{})})
	if s == nil {
		return r.refuse(conn, cmd, eventpipe.Fail, "")
	}
	reply(conn, ok, binary.LittleEndian.AppendUint64(nil, s.ID))
	r.running.Go(func() { r.stream(s) })
	return stays
}

// enter gives a session the first free number. It returns nil when all numbers
// are in use.
func (r *Runtime) enter(s *Session) *Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	for n := range r.cfg.MaxSessions {
		id := 0x7FA73C002A70 + uint64(n)*0x90
		if r.active[id] == nil {
			s.ID = id
			r.active[id] = s
			r.sessions = append(r.sessions, s)
			return s
		}
	}
	return nil
}

// stopTracing answers when the stream has been read. For an unknown session it
// answers at once. Of an id that is cut, the releases before .NET 11 read the rest behind the
// message, here zeros.
func (r *Runtime) stopTracing(conn net.Conn, cmd eventpipe.Command, payload []byte) outcome {
	if len(payload) == 0 || len(payload) < 8 && r.cfg.Release >= 11 {
		return r.refuse(conn, cmd, eventpipe.BadEncoding, "")
	}
	payload = append(payload[:len(payload):len(payload)], make([]byte, 8)...)
	r.mu.Lock()
	s := r.active[binary.LittleEndian.Uint64(payload)]
	r.mu.Unlock()
	if s != nil && len(r.cfg.Trace.Endless) == 0 {
		s.finish()
	}
	reply(conn, ok, payload[:8])
	return closes
}

// stream sends the trace, and its last byte when the session is stopped.
func (r *Runtime) stream(s *Session) {
	defer func() {
		r.drop(s.conn)
		r.mu.Lock()
		delete(r.active, s.ID)
		r.mu.Unlock()
		close(s.done)
	}()
	if !r.begun(s) {
		return
	}
	trace, pos, begin := &r.cfg.Trace, 0, time.Now()
	for _, step := range trace.steps() {
		if !r.wait(s, time.Until(begin.Add(step.at))) || !s.send(trace.Data[pos:step.end]) {
			return
		}
		pos = step.end
	}
	if trace.cut() {
		return
	}
	for len(trace.Endless) > 0 {
		if _, err := s.conn.Write(trace.Endless); err != nil {
			return
		}
	}
	select {
	case <-s.stopped:
		s.send(trace.Data[pos:])
	case <-r.stopped:
	}
}

// begun waits until the runtime runs. It is false when the session is stopped
// before that, which the real runtime ends without a byte, and when the runtime
// is dead.
func (r *Runtime) begun(s *Session) bool {
	select {
	case <-r.resumed:
	case <-s.stopped:
		select {
		case <-r.resumed:
		default:
			return false
		}
	case <-r.stopped:
		return false
	}
	return true
}

// wait waits, unless the session is stopped. It is false when the runtime is
// dead.
func (r *Runtime) wait(s *Session, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.stopped:
	case <-r.stopped:
		return false
	}
	return true
}

// send writes to the connection and stores the bytes that were sent.
func (s *Session) send(b []byte) bool {
	const piece = 32 << 10
	for len(b) > 0 {
		n, err := s.conn.Write(b[:min(piece, len(b))])
		s.mu.Lock()
		s.sent = append(s.sent, b[:n]...)
		s.mu.Unlock()
		if err != nil {
			return false
		}
		b = b[n:]
	}
	return true
}
