package eventpipe

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"time"
)

// Runtime is a runtime that has connected to a [Listener].
type Runtime struct {
	Cookie [16]byte // random number of the runtime, the same on all its connections
	NSPID  int      // process id in the process's own namespace
	PID    int      // in the caller's namespace; 0 if the system does not report it

	path    string
	mu      sync.Mutex
	waiting *waiting      // the newest connection, or nil
	arrived chan struct{} // closed and replaced when a new connection arrives
}

// Client returns a client of the runtime. Its commands use the connections that
// the runtime opens.
func (r *Runtime) Client() *Client {
	return &Client{open: r.open, reverse: true, pid: r.PID, path: r.path, root: rootOf(r.PID)}
}

// waiting is a connection on which no command was sent yet. It is watched, so
// that connections of ended runtimes are closed.
type waiting struct {
	conn    net.Conn
	watched chan struct{} // closed when the watch has ended
	gone    bool          // the other end closed it; good after watched
}

func (w *waiting) watch() {
	var b [1]byte
	_, err := w.conn.Read(b[:])
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		w.gone = true
		w.conn.Close()
	}
	close(w.watched)
}

// take ends the watch. It returns false if the other end has closed.
func (w *waiting) take() bool {
	w.conn.SetReadDeadline(time.Unix(1, 0))
	<-w.watched
	w.conn.SetReadDeadline(time.Time{})
	return !w.gone
}

// replace makes conn, which may be nil, the one that waits.
func (r *Runtime) replace(conn net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.waiting != nil {
		r.waiting.conn.Close()
		<-r.waiting.watched
	}
	r.waiting = nil
	if conn == nil {
		return
	}
	r.waiting = &waiting{conn: conn, watched: make(chan struct{})}
	go r.waiting.watch()
	close(r.arrived)
	r.arrived = make(chan struct{})
}

// open returns the waiting connection, or waits for one.
func (r *Runtime) open(ctx context.Context) (net.Conn, error) {
	for {
		r.mu.Lock()
		w, arrived := r.waiting, r.arrived
		r.waiting = nil
		r.mu.Unlock()
		if w != nil && w.take() {
			return w.conn, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-arrived:
		}
	}
}
