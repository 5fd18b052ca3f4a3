//go:build linux

package dump

import (
	"bytes"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestLeftStopped: after a dump, a process that is stopped is reported.
func TestLeftStopped(t *testing.T) {
	for _, stop := range []bool{false, true} {
		t.Run(map[bool]string{false: "runs", true: "stopped"}[stop], func(t *testing.T) {
			cmd := exec.Command("sleep", "600")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() {
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
			}()
			if stop {
				expect.NoError(t, cmd.Process.Signal(syscall.SIGSTOP))
				proctest.WaitFor(t, func() bool { return eventpipe.Halted(cmd.Process.Pid) != "" })
			}
			r := eventpipetest.Start(t, eventpipetest.Config{})
			var stderr bytes.Buffer
			o := options{kind: "full", config: eventpipe.DumpConfig{Path: "/tmp/x.dmp", Type: eventpipe.DumpFull}, timeout: proctest.Patience}
			a := &attach.Process{PID: cmd.Process.Pid, Client: r.Client(), Title: "process 7"}
			expect.NoError(t, o.write(t.Context(), &run.Program{Stderr: &stderr}, a))
			expect.Equal(t, "warning", strings.Contains(stderr.String(), "warning: process 7: the dump is over, but a signal has stopped it"), stop)
		})
	}
}
