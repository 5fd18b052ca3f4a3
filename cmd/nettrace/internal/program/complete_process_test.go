//go:build linux

package program_test

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// visible starts a runtime whose port is that of the test's process, so that the process
// is in the list of .NET processes.
func visible(t *testing.T, cfg eventpipetest.Config) {
	t.Helper()
	cfg.Dir = os.TempDir()
	cfg.Info = eventpipe.ProcessInfo{EntryAssembly: "shop"}
	r := eventpipetest.Start(t, cfg)
	t.Cleanup(func() { _ = os.Remove(r.Address()) })
}

// TestProcesses completes the PID and the name of a running process. The runtime reports
// the program shop, but --name accepts only the name of the test's program for it.
func TestProcesses(t *testing.T) {
	visible(t, eventpipetest.Config{})
	pid, program := strconv.Itoa(os.Getpid()), filepath.Base(os.Args[0])
	for _, c := range []struct{ command, flag, value, about string }{
		{"collect", "-p", pid, "shop: " + os.Args[0]},
		{"events", "--process-id", pid, "shop: " + os.Args[0]},
		{"counters", "--name", program, pid + ": " + os.Args[0]},
	} {
		t.Run(c.command+" "+c.flag, func(t *testing.T) {
			got := completed(t, c.command, c.flag, "")
			expect.Equal(t, "directive", got.directive, noFile)
			expect.Contains(t, "line of "+c.value, got.line(c.value), c.value+"\t"+c.about)
		})
	}
}

// TestSilentProcess completes the PID of a process that does not answer.
func TestSilentProcess(t *testing.T) {
	visible(t, eventpipetest.Config{Faults: map[eventpipe.Command]eventpipetest.Fault{
		eventpipe.GetProcessInfo3: eventpipetest.Silent(), eventpipe.GetProcessInfo2: eventpipetest.Silent(), eventpipe.GetProcessInfo: eventpipetest.Silent(),
	}})
	pid := strconv.Itoa(os.Getpid())
	got := completed(t, "collect", "-p", pid[:1])
	expect.Contains(t, "line of "+pid, got.line(pid), pid+"\t"+filepath.Base(os.Args[0]))
}
