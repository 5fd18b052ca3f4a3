// Package check is the command check, which checks traces against the rules of the format.
package check

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/choice"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/progress"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/conformance/check"
)

// options are the flags of check.
type options struct {
	rules, failOn, suppress, explain string
	format                           choice.Format
	display                          terminal.Flags
	ignore                           []string
	list                             bool

	opt       check.Options
	threshold rule.Severity // the lowest severity that fails the check; 0: none
}

// checked is the result for one file.
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
		Short: "Check trace files against the format specification",
		Long: "check compares each file with the rules of the format. It prints the offset of each violation, the\n" +
			"expected and the actual value, and how to correct the writer. It prints violations with the same\n" +
			"cause once, with a count.\n" +
			"\n" +
			"Rule sets: default (errors and warnings), strict (like default, but the violation of a rule that is\n" +
			"written in the specification is an error, not a warning), reader (only violations that an existing\n" +
			"reader cannot handle), lint (information too), dotnet-runtime and one-collect (which accept known\n" +
			"deviations of these writers).\n" +
			"\n" +
			"A suppression file has lines of the form RULE [PATTERN] # REASON. PATTERN is a glob for\n" +
			"the path or the name of files: old-*.nettrace; without it the line applies to all files.\n" +
			"\n" +
			"The exit code is 1 if a finding has the severity of --fail-on or a higher one, 2 if a file cannot be\n" +
			"read, and 3 if its version is not supported. Of several files 2 takes precedence over 1, and 1 over\n" +
			"3.",
		Example: "  nettrace check trace.nettrace\n  nettrace check --rules lint --fail-on warning *.nettrace\n" +
			"  nettrace check --format sarif trace.nettrace > trace.sarif\n  nettrace check --explain NT6-LBL-008",
		RunE: func(cmd *cobra.Command, files []string) error { return runCheck(p, cmd, &o, files) },
	}
	f := cmd.Flags()
	f.StringVar(&o.rules, "rules", "default", "check by the rule set `NAME`: default, strict, reader, lint, dotnet-runtime or one-collect")
	f.StringVar(&o.failOn, "fail-on", "error", "exit with 1 for findings of this `SEVERITY` and higher ones: error, warning, information or never")
	f.StringSliceVar(&o.ignore, "ignore", nil, "leave out the findings of `RULE`; can be repeated")
	f.StringVar(&o.suppress, "suppress", "", "read suppressions from `FILE`")
	o.format.AddFlags(cmd, formatNames(), choice.Text, "")
	o.display.AddFlags(cmd)
	f.StringVar(&o.explain, "explain", "", "explain `RULE` and exit")
	f.BoolVar(&o.list, "list", false, "list all rules and exit")
	return cmd
}

func runCheck(p *run.Program, cmd *cobra.Command, o *options, files []string) error {
	switch {
	case o.explain != "" && o.list:
		return errors.New("--list excludes --explain")
	case o.list && len(files) > 0:
		return errors.New("--list takes no files")
	case o.explain != "" && len(files) > 0:
		return errors.New("--explain takes no files")
	case o.explain != "":
		return explainRule(p, o)
	case o.list:
		return listRules(p, o)
	}
	if err := run.SomeFiles(cmd, files); err != nil {
		return err
	}
	if err := o.prepare(); err != nil {
		return err
	}
	printer := o.newPrinter(p, len(files))
	bar := input.SharedBar(p, files)
	defer bar.Stop()
	for c := range checkAll(p, files, o, bar) {
		p.Code = graver(p.Code, c.code)
		if c.err != nil {
			p.Complain("%v", c.err)
		}
		if err := p.Progress.Above(func() error { return printer.file(c) }); err != nil {
			return exit.WriteError(err)
		}
	}
	bar.Stop()
	if err := printer.end(); err != nil {
		return exit.WriteError(err)
	}
	return nil
}

// prepare parses the values of flags.
func (o *options) prepare() (err error) {
	if o.opt.Profile, err = check.ParseProfile(o.rules); err != nil {
		var names []string
		for _, profile := range check.Profiles {
			names = append(names, string(profile))
		}
		return fmt.Errorf("--rules: %q is none of %s", o.rules, strings.Join(names, ", "))
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
		o.threshold = rule.Error
	case "warning":
		o.threshold = rule.Warning
	case "information":
		o.threshold = rule.Information
	default:
		return fmt.Errorf("--fail-on: no severity %q: want error, warning, information or never", o.failOn)
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
		return exit.Named(o.suppress, err)
	}
	return nil
}

// checkAll checks several files at a time and yields the results in the order of the files.
func checkAll(p *run.Program, files []string, o *options, bar *progress.Bar) func(func(*checked) bool) {
	return func(yield func(*checked) bool) {
		results := make([]chan *checked, len(files))
		for i := range results {
			results[i] = make(chan *checked, 1)
		}
		tickets := make(chan struct{}, runtime.GOMAXPROCS(0))
		go func() {
			for i, name := range files {
				tickets <- struct{}{}
				go func() {
					results[i] <- checkFile(p, name, o, bar)
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
func checkFile(p *run.Program, name string, o *options, bar *progress.Bar) *checked {
	c := &checked{name: name}
	in, err := input.Open(p, name, input.Options{Shared: bar, Silent: true})
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
	case o.threshold > 0 && r.Worst() >= o.threshold:
		c.code = graver(c.code, exit.Broken)
	}
	return c
}

// graver returns the first of 2, 1, 3 and 0 that is a or b.
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

// formats are the values of --format.
var formats = []struct {
	name string
	new  func(p *run.Program, o *options, files int) printer
}{
	{choice.Text, newText}, {choice.JSON, newJSON}, {"sarif", newSARIF}, {"junit", newJUnit},
	{"github", newGitHub},
}

func formatNames() (names []string) {
	for _, f := range formats {
		names = append(names, f.name)
	}
	return names
}

// newPrinter returns the printer of --format, which has one of these values.
func (o *options) newPrinter(p *run.Program, files int) printer {
	i := slices.Index(formatNames(), o.format.Name())
	return formats[i].new(p, o, files)
}

// place returns the position of a finding as text.
func place(f *check.Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "offset %d", f.Offset)
	if f.Block.Ordinal >= 0 {
		fmt.Fprintf(&b, ", %v block %d at %d", f.Block.Kind, f.Block.Ordinal, f.Block.Offset)
	}
	if f.Row >= 0 {
		fmt.Fprintf(&b, ", row %d", f.Row)
	}
	for _, id := range f.IDs {
		fmt.Fprintf(&b, ", %s %s", id.Name, id.Value)
	}
	return b.String()
}

// difference returns the expected and the actual value as text.
func difference(f *check.Finding) string {
	switch {
	case f.Expected != "" && f.Actual != "":
		return "expected " + f.Expected + "; found " + f.Actual
	case f.Expected != "":
		return "expected " + f.Expected
	}
	return f.Actual
}
