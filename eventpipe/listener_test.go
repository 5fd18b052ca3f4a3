//go:build unix

package eventpipe_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tier"
)

func listen(t *testing.T) *eventpipe.Listener {
	t.Helper()
	l, err := eventpipe.Listen(filepath.Join(t.TempDir(), "port"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// TestReverse: a runtime connects, answers a query, is recorded from its first
// event and resumed, each on its own connection.
func TestReverse(t *testing.T) {
	wantNoLeaks(t)
	data := recorded(t)
	l := listen(t)
	info := eventpipe.ProcessInfo{Cookie: [16]byte{7}, Version: "10.0.1"}
	r := eventpipetest.Start(t, eventpipetest.Config{Connect: l.Address(), Suspended: true, Info: info, PID: 4711,
		Trace: eventpipetest.Trace{Data: data}})
	rt, err := l.Accept(within(t, longTimeout))
	if err != nil {
		t.Fatal(err)
	}
	expect.Equal(t, "rt.Cookie", rt.Cookie, info.Cookie)
	expect.Equal(t, "rt.NSPID", rt.NSPID, 4711)
	expect.Equal(t, "rt.PID", rt.PID, os.Getpid())
	c := withTimeouts(rt.Client(), longTimeout)
	for range 3 {
		if got, err := c.ProcessInfo(t.Context()); err != nil || got.Version != "10.0.1" {
			t.Fatal(got, err)
		}
	}
	s, err := c.StartSession(t.Context(), session)
	if err != nil {
		t.Fatal(err)
	}
	s.SetReadDeadline(time.Now().Add(30 * time.Millisecond))
	if n, err := s.Read(make([]byte, 1)); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("before it is resumed: %d bytes, %v", n, err)
	}
	s.SetReadDeadline(time.Time{})
	if err := c.Resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Drain(t.Context()); err != nil || n != int64(len(data)) {
		t.Errorf("%d bytes, %v", n, err)
	}
	if _, err := l.Accept(within(t, 50*time.Millisecond)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the runtime came twice: %v", err)
	}
	s.Close()
	r.Kill()
	c.Timeouts.Connect = 50 * time.Millisecond
	var failed *eventpipe.UnreachableError
	eventually(t, func() bool { // the end of the runtime has been noticed
		_, err = c.ProcessInfo(t.Context())
		return errors.As(err, &failed)
	})
	wantReason(t, err, eventpipe.NotAnswering)
	l.Close()
	if _, err := l.Accept(t.Context()); !errors.Is(err, net.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// TestStrangers: connections that send nothing, or no advertise message, block
// nobody.
func TestStrangers(t *testing.T) {
	wantNoLeaks(t)
	l := listen(t)
	for _, text := range []string{"", "ADVR_V1\x00 and no", strings.Repeat("GET / HTTP/1.1\r\n", 8)} {
		conn, err := net.Dial("unix", l.Address())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		io.WriteString(conn, text)
	}
	r := eventpipetest.Start(t, eventpipetest.Config{Connect: l.Address()})
	rt, err := l.Accept(within(t, longTimeout))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := withTimeouts(rt.Client(), longTimeout).ProcessInfo(t.Context()); err != nil {
		t.Error(err)
	}
	l.Close()
	r.Kill()
}

// TestManyRuntimes: runtimes that connect and end leave no resources in the
// listener.
func TestManyRuntimes(t *testing.T) {
	l := listen(t)
	before := descriptors()
	for i := range 50 {
		r := eventpipetest.Start(t, eventpipetest.Config{Connect: l.Address(), Suspended: true, Info: eventpipe.ProcessInfo{Cookie: [16]byte{byte(i), 1}}})
		rt, err := l.Accept(within(t, longTimeout))
		if err != nil {
			t.Fatal(err)
		}
		if err := withTimeouts(rt.Client(), longTimeout).Resume(t.Context()); err != nil {
			t.Fatal(err)
		}
		<-r.Resumed()
		r.Kill()
	}
	eventually(t, func() bool { return descriptors() <= before })
}

// TestListenAddress: a socket that nobody listens to is replaced, one that
// somebody listens to is not.
func TestListenAddress(t *testing.T) {
	path := filepath.Join(t.TempDir(), "port")
	left, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	left.(*net.UnixListener).SetUnlinkOnClose(false)
	if _, err := eventpipe.Listen(path); err == nil {
		t.Error("two listen to one port")
	}
	left.Close()
	l, err := eventpipe.Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if _, err := os.Lstat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after Close the socket is there: %v", err)
	}
	if _, err := eventpipe.Listen(path + ",x"); err == nil {
		t.Error("an address with a comma was accepted")
	}
	own, err := eventpipe.Listen("")
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	if info, err := os.Stat(own.Address()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// TestEnviron: the listener's port is appended to the existing ones.
func TestEnviron(t *testing.T) {
	l := listen(t)
	got := l.Environ([]string{"A=b", "DOTNET_DiagnosticPorts=/x,nosuspend"})
	if want := []string{"A=b", "DOTNET_DiagnosticPorts=/x,nosuspend;" + l.Address() + ",suspend,connect"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// TestParsePort reads ports as command lines have them.
func TestParsePort(t *testing.T) {
	for text, want := range map[string]eventpipe.Port{
		"/x":               {Address: "/x", Listen: true},
		"/x,listen":        {Address: "/x", Listen: true},
		"/x,connect":       {Address: "/x"},
		"uds:/x,connect":   {Address: "/x"},
		"uds:///x,connect": {Address: "/x"},
		"file:/x":          {Address: "/x", Listen: true},
		"namedpipe:x":      {Address: "x", Listen: true},
	} {
		t.Run(text, func(t *testing.T) {
			if got, err := eventpipe.ParsePort(text); err != nil || got != want {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	for _, text := range []string{"", ",connect", "/x,suspend", "/x,connect,listen", "uds:", "tcp:127.0.0.1:9000", "TCP:h:1,connect", "tcp://h:1"} {
		t.Run(text, func(t *testing.T) {
			if got, err := eventpipe.ParsePort(text); err == nil {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestLaunch: Launch finds a command's first runtime, also in a process that the
// command starts. Later runtimes are resumed unless the caller asks for them.
func TestLaunch(t *testing.T) {
	wantNoLeaks(t)
	for _, role := range []string{"connect", "parent"} {
		t.Run(role, func(t *testing.T) {
			cmd := self(role)
			cmd.Env = append(cmd.Env, "EVENTPIPE_TEST_CHILDREN=1")
			in, _ := cmd.StdinPipe()
			c, err := eventpipe.Launch(within(t, longTimeout), cmd, eventpipe.LaunchOptions{})
			if err != nil {
				t.Fatal(err)
			}
			s, err := withTimeouts(c.Runtime.Client(), longTimeout).StartSession(t.Context(), session)
			if err != nil {
				t.Fatal(err)
			}
			if own := c.Runtime.PID == cmd.Process.Pid; own != (role == "connect") {
				t.Errorf("process %d, the command is %d", c.Runtime.PID, cmd.Process.Pid)
			}
			if err := withTimeouts(c.Runtime.Client(), longTimeout).Resume(t.Context()); err != nil {
				t.Fatal(err)
			}
			_, port, _ := strings.Cut(cmd.Env[len(cmd.Env)-1], "DOTNET_DiagnosticPorts=")
			port, _, _ = strings.Cut(port, ",")
			if _, err := os.Lstat(port); err != nil {
				t.Errorf("the port while the command runs: %v", err)
			}
			in.Close()
			if err := c.Wait(); err != nil { // its child must be resumed for that
				t.Error(err)
			}
			s.Close()
			if _, err := os.Lstat(port); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the port after the end: got %v, want no such file", err)
			}
		})
	}
}

// TestLaunchOthers hands the later runtimes out.
func TestLaunchOthers(t *testing.T) {
	tier.NeedsCheck(t) // it waits for what must not happen
	cmd := self("connect")
	cmd.Env = append(cmd.Env, "EVENTPIPE_TEST_CHILDREN=1")
	others := make(chan *eventpipe.Runtime, 1)
	c, err := eventpipe.Launch(within(t, longTimeout), cmd, eventpipe.LaunchOptions{Others: func(r *eventpipe.Runtime) { others <- r }})
	if err != nil {
		t.Fatal(err)
	}
	withTimeouts(c.Runtime.Client(), longTimeout).Resume(t.Context())
	r := <-others
	if r.PID == cmd.Process.Pid || r.Cookie == c.Runtime.Cookie {
		t.Errorf("process %d is not another one", r.PID)
	}
	select {
	case <-c.Ended():
		t.Error("the child did not wait")
	case <-time.After(50 * time.Millisecond):
	}
	withTimeouts(r.Client(), longTimeout).Resume(t.Context())
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
}

// TestLaunchNothing: Launch returns when a command without a runtime ends, or
// kills it.
func TestLaunchNothing(t *testing.T) {
	wantNoLeaks(t)
	port := filepath.Join(t.TempDir(), "p")
	cmd := self("none")
	if _, err := eventpipe.Launch(t.Context(), cmd, eventpipe.LaunchOptions{Address: port}); err == nil || !strings.Contains(err.Error(), "before a .NET runtime connected") {
		t.Errorf("a command without a runtime: %v", err)
	}
	cmd = self("none")
	in, _ := cmd.StdinPipe()
	defer in.Close()
	if _, err := eventpipe.Launch(within(t, 100*time.Millisecond), cmd, eventpipe.LaunchOptions{Address: port}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a command that stays: %v", err)
	}
	if cmd.ProcessState == nil {
		t.Error("the command was not waited for")
	}
}

// TestLaunchLate: a runtime that connects after the command has ended is the
// first one, or is resumed by Wait.
func TestLaunchLate(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the processes that a command has started are known on Linux only")
	}
	wantNoLeaks(t)
	for _, role := range []string{"background", "connect, late"} {
		t.Run(role, func(t *testing.T) {
			mark := filepath.Join(t.TempDir(), "mark")
			cmd := self(role)
			cmd.Env = append(cmd.Env, "EVENTPIPE_TEST_MARK="+mark)
			c, err := eventpipe.Launch(within(t, 20*time.Second), cmd, eventpipe.LaunchOptions{Late: 20 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			if late := c.Runtime.PID != cmd.Process.Pid; late != (role == "background") {
				t.Errorf("the first runtime is that of process %d, the command is %d", c.Runtime.PID, cmd.Process.Pid)
			}
			if err := withTimeouts(c.Runtime.Client(), longTimeout).Resume(t.Context()); err != nil {
				t.Error(err)
			}
			if err := c.Wait(); err != nil {
				t.Error(err)
			}
			eventually(t, func() bool {
				_, err := os.Stat(mark)
				return err == nil
			})
		})
	}
}

// TestLaunchLeft: Wait names the processes that the command started and that
// still run, because runtimes that they start stay suspended.
func TestLaunchLeft(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the processes that a command has started are known on Linux only")
	}
	wantNoLeaks(t)
	in, feed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer feed.Close() // ends the process that stays
	cmd := self("connect, stays")
	cmd.Stdin = in
	c, err := eventpipe.Launch(within(t, 20*time.Second), cmd, eventpipe.LaunchOptions{Late: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if err := withTimeouts(c.Runtime.Client(), longTimeout).Resume(t.Context()); err != nil {
		t.Error(err)
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	left := c.Left()
	expect.Len(t, "left", left, 1)
	if left[0].PID == cmd.Process.Pid {
		t.Errorf("left[0].PID: got %v, want another value than %v", left[0].PID, cmd.Process.Pid)
	}
	expect.Equal(t, "left[0].Name", left[0].Name, filepath.Base(os.Args[0]))
}

// TestLaunchWaitsForOthers: Wait returns when all calls of Others have returned,
// also of one that begins when the command has ended.
func TestLaunchWaitsForOthers(t *testing.T) {
	tier.NeedsCheck(t) // it waits for what must not happen
	if runtime.GOOS != "linux" {
		t.Skip("the processes that a command has started are known on Linux only")
	}
	wantNoLeaks(t)
	cmd := self("connect, late")
	cmd.Env = append(cmd.Env, "EVENTPIPE_TEST_MARK="+filepath.Join(t.TempDir(), "mark"))
	var c *eventpipe.Launched
	launched := make(chan struct{})
	var returned atomic.Bool
	opt := eventpipe.LaunchOptions{Late: 20 * time.Second, Others: func(r *eventpipe.Runtime) {
		<-launched
		<-c.Ended()
		if err := withTimeouts(r.Client(), longTimeout).Resume(t.Context()); err != nil {
			t.Error(err)
		}
		time.Sleep(50 * time.Millisecond) // a Wait that does not wait returns in that time
		returned.Store(true)
	}}
	var err error
	if c, err = eventpipe.Launch(within(t, 20*time.Second), cmd, opt); err != nil {
		t.Fatal(err)
	}
	close(launched)
	if err := withTimeouts(c.Runtime.Client(), longTimeout).Resume(t.Context()); err != nil {
		t.Error(err)
	}
	if err := c.Wait(); err != nil {
		t.Error(err)
	}
	if !returned.Load() {
		t.Error("Wait returned before Others")
	}
}

// TestListenLongAddress: an address that no socket can have is refused with the reason.
func TestListenLongAddress(t *testing.T) {
	_, err := eventpipe.Listen(filepath.Join(t.TempDir(), strings.Repeat("x", 110)))
	if err == nil || !strings.Contains(err.Error(), "a socket has at most") {
		t.Errorf("the error is %v, want the limit", err)
	}
}
