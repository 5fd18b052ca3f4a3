package main

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// run is main without the process: it never exits and hears no signals.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return execute(&program{stdin: stdin, stdout: stdout, stderr: stderr}, args)
}

// execute runs a command and returns the exit code.
func execute(p *program, args []string) int {
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
