// Package check is the command check, which checks traces against the rules of the format.
package check

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/choice"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/conformance/check"
)

// options are the flags of check.
type options struct {
	rules, failOn, suppress, explain string
	format                           choice.Format
	ignore                           []string
	json, list                       bool

	opt   check.Options
	least rule.Severity // that fails; 0: none does
}

// checked is what came out for one file.
type checked struct {
	name   string
	report *check.Report // nil when the file could not be read
	err    error
	code   int
}

// Command returns the command check.
func Command(p *run.Program) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "check FILE...",
		Short: "Tell how files depart from the format",
		Long: "check compares each file with the rules of the format and prints every violation: its offset, what was\n" +
			"expected, what was found, and how the writer can be corrected. It prints each cause once, with a\n" +
			"count.\n\n" +
			"Rule sets: default (errors and warnings), strict (warnings about rules of the specification are\n" +
			"errors), reader (only findings that readers in use cannot handle), lint (information too),\n" +
			"dotnet-runtime and one-collect (which accept known deviations of these writers).\n\n" +
			"A suppression file has lines of the form RULE [PATTERN] # REASON; PATTERN chooses files.\n\n" +
			"Exit codes: 0 no finding at or above --fail-on; 1 findings, or a malformed file; 2 the command line is\n" +
			"wrong or a file cannot be opened; 3 the version is not supported. Of several files 2 goes before 1\n" +
			"before 3.",
		Example: "  nettrace check trace.nettrace\n  nettrace check --rules lint --fail-on warning *.nettrace\n" +
			"  nettrace check --format sarif trace.nettrace > trace.sarif\n  nettrace check --explain NT6-LBL-008",
		RunE: func(cmd *cobra.Command, files []string) error { return runCheck(p, cmd, &o, files) },
	}
	f := cmd.Flags()
	f.StringVar(&o.rules, "rules", "default", "check by the rule set `NAME`: default, strict, reader, lint, dotnet-runtime or one-collect")
	f.StringVar(&o.failOn, "fail-on", "error", "the lowest `SEVERITY` that makes the exit code 1: error, warning, information or never")
	f.StringSliceVar(&o.ignore, "ignore", nil, "leave out findings of `RULE`; can be repeated")
	f.StringVar(&o.suppress, "suppress", "", "read suppressions from `FILE`")
	o.format.AddFlags(cmd, formatNames, choice.Text, "")
	f.StringVar(&o.explain, "explain", "", "explain `RULE` and do nothing else")
	f.BoolVar(&o.list, "list", false, "list all rules and do nothing else")
	return cmd
}

func runCheck(p *run.Program, cmd *cobra.Command, o *options, files []string) error {
	switch {
	case o.explain != "":
		return explainRule(p, o.explain)
	case o.list:
		return listRules(p, o.format.IsJSON())
	}
	if err := run.SomeFiles(cmd, files); err != nil {
		return err
	}
	if err := o.prepare(); err != nil {
		return err
	}
	printer := formats[o.format.Name()](p, o, len(files))
	for c := range checkAll(p, files, o) {
		p.Code = graver(p.Code, c.code)
		if c.err != nil {
			p.Complain("%v", c.err)
		}
		if err := printer.file(c); err != nil {
			return exit.WriteError(err)
		}
	}
	if err := printer.end(); err != nil {
		return exit.WriteError(err)
	}
	return nil
}

// prepare reads the flags that need it.
func (o *options) prepare() (err error) {
	if o.opt.Profile, err = check.ParseProfile(o.rules); err != nil {
		return err
	}
	for _, name := range o.ignore {
		id, ok := rule.Parse(name)
		if !ok {
			return fmt.Errorf("no rule %q", name)
		}
		o.opt.Ignore = append(o.opt.Ignore, id)
	}
	switch o.failOn {
	case "never":
	case "error":
		o.least = rule.Error
	case "warning":
		o.least = rule.Warning
	case "information":
		o.least = rule.Information
	default:
		return fmt.Errorf("no severity %q: there are error, warning, information and never", o.failOn)
	}
	if o.suppress == "" {
		return nil
	}
	f, err := os.Open(o.suppress)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	defer f.Close()
	if o.opt.Suppressions, err = check.ParseSuppressions(f); err != nil {
		return fmt.Errorf("%s: %w", o.suppress, err)
	}
	return nil
}

// checkAll checks files, several at a time, and gives the results in the order
// of the files.
func checkAll(p *run.Program, files []string, o *options) func(func(*checked) bool) {
	return func(yield func(*checked) bool) {
		quiet := &run.Program{Stdin: p.Stdin, Stdout: p.Stdout, Stderr: p.Stderr, Interrupts: p.Interrupts}
		if len(files) > 1 {
			quiet.Stderr = io.Discard // no bars
		}
		results := make([]chan *checked, len(files))
		for i := range results {
			results[i] = make(chan *checked, 1)
		}
		tickets := make(chan struct{}, runtime.GOMAXPROCS(0))
		go func() {
			for i, name := range files {
				tickets <- struct{}{}
				go func() {
					results[i] <- checkFile(quiet, name, o)
					<-tickets
				}()
			}
		}()
		for _, result := range results {
			if !yield(<-result) {
				return
			}
		}
	}
}

// checkFile checks one file.
func checkFile(p *run.Program, name string, o *options) *checked {
	c := &checked{name: name}
	in, err := input.Open(p, name, input.Options{Silent: true})
	if err != nil {
		c.err, c.code = err, exit.Usage
		if code, ok := exit.CodeOf(err); ok {
			c.code = code
		}
		return c
	}
	defer in.Close()
	opt := o.opt
	opt.Name = name
	if c.report, c.err = check.Stream(in, opt); c.err != nil {
		c.err, c.code = input.FileError(name, c.err), exit.Broken
	}
	switch r := c.report; {
	case r.Version:
		c.code = graver(c.code, exit.Version)
	case o.least > 0 && r.Worst() >= o.least:
		c.code = graver(c.code, exit.Broken)
	}
	return c
}

// graver is the exit code of two: 2 goes before 1 before 3.
func graver(a, b int) int {
	rank := [...]int{exit.Done: 0, exit.Version: 1, exit.Broken: 2, exit.Usage: 3}
	if rank[b] > rank[a] {
		return b
	}
	return a
}

// printer prints the results of a check.
type printer interface {
	file(c *checked) error
	end() error
}

// formatNames are the values of --format, the keys of formats.
var formatNames = []string{choice.Text, choice.JSON, "sarif", "junit"}

var formats = map[string]func(p *run.Program, o *options, files int) printer{
	choice.Text: newText, choice.JSON: newJSON, "sarif": newSARIF, "junit": newJUnit,
}

// place says in words where a finding is.
func place(f *check.Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "offset %s", display.Grouped(f.Offset))
	if f.Block.Ordinal >= 0 {
		fmt.Fprintf(&b, ", %v block %d at %s", f.Block.Kind, f.Block.Ordinal, display.Grouped(f.Block.Offset))
	}
	if f.Row >= 0 {
		fmt.Fprintf(&b, ", row %d", f.Row)
	}
	for _, id := range f.IDs {
		fmt.Fprintf(&b, ", %s %s", id.Name, id.Value)
	}
	return b.String()
}

// difference says in words what was expected and what is there.
func difference(f *check.Finding) string {
	switch {
	case f.Expected != "" && f.Actual != "":
		return "expected " + f.Expected + "; found " + f.Actual
	case f.Expected != "":
		return "expected " + f.Expected
	}
	return f.Actual
}
