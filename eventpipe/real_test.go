//go:build unix

package eventpipe_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/internal/expect"
)

const (
	runtimeProvider = "Microsoft-Windows-DotNETRuntime"
	runtimeStart    = 187 // RuntimeInformation
)

// runtimeEvents records the collector, the loader, the compiler and exceptions.
var runtimeEvents = eventpipe.SessionConfig{Providers: []eventpipe.Provider{{Name: runtimeProvider, Keywords: 0x8019, Level: 5}}}

// counts are numbers of events by provider, of "all" and of those with "stacks".
type counts map[string]int

func (n counts) add(e *codec.Event) {
	n["all"]++
	n[e.Provider()]++
	if len(e.Stack()) > 0 {
		n["stacks"]++
	}
}

// count counts the events of a complete trace.
func count(t *testing.T, data []byte) counts {
	t.Helper()
	events := counts{}
	r := codec.NewBytesReader(data, codec.Options{})
	for e, err := range r.Events() {
		if err != nil {
			t.Fatalf("%d bytes: %v", len(data), err)
		}
		events.add(e)
	}
	if lost := r.Lost(); lost != 0 {
		t.Errorf("%d events were lost", lost)
	}
	return events
}

// recordReal reads a session to its end, which stop causes. It calls stop at once.
func recordReal(t *testing.T, s *eventpipe.Session, stop func()) []byte {
	t.Helper()
	return recordUntil(t, s, func(counts) bool { return true }, stop)
}

// recordUntil reads a session to its end, which stop causes. It calls stop as soon as
// the events that have arrived are enough.
func recordUntil(t *testing.T, s *eventpipe.Session, enough func(counts) bool, stop func()) []byte {
	t.Helper()
	var data bytes.Buffer
	stopped := make(chan struct{})
	begin := sync.OnceFunc(func() {
		go func() {
			defer close(stopped)
			stop()
		}()
	})
	arrived := counts{}
	if enough(arrived) {
		begin()
	}
	src := io.TeeReader(s, &data)
	r := codec.NewBlockReader(src, codec.Options{})
	for _, ok := r.Next(); ok; _, ok = r.Next() {
		for e, ok := r.NextEvent(); ok; e, ok = r.NextEvent() {
			arrived.add(e)
		}
		if enough(arrived) {
			begin()
		}
	}
	if _, err := io.Copy(io.Discard, src); err != nil {
		t.Error(err)
	}
	if !enough(arrived) {
		t.Fatalf("the session ended after %v", arrived)
	}
	<-stopped
	s.Close()
	return data.Bytes()
}

// runs reports that an event of the runtime has arrived.
func runs(n counts) bool { return n[runtimeProvider] > 0 }

