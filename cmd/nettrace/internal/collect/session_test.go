//go:build unix

package collect_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	library "github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// TestCollectFolder: the output is a folder, which gets a file with the default name.
func TestCollectFolder(t *testing.T) {
	r := eventpipetest.Start(t, eventpipetest.Config{
		Trace: eventpipetest.Trace{Data: testfile.Plain(t, "net10-empty.v4")}, Info: eventpipe.ProcessInfo{EntryAssembly: "shop"},
	})
	dir := t.TempDir()
	programtest.Run(t, nil, "collect", "--port", r.Address()+",connect", "--duration", "50ms", "-o", dir).Exits(t, exit.Done)
	names, err := filepath.Glob(filepath.Join(dir, "shop_*.nettrace"))
	expect.NoError(t, err)
	expect.Len(t, "files", names, 1)
}

// TestCollectConfig: what a file says, in TOML and in JSON, is what the runtime
// is asked for, and flags come on top.
func TestCollectConfig(t *testing.T) {
	asTOML := testfile.New(t, "c.toml", []byte(`
buffersize = 32
rundown = "0x10"
stacks = false

[[providers]]
name = "A"
keywords = 0x3
level = "verbose"
arguments = { Spec = "a,b" }
deny = [80, 81]

[[providers]]
name = "B"
keywords = "0xF000000000000000"
level = 2
`))
	asJSON := testfile.New(t, "c.json", []byte(`{"buffersize":32,"rundown":"0x10","stacks":false,"providers":[
		{"name":"A","keywords":3,"level":"verbose","arguments":{"Spec":"a,b"},"deny":[80,81]},
		{"name":"B","keywords":"F000000000000000","level":2}]}`))
	r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: testfile.Plain(t, "net10-empty.v4")}})
	for _, args := range [][]string{
		{"--config", asTOML}, {"--config", asJSON}, {"--config", asJSON, "--provider", "C:0x4:1:k=v,w", "--buffersize", "8"},
	} {
		t.Run(testfile.CaseName(args...), func(t *testing.T) {
			args = append(args, "--port", r.Address()+",connect", "-o", filepath.Join(t.TempDir(), "c.nettrace"), "--duration", "50ms")
			if got := programtest.Run(t, nil, append([]string{"collect"}, args...)...); got.Code != exit.Done {
				t.Fatalf("exit %d, stderr %q", got.Code, got.Stderr)
			}
		})
	}
	want := eventpipe.SessionConfig{BufferMB: 32, RundownKeyword: 0x10, NoStacks: true, Providers: []eventpipe.Provider{
		{Name: "A", Keywords: 3, Level: 5, Arguments: "Spec=a,b", Filter: &eventpipe.EventFilter{IDs: []uint32{80, 81}, Deny: true}},
		{Name: "B", Keywords: 0xF000000000000000, Level: 2},
	}}
	sessions, asked := r.Sessions(), requestsOf(r, eventpipe.CollectTracing5)
	if len(sessions) != 3 || len(asked) != 3 {
		t.Fatalf("%d sessions, asked for %d times", len(sessions), len(asked))
	}
	if got := sessions[0].Config; !reflect.DeepEqual(got, want) {
		t.Errorf("TOML: %+v, want %+v", got, want)
	}
	if !bytes.Equal(asked[0], asked[1]) {
		t.Errorf("JSON asks otherwise than TOML:\n%x\n%x", asked[1], asked[0])
	}
	want.BufferMB = 8
	want.Providers = append(want.Providers, eventpipe.Provider{Name: "C", Keywords: 4, Level: 1, Arguments: "k=v,w"})
	if got := sessions[2].Config; !reflect.DeepEqual(got, want) {
		t.Errorf("with flags: %+v, want %+v", got, want)
	}
}

