//go:build unix

package eventpipe_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// Timeouts of clients in tests.
const (
	shortTimeout = 200 * time.Millisecond // for a runtime that does not answer in time
	longTimeout  = 40 * time.Second       // for one that answers, on a busy machine too
)

// withTimeouts sets all timeouts of a client to d.
func withTimeouts(c *eventpipe.Client, d time.Duration) *eventpipe.Client {
	c.Timeouts = eventpipe.Timeouts{Connect: d, Answer: d, Stop: d, Dump: d}
	return c
}

// commands are all methods of a client, each with the first message it sends.
var commands = []struct {
	name  string
	first eventpipe.Command
	do    func(context.Context, *eventpipe.Client) error
}{
	{"StartSession", eventpipe.CollectTracing2, func(ctx context.Context, c *eventpipe.Client) error {
		s, err := c.StartSession(ctx, session)
		if err == nil {
			s.Close()
		}
		return err
	}},
	{"ProcessInfo", eventpipe.GetProcessInfo3, func(ctx context.Context, c *eventpipe.Client) error {
		_, err := c.ProcessInfo(ctx)
		return err
	}},
	{"Environment", eventpipe.GetProcessEnvironment, func(ctx context.Context, c *eventpipe.Client) error {
		_, err := c.Environment(ctx)
		return err
	}},
	{"SetEnvironment", eventpipe.SetEnvironmentVariable, func(ctx context.Context, c *eventpipe.Client) error {
		return c.SetEnvironment(ctx, "A", "b")
	}},
	{"Resume", eventpipe.ResumeRuntime, func(ctx context.Context, c *eventpipe.Client) error { return c.Resume(ctx) }},
	{"EnablePerfMap", eventpipe.EnablePerfMap, func(ctx context.Context, c *eventpipe.Client) error {
		return c.EnablePerfMap(ctx, eventpipe.PerfMapAll)
	}},
	{"DisablePerfMap", eventpipe.DisablePerfMap, func(ctx context.Context, c *eventpipe.Client) error { return c.DisablePerfMap(ctx) }},
	{"WriteDump", eventpipe.GenerateCoreDump3, func(ctx context.Context, c *eventpipe.Client) error {
		return c.WriteDump(ctx, eventpipe.DumpConfig{Path: "/d", Type: eventpipe.DumpNormal})
	}},
}

// TestFaults runs every command against every fault. Each call returns the
// documented error, within its timeout if the runtime does not answer in time.
func TestFaults(t *testing.T) {
	protocol := func(err error) bool {
		var e *eventpipe.ProtocolError
		return errors.As(err, &e)
	}
	silent := func(err error) bool {
		var e *eventpipe.UnreachableError
		return errors.As(err, &e) && e.Reason == eventpipe.NotAnswering
	}
	refused := func(want eventpipe.HResult, message string) func(error) bool {
		return func(err error) bool {
			var e *eventpipe.CommandError
			return errors.As(err, &e) && e.HResult == want && e.Message == message && strings.Contains(err.Error(), strings.TrimSpace(message))
		}
	}
	long := strings.Repeat("why it failed ", 1000)
	for _, f := range []struct {
		name    string
		fault   eventpipetest.Fault
		timeout time.Duration
		is      func(error) bool
	}{
		{"slow", eventpipetest.Slow(20 * time.Millisecond), longTimeout, func(err error) bool { return err == nil }},
		{"too-slow", eventpipetest.Slow(time.Second), shortTimeout, silent},
		{"silent", eventpipetest.Silent(), shortTimeout, silent},
		{"half-header", eventpipetest.HalfHeader(), shortTimeout, silent},
		{"cut-header", eventpipetest.TruncateHeader(), longTimeout, protocol},
		{"garbage", eventpipetest.Garbage(), longTimeout, protocol},
		{"hang-up", eventpipetest.HangUp(), longTimeout, protocol},
		{"bad-encoding", eventpipetest.Refuse(eventpipe.BadEncoding, ""), longTimeout, refused(eventpipe.BadEncoding, "")},
		{"failed", eventpipetest.Refuse(eventpipe.Fail, ""), longTimeout, refused(eventpipe.Fail, "")},
		{"unknown-number", eventpipetest.Refuse(0x80123456, ""), longTimeout, refused(0x80123456, "")},
		{"failed-with-reason", eventpipetest.Refuse(eventpipe.Fail, long), longTimeout, refused(eventpipe.Fail, long)},
	} {
		for _, c := range commands {
			t.Run(f.name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				r := eventpipetest.Start(t, eventpipetest.Config{Faults: map[eventpipe.Command]eventpipetest.Fault{c.first: f.fault}})
				if err := c.do(bounded(t), withTimeouts(r.Client(), f.timeout)); !f.is(err) {
					t.Errorf("the error is %v", err)
				}
			})
		}
	}
}

