//go:build unix

package run

import (
	"os"
	"os/signal"
	"syscall"
)

// IgnoreFileSize makes a file that grows over the limit of this process an error
// of the write, and not the end of the process.
func IgnoreFileSize() { signal.Ignore(syscall.SIGXFSZ) }

// HearDump calls f at each SIGUSR1, one call after the other, until quit is
// called, which waits for the last one.
func HearDump(f func()) (quit func()) {
	heard := make(chan os.Signal, 1)
	done := make(chan struct{})
	signal.Notify(heard, syscall.SIGUSR1)
	go func() {
		defer close(done)
		for range heard {
			f()
		}
	}()
	return func() {
		signal.Stop(heard)
		close(heard)
		<-done
	}
}

// ProcessExitCode returns the exit code of an ended process as a shell reports it.
func ProcessExitCode(state *os.ProcessState) int {
	if w, ok := state.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return state.ExitCode()
}
