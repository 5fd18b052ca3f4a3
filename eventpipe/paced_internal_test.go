//go:build unix

package eventpipe

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// pair returns a connection and the file at its other end.
func pair(t *testing.T) (net.Conn, *os.File) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	expect.NoError(t, err)
	unix.CloseOnExec(fds[0])
	unix.CloseOnExec(fds[1])
	near, far := os.NewFile(uintptr(fds[0]), "near"), os.NewFile(uintptr(fds[1]), "far")
	t.Cleanup(func() { far.Close() })
	conn, err := net.FileConn(near)
	expect.NoError(t, err)
	expect.NoError(t, near.Close())
	return conn, far
}

// pacedPair returns a paced connection and the file at its other end.
func pacedPair(t *testing.T, every time.Duration) (*pacedConn, *os.File) {
	t.Helper()
	conn, far := pair(t)
	paced, err := pace(conn, every)
	expect.NoError(t, err)
	t.Cleanup(func() { paced.Close() })
	return paced.(*pacedConn), far
}

// TestPaced: a connection looks for data at moments that all share, more often while much
// arrives and when it is in a hurry.
func TestPaced(t *testing.T) {
	const every = time.Second
	for _, c := range []struct {
		name    string
		hurry   bool
		before  int           // bytes that are read first
		arrives time.Duration // after a moment that all share
		want    time.Duration // of the end of Read
	}{
		{"data is there", false, 0, 0, every / 4},
		{"data arrives", false, 0, every / 2, every},
		{"data arrives late", false, 0, 3*every + every/2, 4 * every},
		{"less than busy", false, busy - 1, every / 2, every},
		{"busy", false, busy, every / 2, every/2 + soon},
		{"hurry", true, 0, every / 2, every/2 + soon},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, far := pacedPair(t, every)
				begun := time.Now().Truncate(every).Add(every)
				time.Sleep(time.Until(begun.Add(every / 4)))
				b := make([]byte, 16<<10)
				for left := c.before; left > 0; {
					n, err := far.Write(b[:min(left, len(b))])
					expect.NoError(t, err)
					_, err = io.ReadFull(p, b[:n])
					expect.NoError(t, err)
					left -= n
				}
				if c.hurry {
					p.hurry()
				}
				if c.arrives == 0 {
					_, _ = far.Write([]byte("data"))
				} else {
					go func() {
						time.Sleep(time.Until(begun.Add(c.arrives)) + time.Millisecond)
						_, _ = far.Write([]byte("data"))
					}()
				}
				n, err := p.Read(b)
				expect.NoError(t, err)
				expect.Equal(t, "bytes", string(b[:n]), "data")
				got := time.Since(begun).Truncate(5 * time.Millisecond)
				expect.Equal(t, "time", got, c.want.Truncate(5*time.Millisecond))
			})
		})
	}
}

// TestPacedEnd: what ends a waiting Read.
func TestPacedEnd(t *testing.T) {
	const every = time.Hour
	for _, c := range []struct {
		name string
		do   func(p *pacedConn, far *os.File)
		want error
		at   time.Duration // of the end of Read
	}{
		{"Close", func(p *pacedConn, _ *os.File) { p.Close() }, net.ErrClosed, time.Second},
		{"deadline that has passed", func(p *pacedConn, _ *os.File) { _ = p.SetReadDeadline(time.Unix(1, 0)) }, os.ErrDeadlineExceeded, time.Second},
		{"deadline", func(p *pacedConn, _ *os.File) { _ = p.SetReadDeadline(time.Now().Add(time.Second)) }, os.ErrDeadlineExceeded, 2 * time.Second},
		{"end of the other side", func(p *pacedConn, far *os.File) { far.Close(); p.hurry() }, io.EOF, time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, far := pacedPair(t, every)
				begun := time.Now()
				go func() {
					time.Sleep(time.Second)
					c.do(p, far)
				}()
				_, err := p.Read(make([]byte, 8))
				expect.ErrorIs(t, err, c.want)
				expect.Equal(t, "time", time.Since(begun), c.at)
			})
		})
	}
	t.Run("again after a deadline", func(t *testing.T) {
		p, far := pacedPair(t, time.Millisecond)
		_ = p.SetReadDeadline(time.Unix(1, 0))
		_, err := p.Read(make([]byte, 8))
		expect.ErrorIs(t, err, os.ErrDeadlineExceeded)
		_ = p.SetReadDeadline(time.Time{})
		_, _ = far.Write([]byte("data"))
		n, err := p.Read(make([]byte, 8))
		expect.NoError(t, err)
		expect.Equal(t, "bytes", n, 4)
	})
	t.Run("closed twice", func(t *testing.T) {
		p, _ := pacedPair(t, every)
		expect.NoError(t, p.Close())
		if err := p.Close(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("second Close: got %v, want %v", err, net.ErrClosed)
		}
	})
}

// TestReadEvery: a time that is not above 0 leaves the connection unchanged.
func TestReadEvery(t *testing.T) {
	for _, c := range []struct {
		every time.Duration
		paced bool
	}{
		{time.Second, true},
		{0, false},
		{-time.Second, false},
	} {
		t.Run(c.every.String(), func(t *testing.T) {
			conn, far := pair(t)
			s := &Session{conn: conn, ended: make(chan struct{})}
			expect.NoError(t, s.ReadEvery(c.every))
			defer s.Close()
			_, paced := s.conn.(*pacedConn)
			expect.Equal(t, "paced", paced, c.paced)
			_, _ = far.Write([]byte("data"))
			n, err := s.Read(make([]byte, 8))
			expect.NoError(t, err)
			expect.Equal(t, "bytes", n, 4)
		})
	}
}
