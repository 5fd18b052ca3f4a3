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

// options are the flags of the verbs that judge a program.
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
	f.StringSliceVar(&o.only, "only", nil, "`PATTERNS` of cases to judge by; default: all")
	f.StringVar(&o.known, "known-failures", "", "`FILE` of cases that fail, each below a line \"# reason\"; one that passes is an error")
	f.DurationVar(&o.timeout, "timeout", 30*time.Second, "`TIME` for one case")
	f.IntVar(&o.parallel, "parallel", 1, "`N` processes at one time")
	o.format.AddTextFlags(cmd)
}

// aCommand is what verbs that judge a program accept as arguments.
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
		Short: "Judge a reader",
		Long: "run gives each case to a reader: a trace on its standard input. The reader prints what it reads as\n" +
			"canonical NDJSON, as nettrace events --format ndjson does, and exits with 0 when it read the trace,\n" +
			"1 when it rejects it and 3 when it does not support it. With --stream one process is asked many\n" +
			"times: a length of four bytes, little-endian, and the trace; it answers with a length, the lines and\n" +
			"one byte, the exit code.\n\n" +
			"On its trace line a reader can say what it does not know (\"omits\":[\"stack\",\"rows\"]) and that\n" +
			"it delivers in order of time (\"order\":\"time\").\n\n" +
			"Exit codes: 0 no failure but the known ones; 1 failures, or known ones that pass; 2 usage.",
		Example: "  nettrace conformance run -- my-reader\n  nettrace conformance run --stream --known-failures known.txt -- my-reader --stream",
		Args:    aCommand,
		RunE:    func(_ *cobra.Command, args []string) error { return judgeCommand(p, args, &o, runner.Run) },
	}
	o.addFlags(cmd)
	cmd.Flags().BoolVar(&o.stream, "stream", false, "ask one process many times")
	return cmd
}

// runnerOptions reads the known failures, of which those that are not asked for
// do no harm.
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

// judgement is runner.Run or runner.Write.
type judgement func([]cases.Case, []string, runner.Options) (*runner.Report, error)

// judgeCommand gives the chosen cases to a program and tells what became of
// them.
func judgeCommand(p *run.Program, command []string, o *options, judge judgement) error {
	list, err := chosen(o.only)
	if err != nil {
		return err
	}
	opt, err := o.runnerOptions()
	if err != nil {
		return err
	}
	report, err := judge(list, command, opt)
	return tellConformance(p, report, err, o)
}

// tellConformance prints what became of the cases.
func tellConformance(p *run.Program, report *runner.Report, err error, o *options) error {
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

// conformanceText prints what went otherwise than expected, and the score.
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

// conformanceLines prints a line of JSON for each case.
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
