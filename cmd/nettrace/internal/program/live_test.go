//go:build unix

package program_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
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
