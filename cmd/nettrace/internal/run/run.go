// Package run holds one run of the program: its standard streams, its messages, its exit
// code and the signals that end it.
package run

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/progress"
)

// Root makes the root command of a program for a command line. It may leave out commands that
// the command line does not need.
type Root func(p *Program, args []string) *cobra.Command

// Program is one run of nettrace, or of a program with one of its commands: its
// standard streams and the exit code so far.
type Program struct {
	Name           string      // in messages; "" means nettrace
	Stdin          io.Reader   // standard input
	Stdout, Stderr io.Writer   // standard output and standard error
	Code           int         // exit code so far
	Interrupts     *Interrupts // nil in tests

	Root Root // makes the root command for Sub, or is nil

	// Progress shows the progress on standard error. It is nil if that is no terminal.
	Progress *progress.Terminal

	printing sync.Mutex    // of Complain
	held     *bytes.Buffer // the messages since Hold, or nil
}

// Sub runs another command line of the program within this one, and returns its exit code. Its
// standard output goes to standard error.
func (p *Program) Sub(ctx context.Context, args ...string) int {
	other := &Program{Name: p.Name, Stdin: p.Stdin, Stdout: p.Stderr, Stderr: p.Stderr, Interrupts: p.Interrupts, Progress: p.Progress}
	code := other.Execute(ctx, p.Root(other, args), args)
	p.Interrupts.TakeBack()
	return code
}

// Finish prints the error that ended a command and sets the exit code.
func (p *Program) Finish(cmd *cobra.Command, err error) {
	code, chosen := exit.CodeOf(err)
	switch {
	case err == nil:
	case exit.IsBrokenPipe(err):
		p.Code = exit.Done
	case chosen:
		p.Complain("%v", err)
		p.Raise(code)
	default:
		p.Complain("%v", err)
		fmt.Fprintf(p.Stderr, "Run '%s --help' for usage.\n", cmd.CommandPath())
		p.Raise(exit.Usage)
	}
}

// Raise makes code the exit code unless a higher one is set.
func (p *Program) Raise(code int) { p.Code = max(p.Code, code) }

// prefix is the beginning of a message.
func (p *Program) prefix() string { return cmp.Or(p.Name, "nettrace") + ": " }

// Complain writes one line to standard error, with errors in the form of exit.Text. Several
// goroutines may call it.
func (p *Program) Complain(format string, args ...any) {
	p.printing.Lock()
	defer p.printing.Unlock()
	args = slices.Clone(args)
	for i, arg := range args {
		if err, ok := arg.(error); ok {
			args[i] = exit.Text(err)
		}
	}
	dst := p.Stderr
	if p.held != nil {
		dst = p.held
	} else if p.Progress != nil {
		dst = p.Progress
	}
	fmt.Fprintf(dst, p.prefix()+format+"\n", args...)
}

// Hold keeps the messages of Complain, because a page is on the terminal, until release is
// called, which prints them.
func (p *Program) Hold() (release func()) {
	p.printing.Lock()
	defer p.printing.Unlock()
	p.held = &bytes.Buffer{}
	return func() {
		p.printing.Lock()
		defer p.printing.Unlock()
		_, _ = p.held.WriteTo(p.Stderr) // as Complain
		p.held = nil
	}
}

// OneFile accepts one file as the arguments of a command.
func OneFile(cmd *cobra.Command, args []string) error {
	if len(args) == 0 && cmd.Flags().Changed("diff") {
		return errors.New("the file after --diff is the older one; the newer one is missing: --diff OTHER FILE")
	}
	if len(args) != 1 {
		return fmt.Errorf("%s takes one file, not %d%s", cmd.Name(), len(args), forgottenOutput(cmd, args))
	}
	return nil
}

// forgottenOutput returns the end of the message about two files if the second one may be the
// output, whose flag the command requires.
func forgottenOutput(cmd *cobra.Command, args []string) string {
	f := cmd.Flags().Lookup("output")
	if len(args) != 2 || f == nil || f.Changed || f.Annotations[cobra.BashCompOneRequiredFlag] == nil {
		return ""
	}
	value, _ := pflag.UnquoteUsage(f)
	return "; the output is -o " + value
}

// NoArgs accepts no arguments of a command. The error for a command that asks a process names
// the flags that choose it.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	how := ""
	if cmd.Flags().Lookup("process-id") != nil {
		how = "; -p takes a process id, -n a name"
	}
	return fmt.Errorf("%s takes no argument, not %q%s", cmd.Name(), args[0], how)
}

// SomeFiles accepts one or more files as the arguments of a command.
func SomeFiles(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("%s takes at least one file", cmd.Name())
	}
	return nil
}
