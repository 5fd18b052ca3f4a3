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

// Config configures a fake runtime. The zero value is .NET 10 without a trace,
// in a new folder.
type Config struct {
	// Dir is the folder of the socket, which is named like that of a real
	// runtime. Empty means a new folder. In os.TempDir(), with the PID and the Key of the
	// test's process, eventpipe.Find, Processes and Watch find the runtime.
	Dir string
	// Connect is the address of an [eventpipe.Listener]. If set, the runtime
	// connects to it and opens no socket.
	Connect string
	// PID is the process id that the runtime reports. 0 means that of the
	// test's process.
	PID int
	// Key is the start time in the socket's name. Empty means that of the
	// test's process.
	Key string
	// Release is the major version of .NET, which decides which commands are
	// known. 0 means 10.
	Release int
	// Info is the answer to ProcessInfo. If PID and Version are empty, they are
	// set from PID and Release.
	Info eventpipe.ProcessInfo
	// Environment is the process's environment as "NAME=value".
	Environment []string
	// Suspended delays all streams until the runtime is resumed.
	Suspended bool
	// MaxSessions is the largest number of sessions at a time. 0 means 64.
	MaxSessions int
	// Trace is the trace that every session streams.
	Trace Trace
	// Faults are the faults of commands from the start; see SetFault.
	Faults map[eventpipe.Command]Fault
}

// Runtime is a running fake runtime. Several goroutines may call its methods.
type Runtime struct {
	cfg      Config
	address  string
	listener net.Listener  // nil when it connects
	resumed  chan struct{} // closed by ResumeRuntime
	stopped  chan struct{} // closed by Kill, Exit and the test's end
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

// Request is a message that the runtime received.
type Request struct {
	// Command is the command in the header.
	Command eventpipe.Command
	// Payload is the message without its header.
	Payload []byte
	Raw     []byte // header and payload
}

// Start starts a runtime, which ends with the test. It fails the test if the
// socket or cfg.Trace is not usable.
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
	r := &Runtime{cfg: complete(cfg), resumed: make(chan struct{}), stopped: make(chan struct{}),
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

// complete sets the fields that are empty.
func complete(cfg Config) Config {
	cfg.PID = cmp.Or(cfg.PID, os.Getpid())
	cfg.Key = cmp.Or(cfg.Key, startTime())
	cfg.Environment = slices.Clone(cfg.Environment)
	cfg.Release = cmp.Or(cfg.Release, 10)
	cfg.MaxSessions = cmp.Or(cfg.MaxSessions, 64)
	cfg.Info.PID = cmp.Or(cfg.Info.PID, cfg.PID)
	cfg.Info.Version = cmp.Or(cfg.Info.Version, fmt.Sprintf("%d.0.0", cfg.Release))
	return cfg
}

// startTime is the start time of this process in clock ticks, field 22 of its
// stat file. On other systems than Linux it is a constant.
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

// Address returns the path of the socket, or "" for a runtime that connects to
// a Listener.
func (r *Runtime) Address() string { return r.address }

// Client returns a client of the runtime.
func (r *Runtime) Client() *eventpipe.Client { return eventpipe.NewClient(r.address) }

// Requests returns the messages received so far, in order.
func (r *Runtime) Requests() []Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.requests)
}

// Sessions returns the sessions started so far, in order.
func (r *Runtime) Sessions() []*Session {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.sessions)
}

// SetFault sets the fault of a command from now on. The zero Fault removes it.
func (r *Runtime) SetFault(cmd eventpipe.Command, fault Fault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults[cmd] = fault
}

// Resumed returns a channel that is closed when the runtime has been resumed,
// or at once if it was not suspended.
func (r *Runtime) Resumed() <-chan struct{} { return r.resumed }

// Kill ends the runtime like a signal: all connections are closed at once, and
// the socket's file stays.
func (r *Runtime) Kill() {
	r.die()
	r.running.Wait()
}

// die ends the runtime without waiting for its goroutines.
func (r *Runtime) die() {
	r.end.Do(func() {
		close(r.stopped)
		if r.listener != nil {
			r.listener.Close()
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		for conn := range r.conns {
			conn.Close()
		}
	})
}

// Exit ends the runtime like the end of a program: sessions first stream the
// rest of their traces, which clients must read, and the socket's file is
// removed.
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

// close ends the runtime with the test and removes its files.
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
	case <-r.stopped:
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
