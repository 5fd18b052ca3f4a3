// Package heap is the command heap, which shows the heap dump of a trace.
package heap

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/choice"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/heapdump"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
)

// options are the flags of heap.
type options struct {
	heapdump.Selection
	paths             string
	dominators, roots bool
	diff              string
	limit             uint64
	minPercent        float64
	rawNames          bool
	format            choice.Format
	display           terminal.Flags
}

// Command returns the command heap.
func Command(p *run.Program) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "heap FILE",
		Short: "Show what was in memory and what kept it there",
		Long: "heap shows the heap dump of a trace, which nettrace collect --profile gcdump records: the types of\n" +
			"the objects with their number, shallow size (of the objects alone) and retained size (also of all\n" +
			"objects that would be freed with them; objects below others of the same type are not counted\n" +
			"twice). Shares are of all bytes.\n\n" +
			"--paths TYPE prints the shortest paths from roots to the objects of a type, and how many objects\n" +
			"have each. The first part is the kind of root. A static field is written before the type of its\n" +
			"object as [field]; the dump has its name without the class. A thread static, like a local variable,\n" +
			"is a root of a stack; a dump has neither its name nor the thread.\n\n" +
			"--dominators prints a tree: below each type what its objects retain. Objects of one type below\n" +
			"the same row are one row, and so is an object directly below one of its own type. --roots prints\n" +
			"the roots by kind, and the static fields with what their objects retain. --diff OTHER prints how\n" +
			"much each type grew since the older dump OTHER.\n\n" +
			"Objects that no root reaches, literals among them, are a group of their own. Weak handles do not\n" +
			"keep objects. The value of a dependent handle (an entry of a ConditionalWeakTable) counts as kept by\n" +
			"its key, which is an approximation: the table keeps it too.\n\n" +
			"The formats folded (flamegraph.pl) and pprof have the tree of --dominators. The format heapsnapshot\n" +
			"opens in Chrome DevTools, panel Memory. A dump of which data was lost is an error with the numbers;\n" +
			"--partial shows the rest, in which sizes are too small and objects seem to be without roots. A file\n" +
			"without a dump exits with 1.",
		Example: "  nettrace heap dump.nettrace\n" +
			"  nettrace heap --paths 'MyApp.*' dump.nettrace\n" +
			"  nettrace heap --diff before.nettrace after.nettrace\n" +
			"  nettrace heap --dominators --min 5 dump.nettrace\n" +
			"  nettrace heap --format pprof dump.nettrace > heap.pb.gz && go tool pprof -http : heap.pb.gz",
		Args: run.OneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(); err != nil {
				return err
			}
			if o.dominators && !cmd.Flags().Changed("limit") {
				o.limit = 0 // --min keeps it short
			}
			return o.show(cmd.Context(), p, args[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.paths, "paths", "", "print the paths from roots to the objects of this `TYPE`, a name or glob")
	f.BoolVar(&o.dominators, "dominators", false, "print a tree of what the objects of each type retain")
	f.BoolVar(&o.roots, "roots", false, "print the roots by kind, and the static fields")
	f.StringVar(&o.diff, "diff", "", "compare with the older file `OTHER`")
	f.Uint32Var(&o.Collection, "gc", 0, "show the dump of the collection with this number `N`; 0 for the last one")
	f.BoolVar(&o.Partial, "partial", false, "show a dump of which data was lost")
	f.Uint64Var(&o.limit, "limit", 30, "print at most `N` rows; 0 for all, which is the default of --dominators")
	f.Float64Var(&o.minPercent, "min", 1, "with --dominators: leave out rows with less than this `PERCENT` of all bytes")
	f.BoolVar(&o.rawNames, "raw-names", false, "print the names of types as the runtime writes them")
	o.format.AddFlags(cmd, []string{choice.Text, choice.JSON, "csv", "folded", "pprof", "heapsnapshot"}, choice.Text, "")
	o.display.AddFlags(cmd)
	return cmd
}

// check refuses flags that exclude each other.
func (o *options) check() error {
	views := 0
	for _, given := range []bool{o.paths != "", o.dominators, o.roots, o.diff != ""} {
		if given {
			views++
		}
	}
	switch {
	case views > 1:
		return errors.New("--paths, --dominators, --roots and --diff exclude each other")
	case !(o.minPercent >= 0 && o.minPercent <= 100):
		return errors.New("--min is a percentage")
	case exports[o.format.Name()] != nil && (views > 1 || views == 1 && !o.dominators):
		return fmt.Errorf("--format %s excludes --paths, --roots and --diff", o.format.Name())
	}
	return nil
}

// show prints a dump.
func (o *options) show(ctx context.Context, p *run.Program, name string) error {
	export := exports[o.format.Name()]
	if export != nil && o.format.Name() != "folded" && terminal.IsTerminal(p.Stdout) {
		return fmt.Errorf("--format %s: standard output is a terminal", o.format.Name())
	}
	d, err := o.load(ctx, p, name)
	if err != nil {
		return err
	}
	if export != nil {
		return exit.WriteError(export(p.Stdout, o, d))
	}
	view, err := o.view(ctx, p, d)
	if err != nil {
		return err
	}
	text, err := view.render(o, d, o.display.Screen(p.Stdout))
	if err != nil {
		return err
	}
	_, err = p.Stdout.Write(text)
	return exit.WriteError(err)
}

// load reads the dump of a file.
func (o *options) load(ctx context.Context, p *run.Program, name string) (*heapdump.Dump, error) {
	in, err := input.Open(p, name, input.Options{Silent: true})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	d, err := o.Load(ctx, name, in)
	if err != nil {
		return nil, err
	}
	in.EndProgress()
	d.Report(p, &o.Selection)
	return d, nil
}

// view returns what the flags ask for.
func (o *options) view(ctx context.Context, p *run.Program, d *heapdump.Dump) (*view, error) {
	switch {
	case o.paths != "":
		return o.pathsView(ctx, d)
	case o.dominators:
		return o.treeView(d), nil
	case o.roots:
		return o.rootsView(d), nil
	case o.diff != "":
		older := *o
		older.Collection = 0
		before, err := older.load(ctx, p, o.diff)
		if err != nil {
			return nil, err
		}
		return o.diffView(before, d), nil
	}
	return o.typesView(d), nil
}

// typeName returns the name of a type as it is printed.
func (o *options) typeName(name string) string {
	if o.rawNames || strings.HasPrefix(name, "type 0x") {
		return name
	}
	return symbols.TypeName(name)
}
