// Package report is the command report, which prints what was wrong with the program in a
// trace.
package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/exceptions"
	"github.com/nettrace-go/nettrace/analysis/parts"
	"github.com/nettrace-go/nettrace/analysis/requests"
	"github.com/nettrace-go/nettrace/analysis/spans"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/choice"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/summaryfile"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
)

// options are the flags of report and of the commands of the parts.
type options struct {
	format   choice.Format
	terminal terminal.Flags
	live     live
	page     pageFlags
	workers  int
	details  bool   // of the part, in JSON
	ticks    bool   // in JSON
	physical bool   // of the part exceptions
	part     string // the one to print, "" for all
	limit    uint64 // of the rows of a table, 0 for none

	lines     bool
	lineFlags samples.LineFlags
}

// markdown is a value of --format.
const markdown = "markdown"

// Command returns the command report, with a command for each part.
func Command(p *run.Program) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "report {FILE... | -p PID | -n NAME | --port ADDR}",
		Short: "Print what was wrong with the program in a trace",
		Long: "report prints findings: what is unusual, the most important one first, with the numbers, an advice\n" +
			"and the command that shows the details. Then it prints a line for each part: its totals, or the\n" +
			"provider, keywords and level that record it. Rules are conservative: most traces have no finding. A\n" +
			"trace does not have the settings of its session: a part without events had none, or they were not\n" +
			"recorded.\n\n" +
			"report PART prints one part in full; its command lists the columns. With --format json both print\n" +
			"an object on one line for each part and process of each file, with the rows of the part. Times are\n" +
			"integers in nanoseconds, sizes in bytes; unknown values are left out.\n\n" +
			"With -p it records what the parts need from a running process and reports at the end. The process\n" +
			"then writes an event for each wait, contended lock, exception, compiled method and request, and a\n" +
			"sample of each thread every millisecond, for the owners of locks; a part records only its own\n" +
			"events.\n\n" +
			"With --format html it writes the page of \"nettrace view\" as one file, with the samples and all\n" +
			"parts, which a browser shows without a network. The file lists what it does not have: the events\n" +
			"without --events, the command line without --command-line, and messages of exceptions. Events\n" +
			"contain both, so that the file with --events has them. Of a heap dump it has the types, the roots,\n" +
			"the dominators of at least 0.1 % of all bytes, and the paths to the types that retain most. The\n" +
			"page opens with --page and the flags of the filter. The file has all data: the page can change them.\n" +
			"If the trace has nothing of what they choose, report writes the page, prints the reason and exits\n" +
			"with 1.\n\n" +
			"With a summary that \"nettrace summarize\" wrote, it prints the distributions of GC pauses, requests,\n" +
			"waits and locks, the events by type, and the files that could not be read. With --diff and an older\n" +
			"summary it prints the figures of both and their differences, the greatest changes per file first.\n" +
			"Quantiles are exact to 1 %: a change of one by less than 2 % may be none.\n\n" +
			"With --workers several goroutines read a file, also a .zst that this program wrote. The output is\n" +
			"the same; it needs more memory, and mostly up to 15 % more processor time.\n\n" +
			"report PART exits with 1 if no trace has events of that part; with -p, that is an answer.",
		Example: "  nettrace report trace.nettrace\n" +
			"  nettrace report gc trace.nettrace\n" +
			"  nettrace report --json trace.nettrace | jq -c '.findings[]'\n" +
			"  nettrace report -p 4711 --duration 30s\n" +
			"  nettrace report --format markdown a.nettrace b.nettrace > report.md\n" +
			"  nettrace report -o report.html trace.nettrace\n" +
			"  nettrace report --page flame --from 3s -o report.html trace.nettrace\n" +
			"  nettrace report --events -o report.html trace.nettrace\n" +
			"  nettrace report --diff monday.nts friday.nts",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, files []string) error {
			if err := refuseParts(files); err != nil {
				return err
			}
			asked, err := o.isPage(files)
			if err == nil {
				err = cmp.Or(o.checkWorkers(files, asked), o.checkLimit(cmd, asked), o.checkTicks(asked))
			}
			if err != nil {
				return err
			}
			if asked && o.live.Given() > 0 {
				name, remove, err := o.live.recorded(cmd.Context(), p, parts.All())
				defer remove()
				if err != nil || name == "" {
					return err
				}
				files = []string{name}
			}
			if asked {
				return o.page.write(cmd.Context(), p, files[0])
			}
			if o.page.diff != "" {
				return o.summaryDiff(p, files)
			}
			return o.run(cmd.Context(), p, files, parts.All, o.writer(p, summarize))
		},
	}
	o.addFlags(cmd, html)
	o.page.addFlags(cmd)
	cmd.AddCommand(cpuCommand(p))
	cmd.SuggestFor = append(cmd.SuggestFor, cpuName)
	for i := range views {
		cmd.AddCommand(partCommand(p, &views[i]))
		cmd.SuggestFor = append(cmd.SuggestFor, views[i].name)
	}
	return cmd
}

// refuseParts returns an error if the first file does not exist and resembles a part.
func refuseParts(files []string) error {
	if len(files) == 0 {
		return nil
	}
	if _, err := os.Stat(files[0]); err == nil {
		return nil
	}
	nearest := run.Nearest(files[0], parts.Names())
	if strings.EqualFold(files[0], "topN") { // of dotnet-trace
		nearest = "nettrace top"
	}
	if nearest == "" {
		return nil
	}
	return fmt.Errorf("%q is no part of report; did you mean %s?", files[0], nearest)
}

