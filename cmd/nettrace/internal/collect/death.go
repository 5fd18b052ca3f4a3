package collect

import (
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
)

// deathPatience is the max time to the exit status of a process whose stream has ended.
const deathPatience = 2 * time.Second

// death returns why the stream of the process has no end mark. The exit status of the command
// tells a process that was killed from one that crashed, if the command is the process.
func (r *recording) death() string {
	if r.a.Child == nil || r.a.PID != r.a.Child.Cmd.Process.Pid {
		return exit.StreamEnded
	}
	select {
	case <-r.a.Child.Ended():
		return deathOf(r.a.Child.Cmd.ProcessState)
	case <-time.After(deathPatience):
		return exit.StreamEnded
	}
}

// crashes are the signals of a process that fails by itself: an unhandled exception and
// FailFast abort it.
var crashes = []syscall.Signal{syscall.SIGABRT, syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGILL, syscall.SIGFPE, syscall.SIGTRAP}

// deathOf returns the reason that an exit status shows.
func deathOf(state *os.ProcessState) string {
	const without = "the stream ended without an end mark: the process "
	status, ok := state.Sys().(syscall.WaitStatus)
	switch {
	case !ok || !status.Signaled():
		return without + fmt.Sprintf("ended with exit code %d", state.ExitCode())
	case slices.Contains(crashes, status.Signal()):
		return without + fmt.Sprintf("crashed (signal %d, %v)", status.Signal(), status.Signal())
	}
	return without + fmt.Sprintf("was killed (signal %d, %v)", status.Signal(), status.Signal())
}
