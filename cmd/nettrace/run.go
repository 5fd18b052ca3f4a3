package main

import (
	"fmt"
	"io"
	"sync"

	"github.com/spf13/cobra"
)

// program is one run: its streams and the exit code so far.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	code           int
	interrupts     *interrupts // nil in tests
	printing       sync.Mutex  // of complain
}

// finish tells of the error that ended a command and sets the exit code.
func (p *program) finish(cmd *cobra.Command, err error) {
	code, chosen := exitCodeFor(err)
	switch {
	case err == nil:
	case isBrokenPipe(err):
		p.code = exitDone
	case chosen:
		p.complain("%v", err)
		p.raise(code)
	default:
		p.complain("%v", err)
		fmt.Fprintf(p.stderr, "Run '%s --help' for usage.\n", cmd.CommandPath())
		p.raise(exitUsage)
	}
}

// raise makes code the exit code unless a higher one is set.
func (p *program) raise(code int) { p.code = max(p.code, code) }

// complain writes one line to the standard error stream. Several goroutines may
// call it.
func (p *program) complain(format string, args ...any) {
	p.printing.Lock()
	defer p.printing.Unlock()
	fmt.Fprintf(p.stderr, "nettrace: "+format+"\n", args...)
}

// oneFile and someFiles are what commands accept as arguments.
func oneFile(cmd *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("%s takes one file, not %d", cmd.Name(), len(args))
	}
	return nil
}

func someFiles(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("%s takes at least one file", cmd.Name())
	}
	return nil
}
