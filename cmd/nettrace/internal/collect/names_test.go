//go:build unix

package collect_test

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// running is the description of a runtime that is not suspended at its start.
var running = eventpipe.ProcessInfo{EntryAssembly: "app"}

// TestNamesSessions: which sessions --names starts, in which order, on a new and
// on an old runtime.
func TestNamesSessions(t *testing.T) {
	names, early := provider.Names(), provider.EarlyRundown()
	for _, c := range []struct {
		name    string
		release int
		flags   []string
		want    []eventpipe.SessionConfig // before the recording
		rundown bool                      // of the recording
	}{
		{"default", 10, nil, nil, true},
		{"late", 10, []string{"--names", "late"}, nil, true},
		{"both", 10, []string{"--names", "both"}, []eventpipe.SessionConfig{names[0], early[0]}, true},
		{"early", 10, []string{"--names", "early"}, []eventpipe.SessionConfig{names[0], early[0]}, false},
		{"ring", 10, []string{"--ring", "10m"}, []eventpipe.SessionConfig{names[0], early[0]}, true},
		{"ring without rundown", 10, []string{"--ring", "10m", "--rundown", "false"}, nil, false},
		{".NET 9 has no filter", 9, []string{"--names", "both"}, []eventpipe.SessionConfig{names[1], early[0]}, true},
		{".NET 8 has stacks and one rundown", 8, []string{"--names", "both"}, []eventpipe.SessionConfig{names[2], early[1]}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := eventpipetest.Start(t, eventpipetest.Config{Release: c.release, Info: running, Trace: eventpipetest.Trace{Data: testfile.Plain(t, "net10-empty.v4")}})
			args := append([]string{"collect", "--port", r.Address() + ",connect", "-o", filepath.Join(t.TempDir(), "n.nettrace"), "--providers", "A", "--duration", "20ms"}, c.flags...)
			got := programtest.Run(t, nil, args...)
			got.Exits(t, exit.Done)
			sessions := r.Sessions()
			expect.Len(t, "sessions", sessions, len(c.want)+1)
			expect.Stop(t)
			for i, want := range c.want {
				if got := sessions[i].Config; !reflect.DeepEqual(got.Providers, want.Providers) || got.NoRundown != want.NoRundown || got.NoStacks != want.NoStacks {
					t.Errorf("session %d is %+v, want %+v", i, got, want)
				}
			}
			expect.Equal(t, "rundown at the end", !sessions[len(c.want)].Config.NoRundown, c.rundown)
		})
	}
}

// TestNamesWritten: names are written after the stream of a killed process, and
// not after one that has sent its own. The file has no finding.
func TestNamesWritten(t *testing.T) {
	data := testfile.Plain(t, "net10-mix-gc.v4")
	for _, c := range []struct {
		name   string
		killed bool
		flags  []string
		want   bool
	}{
		{"killed", true, nil, true},
		{"complete", false, nil, false},
		{"no rundown", false, []string{"--names", "early"}, true},
		{"killed ring", true, []string{"--ring", "1h"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			trace := eventpipetest.Trace{Data: data}
			if c.killed {
				trace.TruncateAfter = len(data) - 1000
			}
			r := eventpipetest.Start(t, eventpipetest.Config{Info: running, Trace: trace})
			path := filepath.Join(t.TempDir(), "n.nettrace")
			args := append([]string{"collect", "--port", r.Address() + ",connect", "-o", path, "--providers", "A", "--duration", "20ms", "--names", "both"}, c.flags...)
			got := programtest.Run(t, nil, args...)
			expect.Contains(t, "stderr", got.Stderr, "early rundown: ")
			expect.Equal(t, "prints the names that were written", strings.Contains(got.Stderr, "from the early rundown and the session for names"), c.want)
			const once = "Microsoft-DotNETCore-EventPipe/ProcessInfo(1)"
			listed := programtest.Run(t, nil, "events", path, "--provider", "Microsoft-DotNETCore-EventPipe")
			want := 1
			if c.want {
				want = 2 // the fake runtime sends the same stream in each session
			}
			expect.Equal(t, "ProcessInfo", strings.Count(listed.Out, once), want)
			checked := programtest.Run(t, nil, "check", path, "--fail-on", "information")
			expect.Equal(t, "check: exit code", checked.Code, exit.Done)
		})
	}
}

// TestNamesRefused: a session for names that cannot be started is a warning if
// the recording has a rundown, and otherwise an error.
func TestNamesRefused(t *testing.T) {
	for _, c := range []struct {
		names string
		code  int
		want  string
	}{
		{"both", exit.Done, "warning: "},
		{"early", exit.Usage, "the session for names"},
	} {
		t.Run(c.names, func(t *testing.T) {
			r := eventpipetest.Start(t, eventpipetest.Config{Info: running, Trace: eventpipetest.Trace{Data: testfile.Plain(t, "net10-empty.v4")},
				Faults: map[eventpipe.Command]eventpipetest.Fault{eventpipe.CollectTracing5: eventpipetest.Refuse(eventpipe.Fail, "")}})
			got := programtest.Run(t, nil, "collect", "--port", r.Address()+",connect", "-o", filepath.Join(t.TempDir(), "n.nettrace"),
				"--providers", "A", "--duration", "20ms", "--names", c.names)
			expect.Equal(t, "exit code", got.Code, c.code)
			expect.Contains(t, "stderr", got.Stderr, c.want, "the session for names")
		})
	}
}

// TestNamesIncomplete: after a failed early rundown a file of a ring has the names
// of a session of its own.
func TestNamesIncomplete(t *testing.T) {
	r := eventpipetest.Start(t, eventpipetest.Config{Info: running, Trace: eventpipetest.Trace{Data: testfile.Plain(t, "net10-mix-gc.v4")},
		Faults: map[eventpipe.Command]eventpipetest.Fault{eventpipe.CollectTracing4: eventpipetest.Refuse(eventpipe.Fail, "")}})
	// The first session is for names, the second one is the recording.
	got := runToExit(t, r, 3, "collect", "--port", r.Address()+",connect", "-o", filepath.Join(t.TempDir(), "n.nettrace"),
		"--providers", "A", "--ring", "60s", "--write-on", "GCStart:Depth=2")
	expect.Contains(t, "stderr", got.Stderr, "the early rundown: ")
	expect.Len(t, "sessions ("+got.Stderr+")", r.Sessions(), 3)
}
