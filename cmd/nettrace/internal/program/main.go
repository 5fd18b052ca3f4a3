package program

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
)

// garbage is how much of what is in use may be garbage, in per cent, unless
// GOGC says otherwise. What the program holds is small and lives to the end; for
// a few milliseconds more it takes three megabytes less.
const garbage = 30

// Main runs the command line of the process, and ends the process with the exit code.
func Main() {
	// A closed pipe is to be an error of a write, which ends the program
	// silently, not a signal.
	signal.Ignore(syscall.SIGPIPE)
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
	p := &run.Program{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Interrupts: run.HearInterrupts(os.Stderr, os.Exit)}
	os.Exit(execute(context.Background(), p, os.Args[1:]))
}
