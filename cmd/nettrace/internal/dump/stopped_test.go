//go:build linux

package dump

import (
	"bytes"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestNoFalseWarning: a process whose runtime did not answer, because it may still write the
// dump, gets no warning, nor does one that kill -CONT does not continue.
func TestNoFalseWarning(t *testing.T) {
	const stopped, traced, ended = "a signal has stopped it, and SIGCONT continues it", "a debugger has stopped it", "it has ended"
	for state, faults := range map[string]map[eventpipe.Command]eventpipetest.Fault{
		stopped: {eventpipe.GenerateCoreDump3: eventpipetest.Silent()},
		traced:  nil,
		ended:   nil,
	} {
		t.Run(state, func(t *testing.T) {
			runtime.LockOSThread() // of the tracer
			defer runtime.UnlockOSThread()
			cmd := exec.Command("sleep", "600")
			cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: state == traced}
			expect.NoError(t, cmd.Start())
			defer func() {
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
			}()
			switch state {
			case stopped:
				expect.NoError(t, cmd.Process.Signal(syscall.SIGSTOP))
			case ended:
				expect.NoError(t, cmd.Process.Kill())
			}
			proctest.WaitFor(t, func() bool { return eventpipe.Halted(cmd.Process.Pid) == state })
			r := eventpipetest.Start(t, eventpipetest.Config{Faults: faults})
			var stderr bytes.Buffer
			o := options{kind: "full", config: eventpipe.DumpConfig{Path: "/tmp/x.dmp", Type: eventpipe.DumpFull}, Options: attach.Options{Timeout: proctest.Patience}}
			if faults != nil {
				o.Timeout = 10 * time.Millisecond
			}
			a := &attach.Process{PID: cmd.Process.Pid, Client: r.Client(), Title: "process 7"}
			err := o.write(t.Context(), &run.Program{Stderr: &stderr}, a)
			expect.Equal(t, "the runtime has answered", err == nil, faults == nil)
			expect.Lacks(t, "stderr", stderr.String(), "warning")
		})
	}
}

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
			o := options{kind: "full", config: eventpipe.DumpConfig{Path: "/tmp/x.dmp", Type: eventpipe.DumpFull}, Options: attach.Options{Timeout: proctest.Patience}}
			a := &attach.Process{PID: cmd.Process.Pid, Client: r.Client(), Title: "process 7"}
			expect.NoError(t, o.write(t.Context(), &run.Program{Stderr: &stderr}, a))
			expect.Equal(t, "warning", strings.Contains(stderr.String(), "warning: process 7: the dump is over, but a signal has stopped it"), stop)
		})
	}
}
