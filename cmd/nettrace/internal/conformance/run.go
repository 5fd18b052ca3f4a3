package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/choice"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/conformance/cases"
	"github.com/nettrace-go/nettrace/conformance/runner"
)

// options are the flags of the commands that test a program.
type options struct {
	only     []string
	known    string
	timeout  time.Duration
	parallel int
	stream   bool
	format   choice.Format
}

func (o *options) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&o.only, "only", nil, "run the cases that match these `PATTERNS` (default: all)")
	f.StringVar(&o.known, "known-failures", "", "read known failures from `FILE`: each case after a line \"# REASON\"; a known failure that passes is an error")
	f.DurationVar(&o.timeout, "timeout", 30*time.Second, "stop a case after this `TIME`")
	f.IntVar(&o.parallel, "parallel", 1, "run `N` processes at a time")
	o.format.AddTextFlags(cmd)
}

// aCommand checks the arguments of commands that test a program.
func aCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("%s takes a command: nettrace conformance %s -- COMMAND", cmd.Name(), cmd.Name())
	}
	return nil
}

func conformanceRunCommand(p *run.Program) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "run -- COMMAND",
		Short: "Test a reader with the conformance cases",
		Long: "run sends the trace of each case to the standard input of COMMAND. COMMAND prints the contents as\n" +
			"canonical NDJSON, in the form of nettrace events --format ndjson. It exits with 0 if it read the\n" +
			"trace, with 1 if it rejects the trace, and with 3 if it does not support the trace. With --stream\n" +
			"a process gets several cases, one after another: for each the length of the trace as four bytes,\n" +
			"little-endian, and the trace. It answers with a length, the lines, and one byte for the exit code.\n" +
			"\n" +
			"On its trace line a reader can list the parts that it does not support (\"omits\":[\"stack\",\"rows\"]),\n" +
			"and declare that it delivers events in order of time (\"order\":\"time\").\n" +
			"\n" +
			"The exit code is 1 if a case fails that is not a known failure, or if a known failure passes.",
		Example: "  nettrace conformance run -- my-reader\n  nettrace conformance run --stream --known-failures known.txt -- my-reader --stream",
		Args:    aCommand,
		RunE:    func(_ *cobra.Command, args []string) error { return testCommand(p, args, &o, runner.Run) },
	}
	o.addFlags(cmd)
	cmd.Flags().BoolVar(&o.stream, "stream", false, "send several cases to each process")
	return cmd
}

// runnerOptions reads the known failures. It ignores those of cases that are not chosen.
func (o *options) runnerOptions() (runner.Options, error) {
	opt := runner.Options{Stream: o.stream, Timeout: o.timeout, Parallel: o.parallel}
	if o.known == "" {
		return opt, nil
	}
	f, err := os.Open(o.known)
	if err != nil {
		return opt, exit.With(exit.Usage, err)
	}
	defer f.Close()
	if opt.Known, err = runner.ParseKnown(f); err != nil {
		return opt, exit.With(exit.Usage, input.FileError(o.known, err))
	}
	return opt, nil
}

// testFunc is runner.Run or runner.Write.
type testFunc func([]cases.Case, []string, runner.Options) (*runner.Report, error)

// testCommand runs the chosen cases with a program and prints the results.
func testCommand(p *run.Program, command []string, o *options, judge testFunc) error {
	list, err := chosen(o.only)
	if err != nil {
		return err
	}
	opt, err := o.runnerOptions()
	if err != nil {
		return err
	}
	report, err := judge(list, command, opt)
	return printConformance(p, report, err, o)
}

// printConformance prints the results of the cases.
func printConformance(p *run.Program, report *runner.Report, err error, o *options) error {
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	if o.format.IsJSON() {
		err = conformanceLines(p, report)
	} else {
		err = conformanceText(p, report)
	}
	if err != nil {
		return exit.WriteError(err)
	}
	if !report.Fine() {
		p.Raise(exit.Broken)
	}
	return nil
}

// conformanceText prints the unexpected results and the summary.
func conformanceText(p *run.Program, report *runner.Report) error {
	for _, r := range report.Results {
		if r.Outcome == runner.Failed || r.Outcome == runner.Unexpected {
			if _, err := fmt.Fprintf(p.Stdout, "%s %s: %s\n", r.Outcome, r.Case.Name, r.Reason); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Fprintln(p.Stdout)
	err = errors.Join(err, report.Table(p.Stdout))
	_, last := fmt.Fprintf(p.Stdout, "\n%s\n", report.Summary())
	return errors.Join(err, last)
}

// conformanceLines prints a JSON line for each case.
func conformanceLines(p *run.Program, report *runner.Report) error {
	out := json.NewEncoder(p.Stdout)
	out.SetEscapeHTML(false)
	for _, r := range report.Results {
		if err := out.Encode(struct {
			Case    string         `json:"case"`
			Outcome runner.Outcome `json:"outcome"`
			Why     string         `json:"why,omitempty"`
		}{r.Case.Name, r.Outcome, r.Reason}); err != nil {
			return err
		}
	}
	return nil
}
