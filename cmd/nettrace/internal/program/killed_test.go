//go:build unix

package program_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestKilledProcess: all commands that read the stream of a process have the same words and exit
// code for a process that is killed.
func TestKilledProcess(t *testing.T) {
	data := testfile.Plain(t, "net10-mix-cpu.v4")
	for _, args := range [][]string{
		{"collect", "-o", "DIR/x.nettrace"}, {"collect", "--ring", "1m", "-o", "DIR/x.nettrace"}, {"events"}, {"report"}, {"report", "gc"},
		{"report", "--format", "html", "-o", "DIR/x.html"}, {"top"}, {"threadtime"}, {"query", "states"},
		{"counters", "--format", "csv", "--counters", "System.Runtime"}, {"stack"},
	} {
		dir := t.TempDir()
		for i, arg := range args {
			if len(arg) > 4 && arg[:4] == "DIR/" {
				args[i] = dir + arg[3:]
			}
		}
		r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: data, TruncateAfter: len(data) / 2}})
		got := programtest.Run(t, nil, append(args, "--port", r.Address()+",connect")...)
		if got.Code != exit.Broken {
			t.Errorf("%v: exit code %d", args, got.Code)
		}
		expect.Contains(t, args[0]+": stderr", got.Stderr, exit.StreamEnded)
	}
}