// TestEmptyAnswers: an answer without required values is an error.
func TestEmptyAnswers(t *testing.T) {
	for _, c := range commands[:3] {
		r := eventpipetest.Start(t, eventpipetest.Config{Faults: map[eventpipe.Command]eventpipetest.Fault{c.first: eventpipetest.Empty()}})
		err := c.do(t.Context(), withTimeouts(r.Client(), longTimeout))
		var e *eventpipe.ProtocolError
		if !errors.As(err, &e) || e.Command != c.first {
			t.Errorf("%s: the error is %v", c.name, err)
		}
	}
}

// TestReleases: each release supports its commands, and the others return
// UnsupportedError.
func TestReleases(t *testing.T) {
	can := map[string]int{"StartSession": 3, "ProcessInfo": 5, "Environment": 6, "SetEnvironment": 6, "Resume": 5,
		"EnablePerfMap": 8, "DisablePerfMap": 8, "WriteDump": 3}
	for release := 3; release <= 11; release++ {
		r := eventpipetest.Start(t, eventpipetest.Config{Release: release})
		for _, c := range commands {
			t.Run(c.name, func(t *testing.T) {
				err := c.do(t.Context(), r.Client())
				var e *eventpipe.UnsupportedError
				able := release >= can[c.name]
				if able && err != nil {
					t.Errorf(".NET %d, %s: %v", release, c.name, err)
				}
				if !able && !errors.As(err, &e) {
					t.Errorf(".NET %d, %s: %v", release, c.name, err)
				}
			})
		}
	}
}

