// Package top is the command top, which adds up samples by method, type, module, thread,
// process or class.
package top

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/choice"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
	"github.com/nettrace-go/nettrace/profile/folded"
)

// options are the flags of top.
type options struct {
	samples.Selection
	by, sort   string
	format     choice.Format
	tree       bool
	diff       string
	limit      uint64
	display    terminal.Flags
	minPercent float64 // minimum percentage of the sum of a node in the tree
}

// topKeys are the values of --by: the key of a row.
var topKeys = []struct {
	name string
	key  func(f *profile.Function, raw bool) string
}{
	{"method", nil},
	{"type", typeOf},
	{"module", func(f *profile.Function, _ bool) string { return moduleOf(f) }},
	{"thread", nil},
	{"process", nil},
	{"class", nil},
}

// classes are the labels for --by class.
var classes = map[profile.Type]string{
	profile.Alloc: "allocation class", profile.Exception: "exception type", profile.Lock: "contention type", profile.GC: "gc reason",
}

// topSorts are the values of --sort.
var topSorts = []string{"self", "total"}

// Command returns the command top.
func Command(p *run.Program) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "top FILE",
		Short: "Show the methods with the most time, or with another type of samples",
		Long: "top adds up samples by method: self is the value of samples in the method itself, total includes\n" +
			"those in its callees. Recursion counts once. Time is wall time of all threads together, including\n" +
			"waiting; --type cpu is an approximation of the time in managed code. Periods in which a thread was\n" +
			"not sampled count for no method; their sum is printed above the table. With --from and --to, a wait,\n" +
			"lock or other duration counts with the part of it in that range. A duration without an end counts up\n" +
			"to the end of the recording.\n\n" +
			"--by type groups by the type that declares the method. --by class groups by what a sample is about:\n" +
			"the allocated class, the type of the exception, the kind of lock, the reason of the collection.\n" +
			"--by thread and --by process print IDs and names; if there are several processes, a thread is\n" +
			"printed as PROCESS/THREAD.\n\n" +
			"With --tree it prints calls from the root. Several callees of a method are indented; a single callee\n" +
			"is printed below its caller without further indentation. With --diff OTHER it compares FILE with\n" +
			"the older file OTHER. Without samples it prints the reason and exits with 1.",
		Example: "  nettrace top trace.nettrace\n" +
			"  nettrace top --type alloc --by class --limit 20 trace.nettrace\n" +
			"  nettrace top --tree --thread 4242 --type cpu trace.nettrace\n" +
			"  nettrace top --diff before.nettrace after.nettrace",
		Args: run.OneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(); err != nil {
				return err
			}
			if o.tree && !cmd.Flags().Changed("limit") {
				o.limit = 0 // --min keeps it short
			}
			return showTop(cmd.Context(), p, args[0], &o)
		},
	}
	o.AddFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.by, "by", "method", "print a row for each `KEY`: "+strings.Join(topKeyNames(), ", "))
	f.StringVar(&o.sort, "sort", "self", "order rows by this `COLUMN`: self or total; with --diff by its change")
	f.BoolVar(&o.tree, "tree", false, "show calls from the root")
	f.Float64Var(&o.minPercent, "min", 1, "with --tree: leave out calls with less than this `PERCENT` of the sum")
	f.StringVar(&o.diff, "diff", "", "compare with the older file `OTHER`")
	f.Uint64Var(&o.limit, "limit", 30, "print at most `N` rows; 0 for all, which is the default of --tree")
	o.format.AddTextFlags(cmd)
	o.display.AddFlags(cmd)
	_ = cmd.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(topKeyNames(), cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("sort", cobra.FixedCompletions(topSorts, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func topKeyNames() []string {
	var names []string
	for _, k := range topKeys {
		names = append(names, k.name)
	}
	return names
}

func (o *options) check() error {
	switch {
	case !slices.Contains(topKeyNames(), o.by):
		return fmt.Errorf("--by: %q is none of %s", o.by, strings.Join(topKeyNames(), ", "))
	case !slices.Contains(topSorts, o.sort):
		return fmt.Errorf("--sort: %q is neither self nor total", o.sort)
	case o.minPercent < 0 || o.minPercent > 100 || math.IsNaN(o.minPercent):
		return errors.New("--min is a percentage")
	case o.tree && (o.diff != "" || o.flat()):
		return errors.New("--tree goes neither with --diff nor with --by thread, process or class")
	}
	return nil
}

// typeOf returns the type that declares a method.
func typeOf(f *profile.Function, raw bool) string {
	switch {
	case f.Symbol == nil || f.Symbol.Namespace == "":
	case raw:
		return f.Symbol.Namespace
	default:
		return f.Symbol.TypeName()
	}
	return moduleOf(f)
}

func moduleOf(f *profile.Function) string {
	switch {
	case f.Module != "":
		return f.Module
	case f.Symbol == nil && strings.HasPrefix(f.Name, "[") && !strings.HasPrefix(f.Name, "[stub "):
		return f.Name // such as [kernel], or the mark of a truncated stack
	}
	return "(unknown)"
}

// topRow has the values of one method, type, module or thread.
type topRow struct {
	name        calltree.Name
	self, total int64
	samples     int64 // of self
}

// topData is the data of one file.
type topData struct {
	*samples.Loaded
	kind      profile.Type
	samples   int64
	sum       int64
	processes int // that have samples
	names     profile.NameSummary
	tree      *calltree.Tree
	rows      []topRow
}

// showTop shows one file, or compares two.
func showTop(ctx context.Context, p *run.Program, name string, o *options) error {
	after, err := topOf(ctx, p, name, o)
	if err != nil {
		return err
	}
	var before *topData
	if o.diff != "" {
		if before, err = topOf(ctx, p, o.diff, o); err != nil {
			return err
		}
		if before.kind != after.kind {
			return exit.With(exit.Broken, fmt.Errorf("%s has %v, %s %v: --type chooses", o.diff, before.kind, name, after.kind))
		}
	}
	t := textPrinter{Screen: o.display.Screen(p.Stdout), o: o}
	switch {
	case o.format.IsJSON():
		t.b = topJSON(after, before, o)
	case before != nil:
		t.diff(after, before)
	case o.tree:
		t.tree(after)
	default:
		t.rows(after)
	}
	_, err = p.Stdout.Write(t.b)
	return exit.WriteError(err)
}

// topOf reads a file and adds up its samples.
func topOf(ctx context.Context, p *run.Program, name string, o *options) (*topData, error) {
	in, err := input.Open(p, name, input.Options{Silent: true})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	l, err := o.Load(ctx, name, in, false)
	if err != nil {
		return nil, err
	}
	in.EndProgress()
	input.Report(p, name, l.Reader, l.Err)
	input.ReportLost(p, name, l.Reader)
	if len(l.Kinds) == 0 {
		return nil, l.Empty()
	}
	d := &topData{Loaded: l, kind: l.One()}
	d.names = l.Names(d.kind)
	samples.WarnNames(p, name, d.names)
	d.add(o)
	return d, nil
}

// flat reports whether a row adds up samples by a property of their own, not by
// their frames.
func (o *options) flat() bool { return o.by == "thread" || o.by == "process" || o.by == "class" }

// add adds up the samples by the key of the rows.
func (d *topData) add(o *options) {
	key := calltree.Naming(o.RawNames)
	for _, k := range topKeys {
		if k.name == o.by && k.key != nil {
			key = func(f *profile.Function) calltree.Name { return calltree.Name{Text: k.key(f, o.RawNames)} }
		}
	}
	d.tree = calltree.New(calltree.NewNames(d.Profile, key))
	flat := map[string]*topRow{}
	d.processes = len(calltree.Processes(d.Profile, d.kind))
	for s := range d.Samples(d.kind) {
		d.tree.Add(s.Stack, s.Value)
		d.sum += s.Value
		d.samples++
		if o.flat() {
			name := d.flatName(&s, o)
			row := flat[name]
			if row == nil {
				row = &topRow{name: calltree.Name{Text: name}}
				flat[name] = row
			}
			row.self, row.total, row.samples = row.self+s.Value, row.total+s.Value, row.samples+1
		}
	}
	d.tree.Sum()
	if !o.flat() {
		d.rows = flatten(d.tree)
	}
	for _, row := range flat {
		d.rows = append(d.rows, *row)
	}
	d.sort(o.sort)
}

// flatName returns the name of a sample's thread, process or class.
func (d *topData) flatName(s *profile.Sample, o *options) string {
	t := &d.Threads()[s.Thread]
	switch o.by {
	case "thread":
		name := strconv.FormatUint(t.ID, 10) + " " + t.Name
		if d.processes > 1 {
			name = strconv.FormatUint(t.ProcessID, 10) + "/" + name
		}
		return strings.TrimSpace(name)
	case "process":
		if t.ProcessID == 0 {
			return "(unknown)"
		}
		return strings.TrimSpace(strconv.FormatUint(t.ProcessID, 10) + " " + d.Process(t.ProcessID).Name)
	}
	for _, l := range d.Labels(s) {
		if l.Key == classes[d.kind] && o.RawNames && l.Raw != "" {
			return l.Raw
		} else if l.Key == classes[d.kind] {
			return l.Text
		}
	}
	return "(none)"
}

// flatten adds up the nodes of each name. If a name comes several times on a
// path, only the node nearest to the root counts for the total.
func flatten(t *calltree.Tree) []topRow {
	rows := make([]topRow, len(t.Names.List))
	for i, name := range t.Names.List {
		rows[i].name = name
	}
	for i, outermost := range t.Outermost() {
		n := &t.Nodes[i]
		switch {
		case i > 0:
			row := &rows[n.Name]
			row.self += n.Self
			row.samples += n.Count
			if outermost {
				row.total += n.Total
			}
		case n.Count > 0:
			rows = append(rows, topRow{name: calltree.Name{Text: folded.NoFrames}, self: n.Self, total: n.Self, samples: n.Count})
		}
	}
	return rows
}

// sort orders rows by a value, then by name.
func (d *topData) sort(by string) {
	slices.SortFunc(d.rows, func(a, b topRow) int {
		first, second := cmp.Compare(b.self, a.self), cmp.Compare(b.total, a.total)
		if by == "total" {
			first, second = second, first
		}
		return cmp.Or(first, second, strings.Compare(a.name.Text, b.name.Text), strings.Compare(a.name.Module, b.name.Module))
	})
}

// shown returns the number of rows out of n that are shown.
func (o *options) shown(n int) int {
	if o.limit == 0 {
		return n
	}
	return int(min(uint64(n), o.limit))
}
