//go:build linux

package collect_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestThreadTimes records a fake runtime that has the PID of this process: the
// times of its threads are added, unless a flag leaves them out. The file has no finding.
func TestThreadTimes(t *testing.T) {
	data := testfile.Plain(t, "net10-mix-cpu.v4") // more than 10,000 events: check asks for a sequence point at the end
	for _, c := range []struct {
		flag  string
		added bool
	}{
		{"", true}, {"--no-thread-times", false}, {"--raw", false},
	} {
		t.Run(testfile.CaseName(c.flag), func(t *testing.T) {
			eventpipetest.Start(t, eventpipetest.Config{Dir: os.TempDir(), Info: running, Trace: eventpipetest.Trace{Data: data}})
			path := filepath.Join(t.TempDir(), "t.nettrace")
			args := []string{"collect", "-p", strconv.Itoa(os.Getpid()), "-o", path, "--providers", "A", "--duration", "50ms"}
			recorded := programtest.Run(t, nil, append(args, strings.Fields(c.flag)...)...)
			recorded.Exits(t, exit.Done)
			written, err := os.ReadFile(path)
			expect.NoError(t, err)
			expect.Equal(t, "the bytes of the process alone", bytes.Equal(written, data), !c.added)
			r := codec.NewBytesReader(written, codec.Options{})
			for range r.Events() {
			}
			expect.Contains(t, "printed number of events", recorded.Stderr, ": "+display.Counted(r.Count(), "event")+", ")
			listed := programtest.Run(t, nil, "events", path, "--provider", "Nettrace-Collector", "--fields")
			expect.Equal(t, "has times", strings.Contains(listed.Out, "ThreadTime(1)"), c.added)
			if c.added {
				expect.Contains(t, "fields", listed.Out, "UserNanoseconds=", "ThreadID=")
			}
			programtest.Run(t, nil, "check", path, "--fail-on", "information").Exits(t, exit.Done)
		})
	}
}