// TestRealCommands sends every command to a real runtime that supports it.
func TestRealCommands(t *testing.T) {
	_, p := startCorners(t, "loop", "60", "wait")
	wantNoLeaks(t)
	c, ctx := p.Client(), t.Context()
	info, err := c.ProcessInfo(ctx)
	expect.NoError(t, err)
	expect.Equal(t, "info.PID", info.PID, p.PID)
	expect.Equal(t, "info.EntryAssembly", info.EntryAssembly, "Corners")
	if !strings.HasPrefix(info.Version, "10.0.") {
		t.Errorf("info.Version: got %q, want the prefix %q", info.Version, "10.0.")
	}
	expect.Equal(t, "info.OS", info.OS, "Linux")
	expect.Equal(t, "info.Architecture", info.Architecture, "x64")
	expect.Equal(t, "info.PortableRID", info.PortableRID, "linux-x64")
	expect.Contains(t, "info.CommandLine", info.CommandLine, "loop")
	if p.Name != "dotnet" || len(eventpipe.Named([]eventpipe.Process{*p}, "Corners")) != 1 {
		t.Errorf("it is called %q %q", p.Name, p.CommandLine)
	}
	if err := c.SetEnvironment(ctx, "NETTRACE_TEST", "ä=b"); err != nil {
		t.Error(err)
	}
	vars, err := c.Environment(ctx)
	expect.NoError(t, err)
	if !slices.Contains(vars, "NETTRACE_TEST=ä=b") {
		t.Errorf("vars: got %v, want %v in it", vars, "NETTRACE_TEST=ä=b")
	}
	if !slices.Contains(vars, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1") {
		t.Errorf("vars: got %v, want %v in it", vars, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1")
	}
	if err := c.Resume(ctx); err != nil {
		t.Error(err)
	}
	if err := errors.Join(c.EnablePerfMap(ctx, eventpipe.PerfMapNames), c.DisablePerfMap(ctx)); err != nil {
		t.Error(err)
	}
	names := fmt.Sprintf("/tmp/perf-%d.map", p.PID)
	if _, err := os.Stat(names); err != nil {
		t.Errorf("no perf map was written: %v", err)
	}
	os.Remove(names)
	var refused *eventpipe.CommandError
	err = c.WriteDump(ctx, eventpipe.DumpConfig{Path: "/no/such/folder/dump", Type: eventpipe.DumpTriage})
	if !errors.As(err, &refused) {
		t.Errorf("a dump that cannot be written: %v", err)
	}
	t.Logf("a dump that cannot be written: %v", err)
}

// TestRealVersions: a real runtime executes each version of CollectTracing that
// it supports, and refuses the others.
func TestRealVersions(t *testing.T) {
	_, p := startCorners(t, "loop", "60", "exc")
	with := func(change func(*eventpipe.SessionConfig)) eventpipe.SessionConfig {
		cfg := runtimeEvents
		cfg.Providers = slices.Clone(cfg.Providers)
		change(&cfg)
		return cfg
	}
	const rundown = "Microsoft-Windows-DotNETRuntimeRundown"
	const sampler = "Microsoft-DotNETCore-SampleProfiler"
	sampled := eventpipe.Provider{Name: sampler, Level: 4}
	samples := func(n counts) bool { return n[sampler] > 0 }
	for _, c := range []struct {
		name  string
		cfg   eventpipe.SessionConfig
		until func(arrived counts) bool
		as    func(events counts) bool
	}{
		{"plain", runtimeEvents, runs,
			func(n counts) bool { return n[rundown] > 100 && n["stacks"] > 0 }},
		{"netperf", with(func(c *eventpipe.SessionConfig) { c.Format = eventpipe.NetPerf }), runs,
			func(n counts) bool { return n[rundown] > 100 }},
		{"no-rundown", with(func(c *eventpipe.SessionConfig) { c.NoRundown = true }), func(n counts) bool { return n["stacks"] > 0 },
			func(n counts) bool { return n[rundown] == 0 }},
		{"no-stacks", with(func(c *eventpipe.SessionConfig) { c.NoStacks, c.BufferMB = true, 64 }), runs,
			func(n counts) bool { return n[rundown] > 100 && n["stacks"] == 0 }},
		{"gc-rundown", with(func(c *eventpipe.SessionConfig) { c.RundownKeyword = 1 }), runs,
			func(n counts) bool { return n[rundown] > 0 && n[rundown] < 10 }},
		{"filter", with(func(c *eventpipe.SessionConfig) {
			c.NoRundown, c.Providers[0].Filter = true, &eventpipe.EventFilter{IDs: []uint32{9999}}
			c.Providers = append(c.Providers, sampled)
		}), samples, func(n counts) bool { return n[runtimeProvider] == 0 }},
		{"two", with(func(c *eventpipe.SessionConfig) { c.Providers = append(c.Providers, sampled) }),
			func(n counts) bool { return samples(n) && runs(n) }, func(n counts) bool { return n[rundown] > 100 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := p.Client().StartSession(t.Context(), c.cfg)
			if err != nil {
				t.Fatal(err)
			}
			events := count(t, recordUntil(t, s, c.until, func() {
				if err := s.Stop(within(t, 20*time.Second)); err != nil {
					t.Error(err)
				}
			}))
			if !c.as(events) {
				t.Errorf("%v: %v", s.Command, events)
			}
		})
	}
	_, err := p.Client().StartSession(t.Context(), with(func(c *eventpipe.SessionConfig) { c.BlockWhenFull = true }))
	var unsupported *eventpipe.UnsupportedError
	if !errors.As(err, &unsupported) || unsupported.Command != eventpipe.CollectTracing6 {
		t.Errorf("a buffer that blocks: %v", err)
	}
}

// TestRealCycles attaches and detaches a hundred times, ending the session in
// one of two ways.
func TestRealCycles(t *testing.T) {
	_, p := startCorners(t, "loop", "120", "exc", "wait")
	wantNoLeaks(t)
	cfg := runtimeEvents
	cfg.NoRundown = true
	for i := range 100 {
		s, err := p.Client().StartSession(t.Context(), cfg)
		if err != nil {
			t.Fatalf("cycle %d: %v", i, err)
		}
		if i%5 == 4 {
			if _, err := io.CopyN(io.Discard, s, 100); err != nil {
				t.Fatalf("cycle %d: %v", i, err)
			}
			s.Close()
			continue
		}
		data := recordReal(t, s, func() {
			if err := s.Stop(within(t, 20*time.Second)); err != nil {
				t.Errorf("cycle %d: %v", i, err)
			}
		})
		count(t, data)
	}
}

// TestRealSessions has sixteen sessions at once, stopped at once.
func TestRealSessions(t *testing.T) {
	_, p := startCorners(t, "loop", "60", "exc", "gc")
	wantNoLeaks(t)
	var all sync.WaitGroup
	var sessions []*eventpipe.Session
	for range 16 {
		s, err := p.Client().StartSession(t.Context(), runtimeEvents)
		if err != nil {
			t.Fatal(err)
		}
		sessions = append(sessions, s)
	}
	for _, s := range sessions {
		all.Go(func() {
			data := recordUntil(t, s, runs, func() {
				if err := s.Stop(within(t, 60*time.Second)); err != nil {
					t.Error(err)
				}
			})
			if n := count(t, data)["all"]; n < 100 {
				t.Errorf("%d events", n)
			}
		})
	}
	all.Wait()
}

// TestRealStopped: a process under SIGSTOP hangs nobody past a deadline.
func TestRealStopped(t *testing.T) {
	cmd, p := startCorners(t, "loop", "60", "exc")
	wantNoLeaks(t)
	running, err := p.Client().StartSession(t.Context(), runtimeEvents)
	if err != nil {
		t.Fatal(err)
	}
	defer running.Close()
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { return stopped(p.PID) })
	c := p.Client()
	c.Timeouts.Answer = 300 * time.Millisecond
	for _, do := range commands {
		t.Run(do.name, func(t *testing.T) {
			if do.name == "WriteDump" {
				c.Timeouts.Dump = 300 * time.Millisecond
			}
			err := do.do(bounded(t), c)
			wantReason(t, err, eventpipe.NotAnswering)
			expect.Contains(t, "error", err.Error(), "a signal has stopped it, and SIGCONT continues it")
		})
	}
	_, err = running.Drain(within(t, 300*time.Millisecond)) // Timeouts.Stop is a minute
	wantReason(t, err, eventpipe.NotAnswering)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("draining ends with %v, want the error of the context", err)
	}
	defer os.Remove(fmt.Sprintf("/tmp/perf-%d.map", p.PID)) // it is resumed
	defer keepRunning(t, cmd.Process)()
	running.SetReadDeadline(time.Time{})
	if _, err := running.Drain(within(t, 30*time.Second)); err != nil {
		t.Errorf("after it went on: %v", err)
	}
}

