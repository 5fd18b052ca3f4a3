// Command nettrace shows what NetTrace files of every version hold: a summary,
// their events, the blocks they are made of.
package main

import (
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// garbage is how much of what is in use may be garbage, in per cent, unless
// GOGC says otherwise. What the program holds is small and lives to the end; for
// a few milliseconds more it takes three megabytes less.
const garbage = 30

func main() {
	// A closed pipe is to be an error of a write, which ends the program
	// silently, not a signal.
	signal.Ignore(syscall.SIGPIPE)
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
	p := &program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, interrupts: hearInterrupts(os.Stderr, os.Exit)}
	os.Exit(execute(p, os.Args[1:]))
}
