package main

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Exit codes. When several apply, the highest counts.
const (
	exitDone    = 0
	exitBroken  = 1 // the input is broken; what could be read was written
	exitUsage   = 2 // the command line is wrong, or a file cannot be opened
	exitVersion = 3 // the input is of a version that is not read

	exitInterrupted = 130 // by Ctrl-C; see interrupts for other signals
)

// A program that a signal ends exits with 128 plus the number of the signal, as
// a shell reports it; see interrupts.

// program is one run: its streams and the exit code so far.
type program struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	code           int
	interrupts     *interrupts // nil in tests
	printing       sync.Mutex  // of complain
}

// run is main without the process: it never exits and hears no signals.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return (&program{stdin: stdin, stdout: stdout, stderr: stderr}).run(args)
}

// run runs a command and returns the exit code.
func (p *program) run(args []string) int {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1)) // merge and collect --ring lower it
	root := p.root()
	root.SetArgs(args)
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	cmd, err := root.ExecuteC()
	p.finish(cmd, err)
	return p.code
}

// root is the command line as a whole.
func (p *program) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "nettrace",
		Short: "Show, check and change NetTrace files",
		Long: "nettrace shows what NetTrace files (.nettrace, .netperf) of versions 3 to 6 hold, checks them\n" +
			"against the rules of the format, and converts, cuts, joins, repairs and compares them.\n" +
			"Files compressed with zstd or gzip are opened as they are; - is standard input.\n\n" +
			"Exit codes: 0 done; 1 the input is broken (what could be read was written);\n" +
			"2 the command line is wrong or a file cannot be opened; 3 the version is not supported;\n" +
			"130 interrupted (Ctrl-C), except where Ctrl-C is the normal end: collect, counters -p, events -p\n" +
			"and events --follow.",
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return refuseEmpty(cmd.Flags()) },
		SilenceUsage:      true,
		SilenceErrors:     true,
		DisableAutoGenTag: true,
	}
	p.addVersionFlag(root)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		text, _, _ := strings.Cut(err.Error(), ": strconv.")
		return errors.New(text)
	})
	root.AddCommand(p.infoCommand(), p.eventsCommand(), p.blocksCommand(), p.convertCommand(), p.repairCommand(), p.versionCommand(), p.manCommand())
	root.AddCommand(p.sliceCommand(), p.mergeCommand(), p.diffCommand())
	root.AddCommand(p.conformanceCommand())
	root.AddCommand(p.checkCommand(), p.benchCommand())
	root.AddCommand(p.collectCommand(), p.listProfilesCommand())
	root.AddCommand(p.countersCommand())
	root.AddCommand(p.psCommand())
	root.AddCommand(p.stacksCommand(), p.topCommand())
	return root
}

// refuseEmpty returns an error when a flag is given an empty text, as a shell does
// for a variable that is not set. No flag has a use for it.
func refuseEmpty(flags *pflag.FlagSet) error {
	var err error
	flags.Visit(func(f *pflag.Flag) {
		if err == nil && emptyValue(f.Value) {
			err = fmt.Errorf("--%s: the value is empty", f.Name)
		}
	})
	return err
}

func emptyValue(v pflag.Value) bool {
	if list, ok := v.(pflag.SliceValue); ok {
		texts := list.GetSlice()
		return len(texts) == 0 || slices.Contains(texts, "")
	}
	return v.String() == ""
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

// failure is an error that chooses the exit code. Errors of other types come
// from the command line.
type failure struct {
	code int
	err  error
}

func (f *failure) Error() string { return f.err.Error() }

func (f *failure) Unwrap() error { return f.err }

// finish tells of the error that ended a command and sets the exit code.
func (p *program) finish(cmd *cobra.Command, err error) {
	var f *failure
	switch {
	case err == nil:
	case isBrokenPipe(err):
		p.code = exitDone
	case errors.As(err, &f):
		p.complain("%v", err)
		p.raise(f.code)
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
