//go:build unix

package eventpipe

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// pacedConn is a connection that looks for data at moments that all of them share. The
// system does not wake the program when data arrives: a runtime writes each block in many
// small parts. Only reading, deadlines of reading, and Close are possible.
type pacedConn struct {
	net.Conn // closed
	every    time.Duration

	mu       sync.Mutex
	fd       int // -1 after Close
	deadline time.Time
	hurried  bool
	changed  chan struct{} // closed when one of these changes, and replaced

	period int64 // number of the last reading's time of every
	bytes  int   // read in it
}

// busy is the number of bytes in every above which a pacedConn looks again soon: the system
// holds less than two times as many, and then the runtime has to wait.
const busy = 128 << 10

// soon is the pause of a connection that is busy, or that is to be read to its end.
const soon = 10 * time.Millisecond

// pace returns a pacedConn in place of a connection, which it closes, or the connection
// itself if it has no file descriptor.
func pace(conn net.Conn, every time.Duration) (net.Conn, error) {
	file, ok := conn.(syscall.Conn)
	if !ok {
		return conn, nil
	}
	raw, err := file.SyscallConn()
	if err != nil {
		return nil, err
	}
	p := &pacedConn{Conn: conn, every: every, changed: make(chan struct{})}
	var failed error
	err = raw.Control(func(fd uintptr) { p.fd, failed = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0) })
	if err = errors.Join(err, failed); err != nil {
		return nil, err
	}
	return p, conn.Close() // the system wakes the program for this descriptor
}

// Read returns what has arrived. If that is nothing, it looks again after a pause.
func (p *pacedConn) Read(b []byte) (int, error) {
	for {
		n, wait, changed, err := p.try(b)
		if wait == 0 {
			return n, err
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-changed:
			timer.Stop()
		}
	}
}

// try reads once. If nothing has arrived it returns the time to wait, and a channel that
// ends it.
func (p *pacedConn) try(b []byte) (n int, wait time.Duration, changed <-chan struct{}, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	switch {
	case p.fd < 0:
		return 0, 0, nil, net.ErrClosed
	case !p.deadline.IsZero() && !now.Before(p.deadline):
		return 0, 0, nil, os.ErrDeadlineExceeded
	}
	n, err = ignoringEINTR(func() (int, error) { return unix.Read(p.fd, b) })
	switch {
	case errors.Is(err, unix.EAGAIN):
		return 0, p.pause(now), p.changed, nil
	case err != nil:
		return 0, 0, nil, os.NewSyscallError("read", err)
	case n == 0 && len(b) > 0:
		return 0, 0, nil, io.EOF
	}
	p.count(now, n)
	return n, 0, nil, nil
}

// pause is the time up to the next look.
func (p *pacedConn) pause(now time.Time) time.Duration {
	p.count(now, 0)
	wait := p.every - time.Duration(now.UnixNano())%p.every
	if p.hurried || p.bytes >= busy {
		wait = min(wait, soon)
	}
	if !p.deadline.IsZero() {
		wait = min(wait, p.deadline.Sub(now))
	}
	return wait
}

// count adds to the bytes that were read in the current time of every.
func (p *pacedConn) count(now time.Time, n int) {
	if period := now.UnixNano() / int64(p.every); period != p.period {
		p.period, p.bytes = period, 0
	}
	p.bytes += n
}

// change changes what a waiting Read looks at.
func (p *pacedConn) change(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
	close(p.changed)
	p.changed = make(chan struct{})
}

// hurry makes Read look often from now on.
func (p *pacedConn) hurry() { p.change(func() { p.hurried = true }) }

// SetReadDeadline sets the deadline of Read.
func (p *pacedConn) SetReadDeadline(t time.Time) error {
	p.change(func() { p.deadline = t })
	return nil
}

// Close closes the connection. A waiting Read returns an error.
func (p *pacedConn) Close() (err error) {
	p.change(func() {
		if p.fd < 0 {
			err = net.ErrClosed
			return
		}
		err = unix.Close(p.fd)
		p.fd = -1
	})
	return err
}