// partCommand returns the command of a part.
func partCommand(p *run.Program, v *view) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:     v.name + " {FILE... | -p PID | -n NAME | --port ADDR}",
		Short:   v.short,
		Long:    v.long,
		Example: "  nettrace report " + v.name + " trace.nettrace\n  nettrace report " + v.name + " --json trace.nettrace | jq .totals",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, files []string) error {
			if i := slices.IndexFunc(files, summaryfile.Is); i >= 0 {
				return fmt.Errorf("%s: a summary has no part of its own: nettrace report %s prints all of it", files[i], files[i])
			}
			if err := cmp.Or(o.checkWorkers(files, false), o.checkLimit(cmd, false), o.checkTicks(false)); err != nil {
				return err
			}
			if o.details && !o.format.IsJSON() {
				return errors.New("--details needs --format json")
			}
			one := func() []analysis.Part {
				list := parts.With(v.name)
				switch one := list[len(list)-1].(type) {
				case *requests.Part:
					one.Details = o.details
				case *exceptions.Part:
					one.Physical = o.physical
				}
				return list
			}
			o.part = v.name
			return o.run(cmd.Context(), p, files, one, o.writer(p, detail))
		},
	}
	o.addFlags(cmd)
	if v.details != "" {
		cmd.Flags().BoolVar(&o.details, "details", false, v.details+"; needs --format json")
	}
	if v.physical != "" {
		cmd.Flags().BoolVar(&o.physical, "physical", false, v.physical)
	}
	return cmd
}

// addFlags adds the flags that report and its parts have; more are further formats.
func (o *options) addFlags(cmd *cobra.Command, more ...string) {
	o.format.AddFlags(cmd, append([]string{choice.Text, choice.JSON, markdown}, more...), choice.Text, "")
	o.terminal.AddFlags(cmd)
	o.live.addFlags(cmd)
	input.AddWorkersFlag(cmd, &o.workers, 0)
	o.addLimitFlag(cmd)
	cmd.Flags().BoolVar(&o.ticks, "ticks", false, "add the ticks of the trace to each moment (startTicks beside startNs); needs --format json")
	cmd.Flags().BoolVar(&o.lines, "lines", false, "print the source line of each method that throws, allocates or waits")
	o.lineFlags.AddFlags(cmd)
}

// addLimitFlag adds --limit.
func (o *options) addLimitFlag(cmd *cobra.Command) {
	cmd.Flags().Uint64Var(&o.limit, "limit", 50, "print at most `N` rows of a table; 0 for all")
}

// checkLimit returns an error if --limit is given for a format that has all rows.
func (o *options) checkLimit(cmd *cobra.Command, page bool) error {
	if cmd.Flags().Changed("limit") && (page || o.format.IsJSON()) {
		return errors.New("--limit is for text and markdown: JSON and html have all rows")
	}
	return nil
}

// checkTicks returns an error if --ticks is given for another format than JSON.
func (o *options) checkTicks(page bool) error {
	if o.ticks && (page || !o.format.IsJSON()) {
		return errors.New("--ticks needs --format json")
	}
	return nil
}

// document returns an empty text of the chosen format.
func (o *options) document(p *run.Program) *document {
	return &document{screen: o.terminal.Screen(p.Stdout), markdown: o.format.Name() == markdown, limit: int(min(o.limit, math.MaxInt32))}
}

// run prints the reports of files, or of a running process.
func (o *options) run(ctx context.Context, p *run.Program, files []string, some func() []analysis.Part, w writer) error {
	if err := o.live.check(files); err != nil {
		return err
	}
	if o.live.Given() > 0 {
		opt, err := o.analysis(some())
		if err != nil {
			return err
		}
		f, err := o.live.record(p, opt, o.part)
		if err != nil {
			return err
		}
		return show(p, f, w, false)
	}
	recorded := false
	for i, name := range files {
		if summaryfile.Is(name) {
			if err := o.summary(p, name, i > 0); err != nil {
				return err
			}
			recorded = true
			continue
		}
		opt, err := o.analysis(some())
		if err != nil {
			return err
		}
		f, err := read(ctx, p, name, opt, o)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			p.Finish(nil, err)
			continue
		}
		if o.part == requests.Name || o.part == spans.Name {
			if err := o.addCPU(ctx, p, name, f.reports); err != nil {
				return err
			}
		}
		recorded = recorded || f.recorded()
		if err := show(p, f, w, i > 0); err != nil {
			return err
		}
	}
	if !recorded {
		p.Raise(exit.Broken)
	}
	return nil
}

// analysis returns the options for some parts.
func (o *options) analysis(some []analysis.Part) (opt analysis.Options, err error) {
	opt = analysis.Options{Parts: some, Limits: analysis.LargeLimits()}
	if o.lines || o.lineFlags.Given() {
		opt.Lines, err = o.lineFlags.Resolver()
	}
	return opt, err
}

// show prints the reports of a file, and what is wrong with it.
func show(p *run.Program, f *file, w writer, more bool) error {
	if _, err := p.Stdout.Write(w(f, more)); err != nil {
		return exit.WriteError(err)
	}
	f.complain(p)
	return nil
}

// writer returns the text of the reports of a file. more is set for files after the first
// one.
type writer func(f *file, more bool) []byte

// writer returns the one of the chosen format. fill makes the others than JSON.
func (o *options) writer(p *run.Program, fill func(*document, *file)) writer {
	if o.format.IsJSON() {
		return func(f *file, _ bool) []byte {
			for i := range f.reports {
				if !o.details {
					f.reports[i].Waits = nil
				}
			}
			if o.ticks {
				return withTicks(f.json(), f.trace.Header)
			}
			return f.json()
		}
	}
	return func(f *file, more bool) []byte {
		d := o.document(p)
		if more {
			d.line("")
		}
		fill(d, f)
		return d.text
	}
}
