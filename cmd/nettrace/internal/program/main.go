package program

import (
	"context"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/progress"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
)

// garbage is the value of GOGC where the environment has none. The program uses little
// memory until its end: more frequent collections save 3 MB and take a few milliseconds.
const garbage = 30

// Main runs the command line of the process, and ends the process with the exit code.
func Main() {
	// Without the signal, a write to a closed pipe returns an error, after which the program
	// ends silently.
	signal.Ignore(syscall.SIGPIPE)
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
	p := &run.Program{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	messages := io.Writer(os.Stderr)
	if terminal.IsTerminal(os.Stderr) {
		p.Progress = &progress.Terminal{W: os.Stderr, Now: time.Now}
		messages = p.Progress
	}
	p.Interrupts = run.HearInterrupts(messages, os.Exit)
	os.Exit(execute(context.Background(), p, os.Args[1:]))
}
