//go:build unix

package eventpipe

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// maxSocketPath is the longest path of a socket's address in bytes, without the
// NUL at its end.
const maxSocketPath = len(syscall.RawSockaddrUnix{}.Path) - 1

// dial connects to a Unix socket. A server whose queue is full refuses at once;
// dial tries again until the context ends.
func dial(ctx context.Context, path string) (net.Conn, error) {
	address, done, err := shorten(path)
	if err != nil {
		return nil, err
	}
	defer done()
	var d net.Dialer
	for {
		conn, err := d.DialContext(ctx, "unix", address)
		if !errors.Is(err, syscall.EAGAIN) {
			return conn, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// shorten makes a path fit a socket's address. The path through /proc/PID/root
// may be longer than the one that the target process used.
func shorten(path string) (address string, done func(), err error) {
	if len(path) <= maxSocketPath {
		return path, func() {}, nil
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return "", nil, err
	}
	fd := strconv.Itoa(int(dir.Fd()))
	return filepath.Join("/proc/self/fd", fd, filepath.Base(path)), func() { dir.Close() }, nil
}

func isRefused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }

func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// listen opens a Unix socket that only this user may connect to.
func listen(path string) (net.Listener, error) {
	if len(path) > maxSocketPath {
		return nil, fmt.Errorf("eventpipe: the address %s has %d bytes: a socket has at most %d", path, len(path), maxSocketPath)
	}
	l, err := net.Listen("unix", path)
	if errors.Is(err, syscall.EADDRINUSE) && isStale(path) {
		os.Remove(path)
		l, err = net.Listen("unix", path)
	}
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// isStale reports whether the socket exists and no process listens to it.
func isStale(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&os.ModeSocket == 0 {
		return false
	}
	conn, err := net.DialTimeout("unix", path, time.Second)
	if err == nil {
		conn.Close()
	}
	return isRefused(err)
}

// ownAddress returns a name that no other process uses.
func ownAddress() string {
	name := fmt.Sprintf("nettrace-%d-%08x.socket", os.Getpid(), rand.Uint32())
	return filepath.Join(os.TempDir(), name)
}

// hasPort reports whether the file of a port exists.
func hasPort(address string) bool {
	_, err := os.Lstat(address)
	return err == nil
}