// TestCollectSilent: a provider of the command line that sent no event is a note, one of a
// profile is none.
func TestCollectSilent(t *testing.T) {
	r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: testfile.Plain(t, "net10-mix-gc.v4")}})
	const runtime, note = "Microsoft-Windows-DotNETRuntime", "c.nettrace: note: no event of "
	const level = "their level is above that of the flags (self-describing events have level 5: NAME:KEYWORDS:5)"
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"one that sent events", []string{"--providers", strings.ToLower(runtime)}, ""},
		{"a profile", []string{"--profile", "dotnet-sampled-thread-time"}, ""},
		{"a list", []string{"--providers", "Shop," + runtime + ",Till"}, note + "Shop, Till: none happened, " + level + ", or the process has no such provider\n"},
		{"one at a time", []string{"--provider", "Shop:0x1", "--provider", runtime}, note + "Shop: none happened, " + level + ", or the process has no such provider\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "c.nettrace")
			got := programtest.Run(t, nil, append([]string{"collect", "--port", r.Address() + ",connect", "-o", path, "--duration", "50ms"}, c.args...)...)
			got.Exits(t, exit.Done)
			expect.Equal(t, "a note", strings.Contains(got.Stderr, "no event of"), c.want != "")
			expect.Contains(t, "stderr", got.Stderr, c.want)
		})
	}
}

// requestsOf are the messages of one command that have come to a played runtime.
func requestsOf(r *eventpipetest.Runtime, cmd eventpipe.Command) (list [][]byte) {
	for _, request := range r.Requests() {
		if request.Command == cmd {
			list = append(list, request.Raw)
		}
	}
	return list
}

// TestCollectResume: a runtime that waits is let go when its session runs, unless
// that is left to somebody else.
func TestCollectResume(t *testing.T) {
	for _, resume := range []bool{true, false} {
		t.Run(fmt.Sprintf("resume=%v", resume), func(t *testing.T) {
			if !resume {
				tier.NeedsCheck(t) // it waits for what must not happen
			}
			port, path := filepath.Join(t.TempDir(), "port"), filepath.Join(t.TempDir(), "r.nettrace")
			done := make(chan programtest.Result, 1)
			go func() {
				end := "--duration=50ms"
				if !resume {
					end = "--resume-runtime=false"
				}
				done <- programtest.Run(t, nil, "collect", "--port", port+",listen", "-o", path, "--providers", "A", end)
			}()
			r := eventpipetest.Start(t, eventpipetest.Config{Connect: port, Suspended: true, Trace: eventpipetest.Trace{Data: testfile.Plain(t, "net10-empty.v4")}})
			want := exit.Done
			if !resume {
				for begun := time.Now(); len(r.Sessions()) == 0 && time.Since(begun) < proctest.Patience; time.Sleep(10 * time.Millisecond) {
				}
				time.Sleep(200 * time.Millisecond)
				r.Kill()
				want = exit.Broken
			}
			if got := <-done; got.Code != want {
				t.Errorf("exit %d, stderr %q", got.Code, got.Stderr)
			}
			var order []eventpipe.Command
			for _, request := range r.Requests() {
				order = append(order, request.Command)
			}
			started, resumed := slices.Index(order, eventpipe.CollectTracing2), slices.Index(order, eventpipe.ResumeRuntime)
			expect.AtLeast(t, "started", started, 0)
			if resume && resumed < started {
				t.Errorf("requests: got %v, want ResumeRuntime after CollectTracing2", order)
			}
			if !resume && resumed >= 0 {
				t.Errorf("requests: got %v, want no ResumeRuntime", order)
			}
		})
	}
}

