// Package program assembles the commands of nettrace and runs them.
package program

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/bench"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/blocks"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/change"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/check"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/collect"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/conformance"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/counters"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/events"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/info"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/ps"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/stacks"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/top"
)

// Run runs a command line and returns the exit code. It never ends the process and listens
// for no signals.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return RunContext(context.Background(), args, stdin, stdout, stderr)
}

// RunContext is Run with a context. When it is done, the commands that read traces to the
// end stop, leave no output and return the exit code of an interrupted program.
func RunContext(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return execute(ctx, &run.Program{Stdin: stdin, Stdout: stdout, Stderr: stderr}, args)
}

// execute runs a command and returns the exit code.
func execute(ctx context.Context, p *run.Program, args []string) int {
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1)) // merge and collect --ring lower it
	root := root(p)
	root.SetArgs(args)
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if err != nil && ctx.Err() != nil {
		p.Complain("interrupted")
		p.Raise(exit.Interrupted)
		return p.Code
	}
	p.Finish(cmd, err)
	return p.Code
}

// root is the command line as a whole.
func root(p *run.Program) *cobra.Command {
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
	addVersionFlag(p, root)
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		text, _, _ := strings.Cut(err.Error(), ": strconv.")
		return errors.New(text)
	})
	root.AddCommand(info.Command(p), events.Command(p), blocks.Command(p), change.ConvertCommand(p), change.RepairCommand(p), versionCommand(p), manCommand(p))
	root.AddCommand(change.SliceCommand(p), change.MergeCommand(p), change.DiffCommand(p))
	root.AddCommand(conformance.Command(p))
	root.AddCommand(check.Command(p), bench.Command(p))
	root.AddCommand(collect.Command(p), collect.ListProfilesCommand(p))
	root.AddCommand(counters.Command(p))
	root.AddCommand(ps.Command(p))
	root.AddCommand(stacks.Command(p), top.Command(p))
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
