//go:build unix

package eventpipe_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestMain lets a test start a fake runtime as a process of its own.
func TestMain(m *testing.M) {
	if role := os.Getenv("EVENTPIPE_TEST_ROLE"); role != "" {
		os.Exit(play(role))
	}
	os.Exit(m.Run())
}

// play is the program of such a process. It runs until its standard input ends.
func play(role string) int {
	tb := &processTB{}
	defer tb.cleanUp()
	switch role {
	case "port": // a runtime with a port in its TMPDIR
		eventpipetest.Start(tb, eventpipetest.Config{Dir: os.TempDir()})
	case "container": // the same, where nobody sees the folder
		if err := enterContainer(); err != nil {
			os.Stdout.WriteString(err.Error())
			return 1
		}
		nameThread()
		eventpipetest.Start(tb, eventpipetest.Config{Dir: os.TempDir()})
	case "threads": // a .NET process without a port
		nameThread()
	case "ask": // a user of the package
		return playUser()
	case "connect": // a suspended runtime that connects to the given port
		playSuspended(tb)
	case "background": // no runtime; the process that it starts outlives it
		if startLate("late") != nil {
			return 1
		}
		return 0
	case "late": // a suspended runtime that connects when its parent has ended
		for parent := os.Getenv("EVENTPIPE_TEST_PARENT"); strconv.Itoa(os.Getppid()) == parent; {
			time.Sleep(time.Millisecond)
		}
		playSuspended(tb)
		os.WriteFile(os.Getenv("EVENTPIPE_TEST_MARK"), []byte("resumed"), 0o600)
		return 0
	case "connect, late": // a suspended runtime that starts such a one in the background
		playSuspended(tb)
		if startLate("late") != nil {
			return 1
		}
		return 0
	case "connect, stays": // and one that starts no runtime
		playSuspended(tb)
		if startLate("none") != nil {
			return 1
		}
		return 0
	case "parent": // no runtime; the process that it starts is one
		child := self("connect")
		child.Stdin = os.Stdin
		if child.Run() != nil {
			return 1
		}
		return 0
	}
	os.Stdout.WriteString("ready\n")
	os.Stdin.Read(make([]byte, 1))
	return 0
}

// nameThread makes a process look like one of .NET.
func nameThread() { os.WriteFile("/proc/self/comm", []byte(".NET fake"), 0) }

// startLate starts this program in a role and does not wait for it.
func startLate(role string) error {
	child := self(role)
	child.Stdin = os.Stdin
	child.Env = append(child.Env, "EVENTPIPE_TEST_PARENT="+strconv.Itoa(os.Getpid()))
	return child.Start()
}

// playUser finds a process or connects to a port, and prints the result.
func playUser() int {
	address := os.Getenv("EVENTPIPE_TEST_PORT")
	if pid, err := strconv.Atoi(os.Getenv("EVENTPIPE_TEST_PID")); err == nil {
		p, err := eventpipe.Find(pid)
		if err != nil {
			os.Stdout.WriteString(err.Error())
			return 0
		}
		address = p.Address
	}
	_, err := eventpipe.NewClient(address).ProcessInfo(context.Background())
	os.Stdout.WriteString(fmt.Sprint(err))
	return 0
}

func playSuspended(tb testing.TB) {
	port, _, _ := strings.Cut(os.Getenv("DOTNET_DiagnosticPorts"), ",")
	cookie := [16]byte([]byte("0123456789abcdef"))
	copy(cookie[:], strconv.Itoa(os.Getpid()))
	r := eventpipetest.Start(tb, eventpipetest.Config{Connect: port, Suspended: true,
		Info: eventpipe.ProcessInfo{Cookie: cookie}, Trace: eventpipetest.Trace{Data: []byte("a trace")}})
	<-r.Resumed()
	if os.Getenv("EVENTPIPE_TEST_CHILDREN") == "" {
		return
	}
	child := self("connect")
	child.Env = append(os.Environ(), "EVENTPIPE_TEST_CHILDREN=")
	if err := child.Run(); err != nil {
		os.Exit(1)
	}
}

// processTB is the testing.TB of a process outside of a test.
type processTB struct {
	testing.TB
	clean []func()
}

