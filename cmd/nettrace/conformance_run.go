package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/conformance/cases"
	"github.com/nettrace-go/nettrace/conformance/runner"
)

// conformanceOptions are the flags of the verbs that judge a program.
type conformanceOptions struct {
	only     []string
	known    string
	timeout  time.Duration
	parallel int
	stream   bool
	json     bool
}

func (o *conformanceOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&o.only, "only", nil, "`PATTERNS` of cases to judge by; default: all")
	f.StringVar(&o.known, "known-failures", "", "`FILE` of cases that fail, each below a line \"# reason\"; one that passes is an error")
	f.DurationVar(&o.timeout, "timeout", 30*time.Second, "`TIME` for one case")
	f.IntVar(&o.parallel, "parallel", 1, "`N` processes at one time")
	f.BoolVar(&o.json, "json", false, "print one JSON object for each case")
}

// aCommand is what verbs that judge a program accept as arguments.
func aCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("%s takes a command: nettrace conformance %s -- COMMAND", cmd.Name(), cmd.Name())
	}
	return nil
}

func (p *program) conformanceRunCommand() *cobra.Command {
	var o conformanceOptions
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
		RunE:    func(_ *cobra.Command, args []string) error { return p.judgeProgram(args, &o, runner.Run) },
	}
	o.addFlags(cmd)
	cmd.Flags().BoolVar(&o.stream, "stream", false, "ask one process many times")
	return cmd
}

// runnerOptions reads the known failures, of which those that are not asked for
// do no harm.
func (o *conformanceOptions) runnerOptions() (runner.Options, error) {
	opt := runner.Options{Stream: o.stream, Timeout: o.timeout, Parallel: o.parallel}
	if o.known == "" {
		return opt, nil
	}
	f, err := os.Open(o.known)
	if err != nil {
		return opt, exitWith(exitUsage, err)
	}
	defer f.Close()
	if opt.Known, err = runner.ParseKnown(f); err != nil {
		return opt, exitWith(exitUsage, fileError(o.known, err))
	}
	return opt, nil
}

// judgement is runner.Run or runner.Write.
type judgement func([]cases.Case, []string, runner.Options) (*runner.Report, error)

// judgeProgram gives the chosen cases to a program and tells what became of
// them.
func (p *program) judgeProgram(command []string, o *conformanceOptions, judge judgement) error {
	list, err := chosen(o.only)
	if err != nil {
		return err
	}
	opt, err := o.runnerOptions()
	if err != nil {
		return err
	}
	report, err := judge(list, command, opt)
	return p.tellConformance(report, err, o)
}

// tellConformance prints what became of the cases.
func (p *program) tellConformance(report *runner.Report, err error, o *conformanceOptions) error {
	if err != nil {
		return exitWith(exitUsage, err)
	}
	if o.json {
		err = p.conformanceLines(report)
	} else {
		err = p.conformanceText(report)
	}
	if err != nil {
		return writeFailure(err)
	}
	if !report.Fine() {
		p.raise(exitBroken)
	}
	return nil
}

// conformanceText prints what went otherwise than expected, and the score.
func (p *program) conformanceText(report *runner.Report) error {
	for _, r := range report.Results {
		if r.Outcome == runner.Failed || r.Outcome == runner.Unexpected {
			if _, err := fmt.Fprintf(p.stdout, "%s %s: %s\n", r.Outcome, r.Case.Name, r.Reason); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Fprintln(p.stdout)
	err = errors.Join(err, report.Table(p.stdout))
	_, last := fmt.Fprintf(p.stdout, "\n%s\n", report.Summary())
	return errors.Join(err, last)
}

// conformanceLines prints a line of JSON for each case.
func (p *program) conformanceLines(report *runner.Report) error {
	out := json.NewEncoder(p.stdout)
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
