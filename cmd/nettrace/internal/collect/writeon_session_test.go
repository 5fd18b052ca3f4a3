//go:build unix

package collect_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// runToExit runs the program until the runtime ends, which is when it has a number of
// sessions: rules see the events up to a stop only, and here is none.
func runToExit(t *testing.T, r *eventpipetest.Runtime, sessions int, args ...string) programtest.Result {
	t.Helper()
	done := make(chan programtest.Result, 1)
	go func() { done <- programtest.Run(t, nil, args...) }()
	proctest.WaitFor(t, func() bool { return len(r.Sessions()) >= sessions })
	r.Exit()
	return <-done
}

// recordFake records a fake runtime with rules into a folder until it ends. It
// returns the folder, what the program printed, and the providers of the session.
func recordFake(t *testing.T, trace string, flags ...string) (folder, stderr string, providers []eventpipe.Provider) {
	t.Helper()
	r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: testfile.Plain(t, trace)}})
	folder = t.TempDir()
	args := append([]string{"collect", "--port", r.Address() + ",connect", "-o", filepath.Join(folder, "r.nettrace"), "--providers", "A",
		"--names", "late", "--ring", "60s"}, flags...)
	got := runToExit(t, r, 1, args...)
	expect.Equal(t, "exit code ("+got.Stderr+")", got.Code, exit.Done)
	for _, s := range r.Sessions() {
		if s.Config.Providers[0].Name == "A" {
			providers = s.Config.Providers
		}
	}
	return folder, got.Stderr, providers
}

// TestWriteOnEnd: at the end of the recording a file is written too, and rules
// about counters that do not exist are reported.
func TestWriteOnEnd(t *testing.T) {
	folder, stderr, providers := recordFake(t, "net10-empty.v4", "--write-on", "My.Meter/orders > 5", "--write-on", "gc-pause > 1h")
	expect.Contains(t, "stderr", stderr, `rule "My.Meter/orders > 5" was true 0 times: the process sent no value of the counter`, `rule "gc-pause > 1h" was true 0 times`,
		"the rules add to the session: My.Meter, Microsoft-Windows-DotNETRuntime:0x1:4, My.Meter[orders]")
	expect.Len(t, "providers", providers, 4)
	expect.Stop(t)
	expect.Equal(t, "source of EventCounters", providers[1].Arguments, "EventCounterIntervalSec=1")
	expect.Equal(t, "provider of pauses", providers[2].Name, provider.Runtime)
	expect.Equal(t, "provider of Meters", providers[3].Name, counters.MetersProvider)
	expect.Contains(t, "its arguments", providers[3].Arguments, "SessionId=SHARED", `My.Meter\orders`)
	content := sidecars(t, folder)
	expect.Len(t, "files", content, 1)
	expect.Stop(t)
	expect.Equal(t, "reason", content[0].Reason, "end")
}

// TestWriteOnFired: a rule that becomes true is named once, although it is true
// again in its cooldown.
func TestWriteOnFired(t *testing.T) {
	folder, stderr, _ := recordFake(t, "net10-mix-gc.v4", "--write-on", "gc-pause > 0s", "--write-on", "GCStart:Depth=2")
	expect.Equal(t, "lines about a rule", strings.Count(stderr, `rule "gc-pause > 0s" at `), 1)
	expect.Contains(t, "stderr", stderr, " in its cooldown")
	var rules []string
	for _, one := range sidecars(t, folder) {
		for _, f := range one.Triggers {
			rules = append(rules, f.Rule)
		}
	}
	expect.Slices(t, "rules in sidecars", rules, []string{"GCStart:Depth=2", "gc-pause > 0s"})
}