func (p *processTB) Helper()          {}
func (p *processTB) Cleanup(f func()) { p.clean = append(p.clean, f) }
func (p *processTB) Fatal(args ...any) {
	os.Stdout.WriteString("failed\n")
	os.Exit(1)
}

func (p *processTB) cleanUp() {
	for _, f := range p.clean {
		f()
	}
}

// self is this test program in a role.
func self(role string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "EVENTPIPE_TEST_ROLE="+role)
	return cmd
}

// start starts a command that ends with the test, and waits for its first line.
func start(t *testing.T, cmd *exec.Cmd) *exec.Cmd {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Process.Kill()
		cmd.Wait()
	})
	line := make([]byte, 64)
	if n, err := out.Read(line); err != nil || !bytes.HasPrefix(line[:n], []byte("ready")) {
		t.Fatalf("%v: %v, it prints %q", cmd, err, line[:n])
	}
	return cmd
}

// within is a context that ends the test's waiting.
func within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return ctx
}

// bounded returns a context for a command that ends by a timeout of its own. When
// that timeout does not end it, the context does after a time that also a busy
// machine keeps, and its cause is the error of the command.
func bounded(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeoutCause(context.Background(), 40*time.Second, errors.New("the test's context ended the command"))
	t.Cleanup(cancel)
	return ctx
}

// session is a configuration for tests that do not care.
var session = eventpipe.SessionConfig{Providers: []eventpipe.Provider{{Name: "P"}}}

// wantReason demands why there was no way in.
func wantReason(t *testing.T, err error, want eventpipe.Reason) {
	t.Helper()
	var e *eventpipe.UnreachableError
	if !errors.As(err, &e) || e.Reason != want {
		t.Errorf("the error is %v, want the reason %q", err, want)
	}
}

// wantNoLeaks demands that as many descriptors and goroutines are in use at
// the end of the test as there are now.
func wantNoLeaks(t *testing.T) {
	t.Helper()
	if r, w, err := os.Pipe(); err == nil { // the poller's own descriptors are opened now, not by the test
		r.Close()
		w.Close()
	}
	files, routines := descriptors(), runtime.NumGoroutine()
	t.Cleanup(func() {
		for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			if descriptors() <= files && runtime.NumGoroutine() <= routines {
				return
			}
			if time.Now().After(end) {
				break
			}
		}
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		t.Errorf("descriptors: %d before, %d after; goroutines: %d before, %d after\n%s",
			files, descriptors(), routines, runtime.NumGoroutine(), stacks)
	})
}

// descriptors is the number of open ones, where that can be known.
func descriptors() int {
	files, _ := os.ReadDir("/proc/self/fd")
	return len(files)
}

// dotnet is a command that runs the program Corners on a real .NET 10.
func dotnet(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	out, err := exec.Command(shared.OtherReader(t), "path").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir := strings.TrimSpace(string(out))
	cmd := exec.Command(filepath.Join(dir, "dotnet", "dotnet"), append([]string{filepath.Join(dir, "apps", "corners", "Corners.dll")}, args...)...)
	cmd.Env = append(os.Environ(), "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1", "DOTNET_ROOT="+filepath.Join(dir, "dotnet"), "TMPDIR="+t.TempDir())
	return cmd
}

// startCorners starts that, waits until the program itself runs, and ends it with
// the test. Arguments are known to the runtime from then on.
func startCorners(t *testing.T, args ...string) (*exec.Cmd, *eventpipe.Process) {
	t.Helper()
	cmd := dotnet(t, args...)
	launch(t, cmd)
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		p, err := eventpipe.Find(cmd.Process.Pid)
		if err == nil {
			var info *eventpipe.ProcessInfo
			if info, err = p.Client().ProcessInfo(t.Context()); err == nil && strings.HasSuffix(info.CommandLine, strings.Join(args, " ")) {
				return cmd, p
			}
		}
		if time.Now().After(end) {
			t.Fatalf("it does not start: %v", err)
		}
	}
}

// launch starts a command that ends with the test.
func launch(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
}

// eventually waits until something is so.
func eventually(t *testing.T, is func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the condition did not become true")
		}
	}
}