// TestResumeDefaultPort covers a runtime that waits on its default port
// (DOTNET_DefaultDiagnosticPortSuspend=1): each command that opens a session
// resumes it after that, and records it to the end mark.
func TestResumeDefaultPort(t *testing.T) {
	for _, c := range []struct {
		name    string
		release int
		args    []string
	}{
		{"collect", 10, []string{"collect", "--providers", "A"}},
		{"counters", 10, []string{"counters", "--format", "csv", "--any-session"}},
		{"a runtime without ResumeRuntime", 3, []string{"collect", "--providers", "A"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := eventpipetest.Start(t, eventpipetest.Config{
				Suspended: c.release > 3, Release: c.release, Trace: eventpipetest.Trace{Data: testfile.Plain(t, "net10-counters.v4")},
			})
			args := append(c.args, "--port", r.Address()+",connect", "--duration", "50ms")
			if c.args[0] == "collect" {
				args = append(args, "-o", filepath.Join(t.TempDir(), "d.nettrace"))
			}
			if got := programtest.Run(t, nil, args...); got.Code != exit.Done {
				t.Errorf("exit %d, want 0, stderr %q", got.Code, got.Stderr)
			}
			started, resumed := -1, -1
			for i, request := range r.Requests() {
				switch request.Command {
				case eventpipe.CollectTracing2:
					started = i
				case eventpipe.ResumeRuntime:
					resumed = i
				}
			}
			if started < 0 || resumed < started {
				t.Errorf("the session is request %d and the resumption request %d, want the session first", started, resumed)
			}
		})
	}
}

// TestResumeLeft covers a session that ends while the runtime still waits at its
// start: the runtime sends nothing, and the message does not claim that the
// process was killed.
func TestResumeLeft(t *testing.T) {
	r := eventpipetest.Start(t, eventpipetest.Config{Suspended: true, Trace: eventpipetest.Trace{Data: testfile.Plain(t, "net10-empty.v4")}})
	got := programtest.Run(t, nil, "collect", "--providers", "A", "--port", r.Address()+",connect", "--duration", "50ms",
		"--resume-runtime=false", "-o", filepath.Join(t.TempDir(), "l.nettrace"))
	if got.Code != exit.Broken {
		t.Errorf("exit %d, want %d", got.Code, exit.Broken)
	}
	if strings.Contains(got.Stderr, "killed") || !strings.Contains(got.Stderr, "suspended at its start") {
		t.Errorf("stderr %q, want that the runtime is suspended", got.Stderr)
	}
	if n := len(requestsOf(r, eventpipe.ResumeRuntime)); n != 0 {
		t.Errorf("the runtime was resumed %d times, want 0", n)
	}
}

// TestCollectDrain: --drain bounds the silence of a process after it was stopped.
func TestCollectDrain(t *testing.T) {
	data := testfile.Plain(t, "net10-empty.v4")
	r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: data},
		Faults: map[eventpipe.Command]eventpipetest.Fault{eventpipe.StopTracing: eventpipetest.Silent()}})
	port := r.Address() + ",connect"
	for _, ring := range []bool{false, true} {
		t.Run(fmt.Sprintf("ring=%v", ring), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "d.nettrace")
			args := []string{"collect", "--port", port, "-o", path, "--providers", "A", "--duration", "300ms", "--drain", "300ms"}
			if ring {
				args = append(args, "--ring", "1h,1MiB")
			}
			got := programtest.Run(t, nil, args...)
			if got.Code != exit.Broken || !strings.Contains(got.Stderr, "--drain") {
				t.Errorf("exit %d, stderr %q; want exit 1 and --drain", got.Code, got.Stderr)
			}
			eventsIn(t, path)
		})
	}
}

// eventsIn counts the events of a complete trace.
func eventsIn(t *testing.T, path string) int64 {
	t.Helper()
	r, err := library.Open(path)
	expect.NoError(t, err)
	defer r.Close()
	for range r.Events() {
	}
	expect.NoError(t, r.Err())
	return r.Count()
}