// stopped reports whether a signal has stopped the process.
func stopped(pid int) bool {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return bytes.Contains(stat, []byte(") T "))
}

// keepRunning sends SIGCONT whenever the process is stopped, until the returned
// function is called. Once is not enough: the resumed runtime executes the WriteDump
// that waited, and createdump, which attaches with ptrace, can leave it stopped.
func keepRunning(t *testing.T, p *os.Process) (end func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ; ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
			if stopped(p.Pid) {
				_ = p.Signal(syscall.SIGCONT)
			}
		}
	}()
	return func() { cancel(); <-done }
}

// TestRealEnd: a process that ends writes its rundown and the end mark. A killed
// process does not.
func TestRealEnd(t *testing.T) {
	for how, seconds := range map[syscall.Signal]string{0: "1", syscall.SIGKILL: "60"} {
		t.Run(fmt.Sprint(how), func(t *testing.T) {
			cmd, p := startCorners(t, "loop", seconds, "exc")
			s, err := p.Client().StartSession(t.Context(), runtimeEvents)
			if err != nil {
				t.Fatal(err)
			}
			data := recordUntil(t, s, runs, func() {
				if how != 0 {
					cmd.Process.Signal(how)
				}
			})
			if err := s.Stop(t.Context()); err != nil {
				t.Error(err)
			}
			if whole := bytes.HasSuffix(data, []byte{6, 1}); whole != (how != syscall.SIGKILL) {
				t.Errorf("%d bytes, complete: %v", len(data), whole)
			}
		})
	}
}

