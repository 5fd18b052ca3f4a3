package eventpipe

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// advertise is the start of the message that a runtime sends first on a reverse
// connection. Its cookie, its process id and two zero bytes follow.
const advertise = "ADVR_V1\x00"

const advertiseSize = 34

// Listener is a port of this process that runtimes connect to because their
// variable DOTNET_DiagnosticPorts names it. A runtime makes a new connection
// for each command; the Listener recognizes it by its cookie.
//
// A runtime whose variable has the option "suspend", as [Listener.Environ] sets
// it, waits at its start until it is resumed. It waits for ever if the listener
// is closed first. Its child processes inherit the variable and wait too.
type Listener struct {
	inner   net.Listener
	address string
	found   chan *Runtime
	closed  chan struct{}
	once    sync.Once
	serving sync.WaitGroup

	mu       sync.Mutex
	runtimes map[[16]byte]*Runtime
	opening  map[net.Conn]bool // connections whose advertise message is incomplete
}

// Listen opens a port: the path of a Unix socket, or the name of a Windows
// pipe. An empty address means a new socket in the temporary folder. Listen
// replaces a socket file that no process listens on. An address with a comma or
// a semicolon is an error.
func Listen(address string) (*Listener, error) {
	if address == "" {
		address = ownAddress()
	}
	if strings.ContainsAny(address, ",;") {
		return nil, fmt.Errorf("eventpipe: the address %s cannot be named in DOTNET_DiagnosticPorts: it has a comma or a semicolon", address)
	}
	if filepath.VolumeName(address) == "" && !filepath.IsAbs(address) {
		absolute, err := filepath.Abs(address)
		if err != nil {
			return nil, err
		}
		address = absolute
	}
	inner, err := listen(address)
	if err != nil {
		return nil, err
	}
	l := &Listener{inner: inner, address: address, found: make(chan *Runtime), closed: make(chan struct{}),
		runtimes: map[[16]byte]*Runtime{}, opening: map[net.Conn]bool{}}
	l.serving.Go(l.serve)
	return l, nil
}

// Address returns the address to use in DOTNET_DiagnosticPorts.
func (l *Listener) Address() string { return l.address }

// portsVariable begins the variable that names ports.
const portsVariable = "DOTNET_DiagnosticPorts="

// Environ returns an environment that makes a runtime connect to the port and
// wait at its start until it is resumed. It keeps the ports that env already
// has. A nil env means the environment of this process.
func (l *Listener) Environ(env []string) []string {
	if env == nil {
		env = os.Environ()
	}
	port := l.address + ",suspend,connect"
	var with []string
	for _, kv := range env {
		if before, ok := strings.CutPrefix(kv, portsVariable); ok {
			if before != "" {
				port = before + ";" + port
			}
			continue
		}
		with = append(with, kv)
	}
	return append(with, portsVariable+port)
}

// Accept waits for a runtime that has not connected before. Its error is that
// of ctx, or net.ErrClosed.
func (l *Listener) Accept(ctx context.Context) (*Runtime, error) {
	select {
	case r := <-l.found:
		return r, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close closes the port and all connections except those of sessions. Suspended
// runtimes stay suspended.
func (l *Listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	err := l.inner.Close()
	l.mu.Lock()
	for conn := range l.opening {
		conn.Close()
	}
	for _, r := range l.runtimes {
		r.replace(nil)
	}
	l.mu.Unlock()
	l.serving.Wait()
	return err
}

func (l *Listener) serve() {
	for {
		conn, err := l.inner.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // most likely out of descriptors: closing connections frees some
			select {
			case <-l.closed:
				return
			case <-time.After(50 * time.Millisecond):
			}
		case l.admit(conn):
			l.serving.Go(func() { l.readAdvertise(conn) })
		}
	}
}

// admit notes a connection, unless the listener is closed.
func (l *Listener) admit(conn net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.closed:
		conn.Close()
		return false
	default:
		l.opening[conn] = true
		return true
	}
}

// readAdvertise reads the advertise message of a new connection. It closes the
// connection when the message is malformed or late.
func (l *Listener) readAdvertise(conn net.Conn) {
	conn.SetReadDeadline(time.Now().Add(5 * time.Second))
	var hello [advertiseSize]byte
	_, err := io.ReadFull(conn, hello[:])
	l.mu.Lock()
	delete(l.opening, conn)
	if err != nil || string(hello[:len(advertise)]) != advertise || l.isClosed() {
		l.mu.Unlock()
		conn.Close()
		return
	}
	conn.SetReadDeadline(time.Time{})
	r, isNew := l.runtime([16]byte(hello[8:24]), binary.LittleEndian.Uint64(hello[24:]), conn)
	r.replace(conn)
	l.mu.Unlock()
	if isNew {
		select {
		case l.found <- r:
		case <-l.closed:
		}
	}
}

// unconnected returns the processes of a list whose runtime has not connected.
func (l *Listener) unconnected(pids []int) []int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(pids), func(pid int) bool {
		for _, r := range l.runtimes {
			if r.PID == pid {
				return true
			}
		}
		return false
	})
}

func (l *Listener) isClosed() bool {
	select {
	case <-l.closed:
		return true
	default:
		return false
	}
}

// runtime is the one with that cookie.
func (l *Listener) runtime(cookie [16]byte, nspid uint64, conn net.Conn) (*Runtime, bool) {
	if r, ok := l.runtimes[cookie]; ok {
		return r, false
	}
	r := &Runtime{Cookie: cookie, NSPID: int(nspid), PID: peer(conn), arrived: make(chan struct{}), path: l.address}
	l.runtimes[cookie] = r
	return r, true
}
