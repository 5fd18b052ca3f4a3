// Package heap is the command heap, which shows the heap dump of a trace.
package heap

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/choice"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/heapdump"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/live"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
)

// options are the flags of heap.
type options struct {
	heapdump.Query
	live    live.File
	diff    string
	format  choice.Format
	display terminal.Flags
}

// Command returns the command heap.
func Command(p *run.Program) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "heap {FILE | -p PID | -n NAME | --port ADDR}",
		Short: "Show what was in memory and what kept it there",
		Long: "heap shows the heap dump of a trace, which nettrace collect --profile gcdump records, or of a\n" +
			".gcdump file of dotnet-gcdump, Visual Studio or PerfView: the types of the objects with their\n" +
			"number, shallow size (of the objects alone) and retained size (also of all objects that would be\n" +
			"freed with them; objects below others of the same type are not counted twice). Shares are of all\n" +
			"bytes. With -p, -n or --port it makes a heap dump of a process first, as collect does: the process\n" +
			"is paused meanwhile.\n\n" +
			"--paths TYPE prints the shortest paths from roots to the objects of a type, and how many objects\n" +
			"have each. TYPE is the complete name, as the table of types has it, or a glob: '*List<Leaf>'. The\n" +
			"first part of a path is the kind of root. A static field is written before the type of its object\n" +
			"as [field]; the dump has its name without the class. A thread static, like a local variable, is a\n" +
			"root of a stack; a dump has neither its name nor the thread.\n\n" +
			"--dominators prints a tree: below each type what its objects retain. Objects of one type below\n" +
			"the same row are one row, and so is an object directly below one of its own type. Below \"several\n" +
			"roots\" are the objects that several roots keep through different objects, so that no single one\n" +
			"retains them, and below \"no root\" those that no root reaches, literals among them. --below PATH\n" +
			"prints one row and those below it; --min is then a percentage of that row. PATH has the names from\n" +
			"the root on, as --paths prints them. --roots prints the roots by kind, and the static fields with\n" +
			"what their objects retain. --diff OTHER prints how much each type grew since the older dump OTHER.\n\n" +
			"Weak handles do not keep objects. The value of a dependent handle (an entry of a\n" +
			"ConditionalWeakTable) counts as kept by its key, an approximation: the table keeps it too.\n\n" +
			"The formats folded (flamegraph.pl) and pprof have the tree of --dominators. The format heapsnapshot\n" +
			"opens in Chrome DevTools, panel Memory; gcdump in Visual Studio and PerfView. A dump of which data\n" +
			"was lost is an error with the numbers; --partial shows the rest, in which sizes are too small and\n" +
			"objects seem to be without roots. A file without a dump exits with 1.\n\n" +
			"A .gcdump file does not have the time, the collection and whether data was lost, and dotnet-gcdump\n" +
			"makes the values of dependent handles roots: what depends on it is left out or differs.",
		Example: "  nettrace heap dump.nettrace\n" +
			"  nettrace heap --paths 'MyApp.*' dump.nettrace\n" +
			"  nettrace heap --diff before.nettrace after.nettrace\n" +
			"  nettrace heap --dominators --min 5 dump.nettrace\n" +
			"  nettrace heap --dominators --below 'handle > System.Object[]' dump.nettrace\n" +
			"  nettrace heap --format pprof dump.nettrace > heap.pb.gz && go tool pprof -http : heap.pb.gz",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.live.Check("heap", len(args)); err != nil {
				return err
			}
			if err := o.check(cmd); err != nil {
				return err
			}
			if o.live.Given() > 0 {
				name, remove, err := o.live.Record(cmd.Context(), p, "--profile", "gcdump")
				defer remove()
				if err != nil || name == "" {
					return err
				}
				args = []string{name}
			}
			if err := run.OneFile(cmd, args); err != nil {
				return err
			}
			return o.show(cmd.Context(), p, args[0])
		},
	}
	o.live.AddFlags(cmd, true)
	o.Query.AddFlags(cmd.Flags())
	cmd.Flags().StringVar(&o.diff, "diff", "", "compare with the older file `OTHER`")
	o.format.AddFlags(cmd, []string{choice.Text, choice.JSON, "csv", "folded", "pprof", "heapsnapshot", "gcdump"}, choice.Text, "")
	o.display.AddFlags(cmd)
	return cmd
}

// check refuses flags that exclude each other.
func (o *options) check(cmd *cobra.Command) error {
	if o.diff != "" && !o.IsTypes() {
		return errors.New("--paths, --dominators, --roots and --diff exclude each other")
	}
	if err := o.Complete(cmd.Flags()); err != nil {
		return err
	}
	if heapdump.Exports[o.format.Name()] == nil {
		return nil
	}
	if o.diff != "" || o.Paths != "" || o.Roots {
		return fmt.Errorf("--format %s excludes --paths, --roots and --diff", o.format.Name())
	}
	if o.Below != "" || cmd.Flags().Changed("min") || cmd.Flags().Changed("limit") {
		return fmt.Errorf("--format %s excludes --below, --min and --limit: it has all objects", o.format.Name())
	}
	return nil
}

// show prints a dump.
func (o *options) show(ctx context.Context, p *run.Program, name string) error {
	export := heapdump.Exports[o.format.Name()]
	if export != nil && o.format.Name() != "folded" && terminal.IsTerminal(p.Stdout) {
		return fmt.Errorf("--format %s: standard output is a terminal", o.format.Name())
	}
	d, err := load(ctx, p, name, &o.Selection)
	if err != nil {
		return err
	}
	if export != nil {
		return exit.WriteError(export(p.Stdout, &o.Query, d))
	}
	tables, err := o.tables(ctx, p, d)
	if err != nil {
		return err
	}
	text, err := o.render(tables, o.display.Screen(p.Stdout))
	if err != nil {
		return err
	}
	_, err = p.Stdout.Write(text)
	return exit.WriteError(err)
}

// render returns tables in the chosen format.
func (o *options) render(t *heapdump.Tables, s terminal.Screen) ([]byte, error) {
	switch o.format.Name() {
	case choice.JSON:
		return t.JSON(), nil
	case "csv":
		return t.CSV()
	}
	return t.Text(s), nil
}

// tables returns what the flags ask for.
func (o *options) tables(ctx context.Context, p *run.Program, d *heapdump.Dump) (*heapdump.Tables, error) {
	if o.diff == "" {
		return o.Tables(ctx, d)
	}
	before, err := load(ctx, p, o.diff, &heapdump.Selection{Partial: o.Partial, RawNames: o.RawNames})
	if err != nil {
		return nil, err
	}
	if before.Dump.Process == d.Dump.Process && before.Dump.Begin.After(d.Dump.Begin) {
		p.Complain("%v", input.FileError(o.diff, fmt.Errorf("note: this dump is newer than that of %s: for growth, the file after --diff is the older one", d.File)))
	}
	return o.Growth(before, d), nil
}

// load reads the dump of a file.
func load(ctx context.Context, p *run.Program, name string, selection *heapdump.Selection) (*heapdump.Dump, error) {
	in, err := input.Open(p, name, input.Options{Silent: true, GCDump: true})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	d, err := selection.Load(ctx, name, in)
	if err != nil {
		return nil, err
	}
	in.EndProgress()
	d.Report(p, selection)
	return d, nil
}