// TestWriteOnTooLarge: a file that does not fit into --max-disk is not written, and no
// older one is deleted for it.
func TestWriteOnTooLarge(t *testing.T) {
	folder, _, _ := recordFake(t, "net10-mix-gc.v4", "--write-on", "gc-pause > 1000h")
	before := filesOf(t, folder)
	r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: testfile.Plain(t, "net10-deep.v4")}})
	got := programtest.Run(t, nil, "collect", "--port", r.Address()+",connect", "-o", filepath.Join(folder, "r.nettrace"), "--providers", "A",
		"--names", "late", "--ring", "60s,2MB", "--duration", "50ms", "--write-on", "gc-pause > 1000h", "--max-disk", "900kB")
	got.Exits(t, exit.Broken)
	got.Complains(t, "warning: --ring (2.0 MB) is larger than --max-disk (900.0 kB)")
	got.Complains(t, "the file is larger than --max-disk (")
	expect.Slices(t, "files", filesOf(t, folder), before)
}

// TestWriteOnRoom: the compressed size and that of the sidecar are compared with
// --max-disk.
func TestWriteOnRoom(t *testing.T) {
	for _, c := range []struct {
		name, extension string
		above           int64 // of --max-disk, above the size of the trace
		code            int
	}{
		{"compressed", ".nettrace.zst", 2000, exit.Done},
		{"without room for the sidecar", ".nettrace", 50, exit.Broken},
	} {
		t.Run(c.name, func(t *testing.T) {
			write := func(folder, trace string, flags ...string) programtest.Result {
				r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: testfile.Plain(t, trace)}})
				return programtest.Run(t, nil, append([]string{"collect", "--port", r.Address() + ",connect", "-o", filepath.Join(folder, "r"+c.extension),
					"--providers", "A", "--names", "late", "--ring", "60s,2MB", "--duration", "50ms", "--write-on", "gc-pause > 1000h"}, flags...)...)
			}
			measured, folder := t.TempDir(), t.TempDir()
			write(measured, "net10-deep.v4").Exits(t, exit.Done)
			info, err := os.Stat(filepath.Join(measured, filesOf(t, measured)[0]))
			expect.NoError(t, err)
			write(folder, "net10-empty.v4").Exits(t, exit.Done)
			before := filesOf(t, folder)
			write(folder, "net10-deep.v4", "--max-disk", fmt.Sprintf("%.3fkB", float64(info.Size()+c.above)/1000)).Exits(t, c.code)
			if c.code != exit.Done {
				expect.Slices(t, "files", filesOf(t, folder), before)
			}
		})
	}
}

// filesOf returns the names of the files of a folder.
func filesOf(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	expect.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestWriteOnRefused: another client receives the Meters that a rule is about.
func TestWriteOnRefused(t *testing.T) {
	r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: testfile.Plain(t, "net10-counters.v4")}})
	got := runToExit(t, r, 1, "collect", "--port", r.Address()+",connect", "-o", filepath.Join(t.TempDir(), "r.nettrace"), "--providers", "A",
		"--names", "late", "--ring", "60s", "--write-on", "My.Meter/orders > 5")
	got.Exits(t, exit.Broken)
	got.Complains(t, "rules about Meters see no values")
}

// TestRotateDuration: the first line of a recording has its --duration.
func TestRotateDuration(t *testing.T) {
	r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: testfile.Plain(t, "net10-empty.v4")}})
	got := programtest.Run(t, nil, "collect", "--port", r.Address()+",connect", "-o", filepath.Join(t.TempDir(), "r.nettrace"), "--providers", "A",
		"--rotate", "1h", "--duration", "50ms")
	got.Exits(t, exit.Done)
	got.Complains(t, " for 50ms")
}

// content is what tests read of a sidecar.
type content struct {
	Trace, Reason string
	Triggers      []struct{ Rule string }
}

// sidecars reads all sidecars of a folder.
func sidecars(t *testing.T, folder string) (list []content) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "r_*.nettrace.json"))
	expect.NoError(t, err)
	for _, name := range names {
		data, err := os.ReadFile(name)
		expect.NoError(t, err)
		var one content
		expect.NoError(t, json.Unmarshal(data, &one))
		expect.Equal(t, "trace", one.Trace+".json", filepath.Base(name))
		list = append(list, one)
	}
	return list
}