// TestVersions: StartSession chooses the version of CollectTracing that a runtime
// supports, and drops no setting silently.
func TestVersions(t *testing.T) {
	with := func(change func(*eventpipe.SessionConfig)) eventpipe.SessionConfig {
		cfg := eventpipe.SessionConfig{Providers: []eventpipe.Provider{{Name: "P"}}}
		change(&cfg)
		return cfg
	}
	for _, c := range []struct {
		name    string
		cfg     eventpipe.SessionConfig
		want    eventpipe.Command
		since   int
		feature string
	}{
		{"plain", session, eventpipe.CollectTracing2, 3, ""},
		{"default-keyword", with(func(c *eventpipe.SessionConfig) { c.RundownKeyword = eventpipe.DefaultRundown }), eventpipe.CollectTracing2, 3, ""},
		{"no-rundown", with(func(c *eventpipe.SessionConfig) { c.NoRundown = true }), eventpipe.CollectTracing2, 3, "rundown"},
		{"no-stacks", with(func(c *eventpipe.SessionConfig) { c.NoStacks = true }), eventpipe.CollectTracing3, 9, "without stacks"},
		{"keyword", with(func(c *eventpipe.SessionConfig) { c.RundownKeyword = 0x20 }), eventpipe.CollectTracing4, 9, "0x20"},
		{"keyword-no-stacks", with(func(c *eventpipe.SessionConfig) { c.RundownKeyword, c.NoStacks = 0x20, true }), eventpipe.CollectTracing4, 9, "0x20"},
		{"filter", with(func(c *eventpipe.SessionConfig) {
			c.Providers[0].Filter = &eventpipe.EventFilter{Deny: true, IDs: []uint32{80, 81}}
		}), eventpipe.CollectTracing5, 10, "filter (provider P)"},
		{"block", with(func(c *eventpipe.SessionConfig) { c.BlockWhenFull = true }), eventpipe.CollectTracing6, 11, "blocks"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for release := 3; release <= 11; release++ {
				r := eventpipetest.Start(t, eventpipetest.Config{Release: release})
				s, err := r.Client().StartSession(t.Context(), c.cfg)
				if release < c.since {
					var e *eventpipe.UnsupportedError
					if !errors.As(err, &e) || !strings.Contains(e.Feature, c.feature) || e.Command != c.want {
						t.Errorf(".NET %d: %v", release, err)
					}
					if n := len(r.Sessions()); n != 0 {
						t.Errorf(".NET %d: %d sessions", release, n)
					}
					continue
				}
				if err != nil {
					t.Errorf(".NET %d: %v", release, err)
					continue
				}
				s.Close()
				if s.Command != c.want {
					t.Errorf(".NET %d: %v, want %v", release, s.Command, c.want)
				}
				if got := r.Sessions()[0].Config; !reflect.DeepEqual(got.Providers, c.cfg.Providers) || got.NoStacks != c.cfg.NoStacks || got.BlockWhenFull != c.cfg.BlockWhenFull {
					t.Errorf(".NET %d: the runtime understands %+v", release, got)
				}
			}
		})
	}
}

// TestOldest: .NET Core 3.0 has one CollectTracing, with the same result as the
// second version unless the rundown is off.
func TestOldest(t *testing.T) {
	r := eventpipetest.Start(t, eventpipetest.Config{Release: 3,
		Faults: map[eventpipe.Command]eventpipetest.Fault{eventpipe.CollectTracing2: eventpipetest.Refuse(eventpipe.UnknownCommand, "")}})
	s, err := r.Client().StartSession(t.Context(), session)
	if err != nil || s.Command != eventpipe.CollectTracing {
		t.Fatal(s, err)
	}
	s.Close()
	cfg := session
	cfg.NoRundown = true
	var e *eventpipe.UnsupportedError
	if _, err := r.Client().StartSession(t.Context(), cfg); !errors.As(err, &e) || !strings.Contains(e.Feature, "rundown") {
		t.Errorf("without rundown: %v", err)
	}
}

// TestSenseless: a configuration that no runtime accepts is refused before
// anything is sent.
func TestSenseless(t *testing.T) {
	r := eventpipetest.Start(t, eventpipetest.Config{})
	p := session.Providers
	for _, cfg := range []eventpipe.SessionConfig{
		{}, {Providers: p, BufferMB: -1}, {Providers: p, Format: 2}, {Providers: p, Format: -1},
		{Providers: []eventpipe.Provider{{}}}, {Providers: []eventpipe.Provider{{Name: "P", Level: 6}}}, {Providers: []eventpipe.Provider{{Name: "P", Level: -1}}},
	} {
		t.Run(fmt.Sprintf("%+v", cfg), func(t *testing.T) {
			if _, err := r.Client().StartSession(t.Context(), cfg); err == nil {
				t.Errorf("%+v was accepted", cfg)
			}
		})
	}
	if n := len(r.Requests()); n != 0 {
		t.Errorf("%d messages sent", n)
	}
}