// TestRealLaunch records a program from its first event: that of the runtime's
// start, before any method is compiled.
func TestRealLaunch(t *testing.T) {
	wantNoLeaks(t)
	cmd := dotnet(t, "hello")
	var out bytes.Buffer
	cmd.Stdout = &out
	launched, err := eventpipe.Launch(within(t, 20*time.Second), cmd, eventpipe.LaunchOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c := withTimeouts(launched.Runtime.Client(), longTimeout)
	info, err := c.ProcessInfo(t.Context())
	expect.NoError(t, err)
	expect.Equal(t, "info.PID", info.PID, cmd.Process.Pid)
	expect.Equal(t, "info.EntryAssembly", info.EntryAssembly, "Corners")
	if launched.Runtime.PID != cmd.Process.Pid {
		t.Errorf("process %d, launched %d", launched.Runtime.PID, cmd.Process.Pid)
	}
	s, err := c.StartSession(t.Context(), runtimeEvents)
	if err != nil {
		t.Fatal(err)
	}
	data := recordReal(t, s, func() {
		if err := c.Resume(t.Context()); err != nil {
			t.Error(err)
		}
	})
	if err := launched.Wait(); err != nil || out.Len() == 0 {
		t.Errorf("%v, it printed %q", err, out.String())
	}
	if events := count(t, data)["all"]; events < 300 {
		t.Errorf("%d events", events)
	}
	if first := firstEvent(t, data); first != runtimeStart {
		t.Errorf("the runtime's first event is %d", first)
	}
}

// firstEvent is the id of the runtime's first event, in file order.
func firstEvent(t *testing.T, data []byte) uint32 {
	t.Helper()
	for e, err := range codec.NewBytesReader(data, codec.Options{}).Events() {
		if err != nil {
			t.Fatal(err)
		}
		if e.Provider() == runtimeProvider {
			return e.ID()
		}
	}
	t.Fatal("the runtime has no event")
	return 0
}

// TestRealPathLimit: a path of 107 bytes has a port, one of 108 has none.
func TestRealPathLimit(t *testing.T) {
	base, err := os.MkdirTemp("/tmp", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	_, p := startCorners(t, "loop", "60", "wait")
	name := len(filepath.Base(p.Address))
	for _, length := range []int{107, 108} {
		t.Run(fmt.Sprintf("length=%v", length), func(t *testing.T) {
			dir := filepath.Join(base, strings.Repeat("x", length-name-len(base)-2))
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			cmd := dotnet(t, "loop", "60", "wait")
			cmd.Env = append(cmd.Env, "TMPDIR="+dir)
			launch(t, cmd)
			pipes := func() bool { // which the runtime creates at its start, after its port
				found, _ := filepath.Glob(filepath.Join(dir, "clr-debug-pipe-*"))
				return len(found) == 2
			}
			eventually(t, pipes)
			p, err := eventpipe.Find(cmd.Process.Pid)
			switch {
			case length == 107 && err != nil:
				t.Errorf("bytes: %v", err)
			case length == 107 && len(p.Address) != 107:
				t.Skipf("the process ids in %s and %d differ in length", filepath.Base(p.Address), cmd.Process.Pid)
			case length == 108:
				wantReason(t, err, eventpipe.PathTooLong)
			}
		})
	}
}

// TestRealOff: a process with a disabled port is reported as such.
func TestRealOff(t *testing.T) {
	cmd := dotnet(t, "loop", "60", "wait")
	cmd.Env = append(cmd.Env, "DOTNET_EnableDiagnostics=0")
	launch(t, cmd)
	eventually(t, func() bool {
		_, err := eventpipe.Find(cmd.Process.Pid)
		var e *eventpipe.UnreachableError
		return errors.As(err, &e) && e.Reason == eventpipe.Disabled
	})
}
