// Command nettrace shows what NetTrace files of every version hold: a summary,
// their events, the blocks they are made of.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// A closed pipe is to be an error of a write, which ends the program
	// silently, not a signal.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
