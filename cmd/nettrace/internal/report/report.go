// Package report is the command report, which prints what was wrong with the program in a
// trace.
package report

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/parts"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/choice"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
)

// options are the flags of report and of the commands of the parts.
type options struct {
	format   choice.Format
	terminal terminal.Flags
}

// markdown is a value of --format.
const markdown = "markdown"

// Command returns the command report, with a command for each part.
func Command(p *run.Program) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "report FILE...",
		Short: "Print what was wrong with the program in a trace",
		Long: "report prints findings: what is unusual, the most important one first, with the numbers, an advice\n" +
			"and the command that shows the details. Then it prints a line for each part: its totals, or the\n" +
			"provider, keywords and level that record it. Rules are conservative: most traces have no finding.\n\n" +
			"report PART prints one part in full; its command lists the columns. With --format json both print\n" +
			"an object on one line for each part and process of each file, with the rows of the part. Times are\n" +
			"integers in nanoseconds, sizes in bytes; unknown values are left out.\n\n" +
			"Without events of any part, or of the one that was asked for, report exits with 1.",
		Example: "  nettrace report trace.nettrace\n" +
			"  nettrace report gc trace.nettrace\n" +
			"  nettrace report --json trace.nettrace | jq -c '.findings[]'\n" +
			"  nettrace report --format markdown a.nettrace b.nettrace > report.md",
		Args: run.SomeFiles,
		RunE: func(cmd *cobra.Command, files []string) error {
			return o.run(cmd.Context(), p, files, parts.All, o.writer(p, summarize))
		},
	}
	o.addFlags(cmd)
	for i := range views {
		cmd.AddCommand(partCommand(p, &views[i]))
	}
	return cmd
}

// partCommand returns the command of a part.
func partCommand(p *run.Program, v *view) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:     v.name + " FILE...",
		Short:   v.short,
		Long:    v.long,
		Example: "  nettrace report " + v.name + " trace.nettrace\n  nettrace report " + v.name + " --json trace.nettrace | jq .totals",
		Args:    run.SomeFiles,
		RunE: func(cmd *cobra.Command, files []string) error {
			one := func() []analysis.Part {
				part, _ := parts.New(v.name)
				return []analysis.Part{part}
			}
			return o.run(cmd.Context(), p, files, one, o.writer(p, detail))
		},
	}
	o.addFlags(cmd)
	return cmd
}

func (o *options) addFlags(cmd *cobra.Command) {
	o.format.AddFlags(cmd, []string{choice.Text, choice.JSON, markdown}, choice.Text, "")
	o.terminal.AddFlags(cmd)
}

// run prints the reports of files.
func (o *options) run(ctx context.Context, p *run.Program, files []string, some func() []analysis.Part, w writer) error {
	recorded := false
	for i, name := range files {
		f, err := read(ctx, p, name, some())
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			p.Finish(nil, err)
			continue
		}
		recorded = recorded || f.recorded()
		if _, err := p.Stdout.Write(w(f, i > 0)); err != nil {
			return exit.WriteError(err)
		}
		f.complain(p)
	}
	if !recorded {
		p.Raise(exit.Broken)
	}
	return nil
}

// writer returns the text of the reports of a file. more is set for files after the first
// one.
type writer func(f *file, more bool) []byte

// writer returns the one of the chosen format. show is that of the others than JSON.
func (o *options) writer(p *run.Program, show func(*document, *file)) writer {
	if o.format.IsJSON() {
		return func(f *file, _ bool) []byte { return f.json() }
	}
	return func(f *file, more bool) []byte {
		d := &document{screen: o.terminal.Screen(p.Stdout), markdown: o.format.Name() == markdown}
		if more {
			d.line("")
		}
		show(d, f)
		return d.text
	}
}

// commandFor returns the command of a finding with the name of a file.
func commandFor(command, name string) string {
	if strings.ContainsAny(name, " \t'\"$&|;()<>*?\\`") {
		name = "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
	}
	return strings.ReplaceAll(command, "FILE", name)
}
