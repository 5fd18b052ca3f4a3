package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/choice"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
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
	reader   bool // the program under test is a reader
	format   choice.Format
	display  terminal.Flags
	accepts  func(*cases.Case) bool // the cases that the command can run; nil: all
}

// onlyHelp is the help of the flag that chooses cases.
const onlyHelp = "choose the cases that match these `PATTERNS` (default: all)"

func (o *options) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&o.only, "only", nil, onlyHelp)
	f.StringVar(&o.known, "known-failures", "", "read known failures from `FILE`: each case after a line \"# REASON\"; a known failure that passes is an error")
	f.DurationVar(&o.timeout, "timeout", 30*time.Second, "stop a case after this `TIME`")
	f.IntVar(&o.parallel, "parallel", 0, "run `N` processes at a time (default: one for each core)")
	o.format.AddTextFlags(cmd)
	o.display.AddFlags(cmd)
}

// aCommand checks the arguments of commands that test a program.
func aCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return fmt.Errorf("%s takes a command: nettrace conformance %s -- COMMAND", cmd.Name(), cmd.Name())
	}
	return nil
}

func conformanceRunCommand(p *run.Program) *cobra.Command {
	o := options{reader: true}
	cmd := &cobra.Command{
		Use:   "run -- COMMAND",
		Short: "Test a reader with the conformance cases",
		Long: "run sends the trace of each case to the standard input of COMMAND. COMMAND prints the contents as\n" +
			"canonical NDJSON, in the form of nettrace events --format ndjson. It exits with 0 if it read the\n" +
			"trace, with 1 if it rejects the trace, and with 3 if it does not support the version. With --stream\n" +
			"a process gets several cases, one after another: for each the length of the trace as four bytes,\n" +
			"little-endian, and the trace. It answers with a length, the lines, and one byte for the exit code.\n" +
			"conformance/PROTOCOL.md in the repository describes all of it.\n" +
			"\n" +
			"On its trace line a reader can list the parts that it does not support (\"omits\":[\"stack\",\"rows\"]),\n" +
			"and declare that it delivers events in order of time (\"order\":\"time\").\n" +
			"\n" +
			"For a failure run prints the key that differs, both values, and the standard error of COMMAND. The\n" +
			"exit code is 1 if a case fails that is not a known failure, if a known failure passes, or if COMMAND\n" +
			"supports no case.",
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
func testCommand(p *run.Program, command []string, o *options, test testFunc) error {
	switch {
	case o.timeout <= 0:
		return fmt.Errorf("--timeout: %v is no time to run a case", o.timeout)
	case o.parallel < 0:
		return fmt.Errorf("--parallel: %d is below 0", o.parallel)
	}
	list, err := chosen(o.only)
	if err != nil {
		return err
	}
	if o.accepts != nil {
		list = slices.DeleteFunc(list, func(c cases.Case) bool { return !o.accepts(&c) })
	}
	opt, err := o.runnerOptions()
	if err != nil {
		return err
	}
	bar := p.Progress.Count(int64(len(list)), "cases")
	defer bar.Stop()
	failures := int64(0)
	opt.OnResult = func(r runner.Result) {
		if !r.Fine() {
			failures++
		}
		bar.Advance(1, display.Counted(failures, "failure"))
	}
	report, err := test(list, command, opt)
	bar.Stop()
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
		err = conformanceText(p, report, o.display.Screen(p.Stdout))
	}
	if err != nil {
		return exit.WriteError(err)
	}
	if hint := streamHint(report); hint != "" && o.reader && !o.stream {
		p.Complain("%s", hint)
	}
	if !report.Fine() {
		p.Raise(exit.Broken)
	}
	return nil
}

// conformanceText prints the unexpected results, the scores and the summary. On a terminal
// the scores are an aligned table, otherwise one of Markdown.
func conformanceText(p *run.Program, report *runner.Report, screen terminal.Screen) error {
	var b bytes.Buffer
	for _, r := range report.Results {
		if !r.Fine() {
			line := fmt.Sprintf("%s %s: %s", screen.Paint(terminal.Red, string(r.Outcome)), r.Case.Name, shortened(r.Reason))
			b.WriteString(screen.Wrap(line, 2) + "\n" + quoted(r.Stderr))
		}
	}
	b.WriteByte('\n')
	if screen.Terminal {
		b.Write(scoreTable(report.Scores(), screen))
	} else if err := report.Table(&b); err != nil {
		return err
	}
	color := terminal.Green
	if !report.Fine() {
		color = terminal.Red
	}
	b.WriteString("\n" + screen.Paint(color, report.Summary()) + "\n")
	_, err := p.Stdout.Write(b.Bytes())
	return err
}

// scoreTable returns the scores as a table. The first row has the titles.
func scoreTable(rows [][]string, screen terminal.Screen) []byte {
	var table terminal.Table
	for i, title := range rows[0] {
		table.Columns = append(table.Columns, terminal.Column{Title: title, Right: i > 0})
	}
	for _, row := range rows[1:] {
		table.Add(terminal.Cells(row...)...)
	}
	return table.Append(nil, screen)
}

// jsonResult is the line of a case with --json.
type jsonResult struct {
	Case    string          `json:"case"`
	Outcome runner.Outcome  `json:"outcome"`
	Why     string          `json:"why,omitempty"`
	Key     string          `json:"key,omitempty"`
	Got     json.RawMessage `json:"got,omitempty"`
	Want    json.RawMessage `json:"want,omitempty"`
	Stderr  string          `json:"stderr,omitempty"`
}

// conformanceLines prints a JSON line for each case.
func conformanceLines(p *run.Program, report *runner.Report) error {
	out := json.NewEncoder(p.Stdout)
	out.SetEscapeHTML(false)
	for _, r := range report.Results {
		line := jsonResult{Case: r.Case.Name, Outcome: r.Outcome, Why: r.Reason, Stderr: r.Stderr}
		if d := r.Mismatch; d != nil {
			line.Key, line.Got, line.Want = d.Key, d.Got, d.Want
		}
		if err := out.Encode(line); err != nil {
			return err
		}
	}
	return nil
}
