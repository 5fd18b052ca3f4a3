//go:build unix

package program_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestCommandsOfProcess: the commands that read traces record a process first, and leave no file.
func TestCommandsOfProcess(t *testing.T) {
	for _, c := range []struct {
		trace, args, want string
	}{
		{"net10-mix-gcheap.v4", "heap", "objects"},
		{"net10-mix-cpu.v4", "threadtime --duration 50ms", "running"},
		{"net10-mix-cpu.v4", "query --duration 50ms states", "waiting"},
		{"net10-mix-gc.v4", "report --duration 50ms --format html", "<html"},
		{"net10-mix-gc.v4", "report gc --duration 50ms", "collections"},
	} {
		dir := t.TempDir()
		t.Setenv("TMPDIR", dir)
		r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: testfile.Plain(t, c.trace)}})
		got := programtest.Run(t, nil, append(strings.Fields(c.args), "--port", r.Address()+",connect")...)
		if got.Code != exit.Done {
			t.Errorf("%s: exit code %d: %s", c.args, got.Code, got.Stderr)
		}
		expect.Contains(t, "output of "+c.args, got.Out, c.want)
		left, err := filepath.Glob(filepath.Join(dir, "nettrace-temporary-*"))
		expect.NoError(t, err)
		expect.Len(t, "files of "+c.args, left, 0)
	}
}

// TestLateSources: each command that has a session in a running process of .NET 11 says once that
// the first events of managed sources can be missing.
func TestLateSources(t *testing.T) {
	data := testfile.Plain(t, "net10-counters.v4")
	for _, args := range []string{
		"collect --force --providers A -o " + filepath.Join(t.TempDir(), "a.nettrace"), "events --provider A", "report counters", "counters --format csv",
	} {
		for release, want := range map[int]int{10: 0, 11: 1} {
			r := eventpipetest.Start(t, eventpipetest.Config{
				Release: release, Info: eventpipe.ProcessInfo{EntryAssembly: "app"}, Trace: eventpipetest.Trace{Data: data},
			})
			got := programtest.Run(t, nil, append(strings.Fields(args), "--port", r.Address()+",connect", "--duration", "50ms")...)
			if n := strings.Count(got.Stderr, "up to 100 ms after the start: what they send in that time can be missing"); n != want {
				t.Errorf("%s, .NET %d: the note is there %d times, want %d: exit code %d, %s", args, release, n, want, got.Code, got.Stderr)
			}
		}
	}
}