// TestCollectMalformed: a stream that is malformed ends the session at once with
// the reason, although the process would send on; the file has the blocks before
// that place, and --keep-raw the bytes that came.
func TestCollectMalformed(t *testing.T) {
	data := testfile.Plain(t, "net10-counters.v4")
	renamed := bytes.Clone(data)
	renamed[bytes.LastIndex(renamed, []byte("EventBlock"))] = 'e'
	untagged := bytes.Clone(data)
	untagged[bytes.LastIndex(untagged, []byte("\x05\x05\x01"))] = 9
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"no trace", []byte(strings.Repeat("no trace at all ", 20)), "malformed: not a NetTrace"},
		{"a tag", untagged, "NT4-OBJ-002"},
		{"the name of a block", renamed, `unknown type "eventBlock"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: c.data, Endless: make([]byte, 4096)}})
			path := filepath.Join(t.TempDir(), "m.nettrace.zst")
			got := programtest.Run(t, nil, "collect", "--port", r.Address()+",connect", "-o", path, "--providers", "A", "--keep-raw")
			got.Exits(t, exit.Broken)
			expect.Contains(t, "stderr", got.Stderr, c.want)
			expect.Lacks(t, "stderr", got.Stderr, "lost")
			raw, err := os.ReadFile(strings.TrimSuffix(path, ".nettrace.zst") + ".raw")
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.HasPrefix(raw, c.data[:len(c.data)-1]) {
				t.Errorf("the raw file has %d bytes, want at least the %d that were sent before the fault", len(raw), len(c.data)-1)
			}
			if n := len(requestsOf(r, eventpipe.StopTracing)); n != 0 {
				t.Errorf("%d requests to stop, want 0: nobody reads the rest", n)
			}
		})
	}
}

// TestCollectKeepRaw: the raw file of a complete recording has the bytes that the
// process sent; an existing one is not replaced without --force.
func TestCollectKeepRaw(t *testing.T) {
	data := testfile.Plain(t, "net10-empty.v4")
	r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: data}})
	path := filepath.Join(t.TempDir(), "k.nettrace")
	args := []string{"collect", "--port", r.Address() + ",connect", "-o", path, "--providers", "A", "--duration", "50ms", "--keep-raw"}
	if got := programtest.Run(t, nil, args...); got.Code != exit.Done {
		t.Errorf("exit %d, stderr %q", got.Code, got.Stderr)
	}
	raw := strings.TrimSuffix(path, "nettrace") + "raw"
	if got, err := os.ReadFile(raw); err != nil || !bytes.Equal(got, data) {
		t.Errorf("the raw file has %d bytes, %v; want the %d that were sent", len(got), err, len(data))
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if got := programtest.Run(t, nil, args...); got.Code != exit.Usage || !strings.Contains(got.Stderr, "k.raw") {
		t.Errorf("over a raw file that exists: exit %d, stderr %q; want exit 2", got.Code, got.Stderr)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a trace file is left although nothing was recorded")
	}
	if got := programtest.Run(t, nil, append(args, "--force")...); got.Code != exit.Done {
		t.Errorf("with --force: exit %d, stderr %q", got.Code, got.Stderr)
	}
}

// TestCollectBadBlock: a block whose rows cannot be read is named when it comes,
// and the exit code is 1 although the file has all bytes.
func TestCollectBadBlock(t *testing.T) {
	data := bytes.Clone(testfile.Plain(t, "net10-counters.v4"))
	at := bytes.LastIndex(data, []byte("EventBlock")) + len("EventBlock") + 5
	at += -at & 3
	for i := range 13 { // the flags of the first row, and VarInts without an end
		data[at+20+i] = 0xFF
	}
	r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: data}})
	path := filepath.Join(t.TempDir(), "b.nettrace")
	got := programtest.Run(t, nil, "collect", "--port", r.Address()+",connect", "-o", path, "--providers", "A", "--duration", "50ms")
	got.Exits(t, exit.Broken)
	expect.Contains(t, "stderr", got.Stderr, "the recording goes on", "1 bad block:")
	if file, err := os.ReadFile(path); err != nil || !bytes.Equal(file, data) {
		t.Errorf("the file has %d bytes, %v; want the %d that were sent", len(file), err, len(data))
	}
}

// TestSignalTwice ends commands as timeout(1) does, which signals them twice: the
// second signal neither gives up the rest of the stream nor kills the program.
func TestSignalTwice(t *testing.T) {
	data := testfile.Plain(t, "net10-counters.v4")
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		for _, verb := range []string{"collect", "counters"} {
			t.Run(verb+" "+signal.String(), func(t *testing.T) {
				// The played runtime answers StopTracing late, so that the second signal
				// comes before the session ends.
				r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: data},
					Faults: map[eventpipe.Command]eventpipetest.Fault{eventpipe.StopTracing: eventpipetest.Slow(200 * time.Millisecond)}})
				args := []string{verb, "--port", r.Address() + ",connect"}
				path := filepath.Join(t.TempDir(), "s.nettrace")
				if verb == "collect" {
					args = append(args, "--providers", "A", "-o", path)
				} else {
					args = append(args, "--any-session")
				}
				cmd := programtest.Process(t, args...)
				var stderr bytes.Buffer
				cmd.Stderr = &stderr
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				proctest.WaitFor(t, func() bool { return len(r.Sessions()) > 0 && len(requestsOf(r, eventpipe.ResumeRuntime)) > 0 })
				_ = cmd.Process.Signal(signal)
				_ = cmd.Process.Signal(signal)
				if err := cmd.Wait(); err != nil {
					t.Errorf("%v, stderr %q; want exit 0", err, stderr.String())
				}
				if verb != "collect" {
					return
				}
				if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, data) {
					t.Errorf("the file has %d bytes, %v; want the %d that were sent", len(got), err, len(data))
				}
			})
		}
	}
}

// TestListenOthers: when several runtimes connect to the port that collect listens
// on, the first one is recorded and the others are resumed.
func TestListenOthers(t *testing.T) {
	port := filepath.Join(t.TempDir(), "port")
	data := testfile.Plain(t, "net10-empty.v4")
	done := make(chan programtest.Result, 1)
	go func() {
		done <- programtest.Run(t, nil, "collect", "--port", port+",listen", "-o", filepath.Join(t.TempDir(), "p.nettrace"), "--providers", "A")
	}()
	var runtimes []*eventpipetest.Runtime
	for i := range 3 {
		runtimes = append(runtimes, eventpipetest.Start(t, eventpipetest.Config{Connect: port, Suspended: true,
			Info: eventpipe.ProcessInfo{Cookie: [16]byte{byte(i + 1)}}, Trace: eventpipetest.Trace{Data: data}}))
	}
	sessions := 0
	for i, r := range runtimes {
		select {
		case <-r.Resumed():
		case <-time.After(proctest.Patience):
			t.Errorf("runtime %d stays suspended", i)
		}
	}
	for _, r := range runtimes {
		sessions += len(r.Sessions())
		go r.Exit() // its end ends the recording
	}
	got := <-done
	got.Exits(t, exit.Done)
	expect.Equal(t, "sessions", sessions, 1)
	expect.Equal(t, "lines about the others", strings.Count(got.Stderr, "connected to the port too: resumed"), 2)
}

// TestListenAbandoned: a runtime that waits on our port is resumed when it cannot
// be recorded.
func TestListenAbandoned(t *testing.T) {
	for _, cmd := range []eventpipe.Command{eventpipe.GetProcessInfo3, eventpipe.CollectTracing2} {
		t.Run(cmd.String(), func(t *testing.T) {
			port := filepath.Join(t.TempDir(), "port")
			done := make(chan programtest.Result, 1)
			go func() {
				done <- programtest.Run(t, nil, "collect", "--port", port+",listen", "-o", filepath.Join(t.TempDir(), "a.nettrace"), "--providers", "A")
			}()
			r := eventpipetest.Start(t, eventpipetest.Config{Connect: port, Suspended: true,
				Faults: map[eventpipe.Command]eventpipetest.Fault{cmd: eventpipetest.Garbage()}})
			if got := <-done; got.Code != exit.Usage {
				t.Errorf("exit %d, stderr %q; want exit 2", got.Code, got.Stderr)
			}
			select {
			case <-r.Resumed(): // soon after its answer, which ends collect
			case <-time.After(proctest.Patience):
				t.Error("the runtime stays suspended")
			}
		})
	}
}
