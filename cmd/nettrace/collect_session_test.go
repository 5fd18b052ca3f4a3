//go:build unix

package main

import (
	"bytes"
	"path/filepath"
	"reflect"
	"slices"
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
