//go:build unix

package eventpipetest

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nettrace-go/nettrace/eventpipe"
)

// Config says which runtime is played; the zero value is .NET 10 with nothing
// to record, in a folder of its own.
type Config struct {
	// Dir is the folder of the socket, which is named as that of a real
	// runtime. Empty is a new one.
	Dir string
	// Connect is the address of an [eventpipe.Listener]. The runtime connects
	// there and has no socket of its own.
	Connect string
	// PID is the process the runtime says it is; 0 is the process it is in.
	PID int
	// Key is the start time in the socket's name; empty is that of the
	// process it is in.
	Key string
	// Release is the major version that decides which commands are known;
	// 0 is 10.
	Release int
	// Info is what ProcessInfo tells. PID and Version are filled in when
	// empty.
	Info        eventpipe.ProcessInfo
	Environment []string
	// Suspended holds all streams back until the runtime is resumed.
	Suspended bool
	// MaxSessions is how many there may be at a time; 0 is 64.
	MaxSessions int
	// Trace is what sessions stream.
	Trace Trace
	// Faults say which commands go wrong, and how.
	Faults map[eventpipe.Command]Fault
}

// Runtime is a fake runtime that runs. Its methods may be called at any time.
type Runtime struct {
	cfg      Config
	address  string
	listener net.Listener  // nil when it connects
	resumed  chan struct{} // closed by ResumeRuntime
	dead     chan struct{} // closed by Kill, Exit and the test's end
	end      sync.Once
	resume   sync.Once
	running  sync.WaitGroup

	mu       sync.Mutex
	conns    map[net.Conn]bool // open ones
	requests []Request
	sessions []*Session
	active   map[uint64]*Session
	faults   map[eventpipe.Command]Fault
}

// Request is a message that came.
type Request struct {
	Command eventpipe.Command
	Payload []byte
	Raw     []byte // header and payload
}

// Start starts a runtime that ends with the test.
func Start(tb testing.TB, cfg Config) *Runtime {
	tb.Helper()
	r, err := start(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(r.close)
	return r
}

func start(cfg Config) (*Runtime, error) {
	r := &Runtime{cfg: complete(cfg), resumed: make(chan struct{}), dead: make(chan struct{}),
		conns: map[net.Conn]bool{}, active: map[uint64]*Session{}, faults: map[eventpipe.Command]Fault{}}
	for cmd, fault := range cfg.Faults {
		r.faults[cmd] = fault
	}
	if !cfg.Suspended {
		r.resume.Do(func() { close(r.resumed) })
	}
	if err := cfg.Trace.check(); err != nil {
		return nil, err
	}
	accept := r.connect
	if cfg.Connect == "" {
		if err := r.listen(); err != nil {
			return nil, err
		}
		accept = r.listener.Accept
	}
	r.running.Go(func() { r.serve(accept) })
	return r, nil
}

// complete fills in what is empty.
func complete(cfg Config) Config {
	cfg.PID = cmp.Or(cfg.PID, os.Getpid())
	cfg.Key = cmp.Or(cfg.Key, startTime())
	cfg.Release = cmp.Or(cfg.Release, 10)
	cfg.MaxSessions = cmp.Or(cfg.MaxSessions, 64)
	cfg.Info.PID = cmp.Or(cfg.Info.PID, cfg.PID)
	cfg.Info.Version = cmp.Or(cfg.Info.Version, fmt.Sprintf("%d.0.0", cfg.Release))
	return cfg
}

// startTime is that of this process in clock ticks, which is field 22 of its
// stat. Elsewhere than on Linux it is made up.
func startTime() string {
	stat, _ := os.ReadFile("/proc/self/stat")
	_, after, _ := strings.Cut(string(stat), ") ")
	if fields := strings.Fields(after); len(fields) > 19 {
		return fields[19]
	}
	return "1"
}

func (r *Runtime) listen() error {
	dir := r.cfg.Dir
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "eventpipetest"); err != nil {
			return err
		}
	}
	r.address = filepath.Join(dir, fmt.Sprintf("dotnet-diagnostic-%d-%s-socket", r.cfg.PID, r.cfg.Key))
	listener, err := net.Listen("unix", r.address)
	if err != nil {
		return err
	}
	listener.(*net.UnixListener).SetUnlinkOnClose(false)
	r.listener = listener
	return os.Chmod(r.address, 0o600)
}

// Address is the path of the socket, empty for a runtime that connects.
func (r *Runtime) Address() string { return r.address }

// Client returns a client of the runtime.
func (r *Runtime) Client() *eventpipe.Client { return eventpipe.NewClient(r.address) }

// Requests are the messages that came so far, in order.
func (r *Runtime) Requests() []Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.requests)
}

// Sessions are those that were started so far, in order.
func (r *Runtime) Sessions() []*Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.sessions)
}

// SetFault makes a command go wrong from now on; the zero Fault makes it right
// again.
func (r *Runtime) SetFault(cmd eventpipe.Command, fault Fault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults[cmd] = fault
}

// Resumed is closed when the runtime was resumed, or was never suspended.
func (r *Runtime) Resumed() <-chan struct{} { return r.resumed }

// Kill ends the runtime as a signal would: every connection breaks off, and the
// socket's file stays.
func (r *Runtime) Kill() {
	r.end.Do(func() {
		close(r.dead)
		if r.listener != nil {
			r.listener.Close()
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		for conn := range r.conns {
			conn.Close()
		}
	})
	r.running.Wait()
}

// Exit ends the runtime as the end of a program does: sessions stream the rest
// of their traces first, which takes readers, and the socket's file goes.
func (r *Runtime) Exit() {
	r.mu.Lock()
	sessions := slices.Clone(r.sessions)
	r.mu.Unlock()
	if r.listener != nil {
		os.Remove(r.address)
	}
	for _, s := range sessions {
		s.finish()
	}
	r.Kill()
}

// close ends the runtime with the test and removes what it made.
func (r *Runtime) close() {
	r.Kill()
	if r.listener != nil {
		os.Remove(r.address)
		if r.cfg.Dir == "" {
			os.Remove(filepath.Dir(r.address))
		}
	}
}

// hold notes an open connection, which the end of the runtime closes. It is
// false if the runtime has ended.
func (r *Runtime) hold(conn net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-r.dead:
		conn.Close()
		return false
	default:
		r.conns[conn] = true
		return true
	}
}

func (r *Runtime) drop(conn net.Conn) {
	conn.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.conns, conn)
}
