//go:build linux

package collect_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestLateSession: the time of --duration begins when the process has begun the session, so
// that a process that answers late is recorded too.
func TestLateSession(t *testing.T) {
	folder := t.TempDir()
	for _, args := range [][]string{
		{"collect", "--providers", "A", "-o", filepath.Join(folder, "plain.nettrace")},
		{"collect", "--providers", "A", "-o", filepath.Join(folder, "rotated.nettrace"), "--rotate", "1h"},
		{"counters", "--format", "csv", "--any-session"},
		{"events"},
		{"report", "counters"},
	} {
		t.Run(args[0]+" "+strconv.Itoa(len(args)), func(t *testing.T) {
			late := eventpipetest.Slow(300 * time.Millisecond)
			eventpipetest.Start(t, eventpipetest.Config{Dir: os.TempDir(), Info: running, Trace: eventpipetest.Trace{Data: testfile.Plain(t, "net10-counters.v4")},
				Faults: map[eventpipe.Command]eventpipetest.Fault{eventpipe.CollectTracing2: late, eventpipe.CollectTracing5: late}})
			got := programtest.Run(t, nil, append(args, "-p", strconv.Itoa(os.Getpid()), "--duration", "100ms")...)
			expect.Equal(t, "exit code ("+got.Stderr+")", got.Code, exit.Done)
		})
	}
}