// TestAnswers decodes the answers of a runtime.
func TestAnswers(t *testing.T) {
	info := eventpipe.ProcessInfo{PID: 7, Cookie: [16]byte{1, 2}, CommandLine: "app \U0001F600", OS: "Linux", Architecture: "x64",
		EntryAssembly: "app", Version: "10.0.1", PortableRID: "linux-x64"}
	environment := []string{"A=b", "EMPTY=", "Ä=\u20ac"}
	for release := 5; release <= 10; release++ {
		r := eventpipetest.Start(t, eventpipetest.Config{Release: release, Info: info, Environment: environment})
		want := info
		if release < 8 {
			want.PortableRID = ""
		}
		if release < 6 {
			want.EntryAssembly, want.Version = "", ""
		}
		if got, err := r.Client().ProcessInfo(t.Context()); err != nil || *got != want {
			t.Errorf(".NET %d: %+v, %v", release, got, err)
		}
		if release < 6 {
			continue
		}
		if got, err := r.Client().Environment(t.Context()); err != nil || !reflect.DeepEqual(got, environment) {
			t.Errorf(".NET %d: %q, %v", release, got, err)
		}
	}
}

// TestContext: the end of a context ends a command, with its cause.
func TestContext(t *testing.T) {
	wantNoLeaks(t)
	r := eventpipetest.Start(t, eventpipetest.Config{Faults: map[eventpipe.Command]eventpipetest.Fault{eventpipe.GetProcessInfo3: eventpipetest.Silent()}})
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("enough")
	time.AfterFunc(20*time.Millisecond, func() { cancel(why) })
	if _, err := r.Client().ProcessInfo(ctx); err != why {
		t.Errorf("cancelled: %v", err)
	}
	c := r.Client()
	c.Timeouts.Answer = 10 * time.Minute
	_, err := c.ProcessInfo(within(t, 20*time.Millisecond))
	wantReason(t, err, eventpipe.NotAnswering)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %v, want that of the context", err)
	}
	r.Kill()
}

// TestPorts: the error has the reason when nobody listens to a socket file or
// when there is no file.
func TestPorts(t *testing.T) {
	r := eventpipetest.Start(t, eventpipetest.Config{})
	r.Kill()
	_, err := r.Client().ProcessInfo(t.Context())
	wantReason(t, err, eventpipe.NoSocket)
	_, err = eventpipe.NewClient(filepath.Join(t.TempDir(), "none")).ProcessInfo(t.Context())
	wantReason(t, err, eventpipe.NoSocket)
}

// TestFullQueue: a server that does not accept, and whose queue is full,
// refuses with EAGAIN.
func TestFullQueue(t *testing.T) {
	tier.NeedsCheck(t) // it measures time
	wantNoLeaks(t)
	path := filepath.Join(t.TempDir(), "s")
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	if err := errors.Join(syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}), syscall.Listen(fd, 0)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if conn, err := net.DialTimeout("unix", path, 100*time.Millisecond); err == nil {
			defer conn.Close()
		}
	}
	c := eventpipe.NewClient(path)
	c.Timeouts.Connect = 100 * time.Millisecond
	begin := time.Now()
	_, err = c.ProcessInfo(bounded(t))
	wantReason(t, err, eventpipe.NotAnswering)
	if d := time.Since(begin); d < 100*time.Millisecond {
		t.Errorf("it took %v, want at least Timeouts.Connect", d)
	}
}

// TestLongPath: a socket is reached although its path, seen from this process, is
// longer than an address allows.
func TestLongPath(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("x", 120))
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	here, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close()
	r := eventpipetest.Start(t, eventpipetest.Config{Dir: fmt.Sprintf("/proc/self/fd/%d", here.Fd())})
	c := eventpipe.NewClient(filepath.Join(dir, filepath.Base(r.Address())))
	if _, err := c.ProcessInfo(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestSilentClient: a client that connects and sends nothing blocks other
// clients, whose calls return an error within the timeout.
func TestSilentClient(t *testing.T) {
	r := eventpipetest.Start(t, eventpipetest.Config{})
	conn, err := net.Dial("unix", r.Address())
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(conn, "DOTNET")
	_, err = withTimeouts(r.Client(), shortTimeout).ProcessInfo(t.Context())
	wantReason(t, err, eventpipe.NotAnswering)
	conn.Close()
	if _, err := r.Client().ProcessInfo(t.Context()); err != nil {
		t.Error(err)
	}
}
