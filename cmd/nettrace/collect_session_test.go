//go:build unix

package main

import (
	"bytes"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
)

// TestCollectConfig: what a file says, in TOML and in JSON, is what the runtime
// is asked for, and flags come on top.
func TestCollectConfig(t *testing.T) {
	asTOML := file(t, "c.toml", []byte(`
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
	asJSON := file(t, "c.json", []byte(`{"buffersize":32,"rundown":"0x10","stacks":false,"providers":[
		{"name":"A","keywords":3,"level":"verbose","arguments":{"Spec":"a,b"},"deny":[80,81]},
		{"name":"B","keywords":"F000000000000000","level":2}]}`))
	r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: plain(t, "net10-empty.v4")}})
	for _, args := range [][]string{
		{"--config", asTOML}, {"--config", asJSON}, {"--config", asJSON, "--provider", "C:0x4:1:k=v,w", "--buffersize", "8"},
	} {
		args = append(args, "--port", r.Address()+",connect", "-o", filepath.Join(t.TempDir(), "c.nettrace"), "--duration", "50ms")
		if got := nettrace(t, nil, append([]string{"collect"}, args...)...); got.code != exitDone {
			t.Fatalf("%q: exit %d, stderr %q", args, got.code, got.stderr)
		}
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
		port, path := filepath.Join(t.TempDir(), "port"), filepath.Join(t.TempDir(), "r.nettrace")
		done := make(chan result, 1)
		go func() {
			end := "--duration=50ms"
			if !resume {
				end = "--resume-runtime=false"
			}
			done <- nettrace(t, nil, "collect", "--port", port+",listen", "-o", path, "--providers", "A", end)
		}()
		r := eventpipetest.Start(t, eventpipetest.Config{Connect: port, Suspended: true, Trace: eventpipetest.Trace{Data: plain(t, "net10-empty.v4")}})
		want := exitDone
		if !resume {
			for begun := time.Now(); len(r.Sessions()) == 0 && time.Since(begun) < patience; time.Sleep(10 * time.Millisecond) {
			}
			time.Sleep(200 * time.Millisecond)
			r.Kill()
			want = exitBroken
		}
		if got := <-done; got.code != want {
			t.Errorf("resume %v: exit %d, stderr %q", resume, got.code, got.stderr)
		}
		var order []eventpipe.Command
		for _, request := range r.Requests() {
			order = append(order, request.Command)
		}
		started, resumed := slices.Index(order, eventpipe.CollectTracing2), slices.Index(order, eventpipe.ResumeRuntime)
		if started < 0 || resume && resumed < started || !resume && resumed >= 0 {
			t.Errorf("resume %v: it was asked %v", resume, order)
		}
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
		{"counters", 10, []string{"counters", "--format", "csv"}},
		{"a runtime without ResumeRuntime", 3, []string{"collect", "--providers", "A"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := eventpipetest.Start(t, eventpipetest.Config{
				Suspended: c.release > 3, Release: c.release, Trace: eventpipetest.Trace{Data: plain(t, "net10-empty.v4")},
			})
			args := append(c.args, "--port", r.Address()+",connect", "--duration", "50ms")
			if c.args[0] == "collect" {
				args = append(args, "-o", filepath.Join(t.TempDir(), "d.nettrace"))
			}
			if got := nettrace(t, nil, args...); got.code != exitDone {
				t.Errorf("exit %d, want 0, stderr %q", got.code, got.stderr)
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
	r := eventpipetest.Start(t, eventpipetest.Config{Suspended: true, Trace: eventpipetest.Trace{Data: plain(t, "net10-empty.v4")}})
	got := nettrace(t, nil, "collect", "--providers", "A", "--port", r.Address()+",connect", "--duration", "50ms",
		"--resume-runtime=false", "-o", filepath.Join(t.TempDir(), "l.nettrace"))
	if got.code != exitBroken {
		t.Errorf("exit %d, want %d", got.code, exitBroken)
	}
	if strings.Contains(got.stderr, "killed") || !strings.Contains(got.stderr, "suspended at its start") {
		t.Errorf("stderr %q, want that the runtime is suspended", got.stderr)
	}
	if n := len(requestsOf(r, eventpipe.ResumeRuntime)); n != 0 {
		t.Errorf("the runtime was resumed %d times, want 0", n)
	}
}
