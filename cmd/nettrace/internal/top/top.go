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
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/summaryfile"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
	"github.com/nettrace-go/nettrace/profile/folded"
	"github.com/nettrace-go/nettrace/summary"
)

// options are the flags of top.
type options struct {
	samples.Selection
	by, sort   string
	format     choice.Format
	tree       bool
	bottomUp   bool
	callers    string
	callees    string
	view       callView // of the three flags above
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
	{"source", nil},
	{"class", nil},
}

// topSorts are the values of --sort.
var topSorts = []string{"self", "total"}

// Command returns the command top.
func Command(p *run.Program) *cobra.Command {
	o := options{Selection: samples.Selection{DefaultStates: []profile.State{profile.Running, profile.Native}}}
	cmd := &cobra.Command{
		Use:   "top {FILE | SUMMARY.nts}",
		Short: "Show the methods with the most time, or with another type of samples",
		Long: "top adds up samples by method: self is the value of samples in the method itself, total includes\n" +
			"those in its callees. Recursion counts once. Time is the wall time of all threads together in which\n" +
			"they run, or are in native code, which may wait. --type wall adds the time in which they wait;\n" +
			"--type cpu is an approximation of the time in managed code. Periods in which a thread was not\n" +
			"sampled count for no method; their sum is printed above the table. With --from and --to, a wait,\n" +
			"lock or other duration counts with the part of it in that range. A duration without an end counts up\n" +
			"to the end of the recording.\n\n" +
			samples.StatesHelp + "\n" + samples.HelpersHelp() + "\n" +
			"--by type groups by the type that declares the method. --by class groups by what a sample is about:\n" +
			"the allocated class, the type of the exception, the kind of lock, the reason of the collection. --by\n" +
			"thread and --by process print IDs and names; if there are several processes, a thread is printed as\n" +
			"PROCESS/THREAD. --by source prints the file that a process of a merged trace comes from.\n\n" +
			samples.FramesHelp() + "\n" + samples.AsyncHelp + "\n" +
			"With --tree it prints calls from the root. Several callees of a method are indented; a single callee\n" +
			"is printed below its caller without further indentation. --bottom-up prints the callers below each\n" +
			"method, --callers those of some methods, and --callees the calls from some methods: times are those\n" +
			"of the samples with such a method, recursion counts once.\n\n" +
			"With --diff OTHER it compares FILE with the older file OTHER, and orders rows by the change of their\n" +
			"shares, so that the recordings can have different lengths. Beside amounts it prints the share of\n" +
			"self, its change in percentage points, and this change by its standard error (SE), which follows\n" +
			"from the numbers of samples: a change below 2 SE may be chance.\n\n" +
			"With a summary that \"nettrace summarize\" wrote, it shows the samples of all its files; --diff then\n" +
			"takes another summary.\n\n" +
			"Without samples it prints the reason and exits with 1.",
		Example: "  nettrace top trace.nettrace\n" +
			"  nettrace top --type alloc --by class --limit 20 trace.nettrace\n" +
			"  nettrace top --tree --thread 4242 --type cpu trace.nettrace\n" +
			"  nettrace top --callers 'List<.*>.Add' trace.nettrace\n" +
			"  nettrace top --just-my-code --state waiting trace.nettrace\n" +
			"  nettrace top --diff before.nettrace after.nettrace",
		Args: run.OneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(); err != nil {
				return err
			}
			if o.isTree() && !cmd.Flags().Changed("limit") {
				o.limit = 0 // --min keeps it short
			}
			if summaryfile.Is(args[0]) || summaryfile.Is(o.diff) {
				if err := o.checkSummary(cmd); err != nil {
					return err
				}
			}
			return showTop(cmd.Context(), p, args[0], &o)
		},
	}
	o.AddFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.by, "by", "method", "print a row for each `KEY`: "+strings.Join(topKeyNames(), ", "))
	f.StringVar(&o.sort, "sort", "self", "order rows by this `COLUMN`: self or total; with --diff by its change")
	f.BoolVar(&o.tree, "tree", false, "show calls from the root")
	f.BoolVar(&o.bottomUp, "bottom-up", false, "show calls from the leaf: below each method those that call it")
	f.StringVar(&o.callers, "callers", "", "show the callers of the methods that `REGEXP` matches, as a tree")
	f.StringVar(&o.callees, "callees", "", "show the calls from the methods that `REGEXP` matches, as a tree")
	f.Float64Var(&o.minPercent, "min", 1, "with a tree: leave out calls with less than this `PERCENT` of the sum")
	f.StringVar(&o.diff, "diff", "", "compare with the older file `OTHER`")
	f.Uint64Var(&o.limit, "limit", 30, "print at most `N` rows; 0 for all, which is the default of trees")
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

// isTree reports whether a tree of calls is shown.
func (o *options) isTree() bool { return o.tree || o.bottomUp || o.callers != "" || o.callees != "" }

// parseView sets the view of the tree.
func (o *options) parseView() (err error) {
	views := 0
	for _, given := range []bool{o.tree, o.bottomUp, o.callers != "", o.callees != ""} {
		if given {
			views++
		}
	}
	if views > 1 {
		return errors.New("--tree, --bottom-up, --callers and --callees exclude each other")
	}
	o.view.bottomUp = o.bottomUp
	if o.callers != "" {
		if o.view.callers, err = samples.Alternatives("callers", []string{o.callers}); err != nil {
			return err
		}
	}
	if o.callees != "" {
		o.view.callees, err = samples.Alternatives("callees", []string{o.callees})
	}
	return err
}

func (o *options) check() error {
	if err := o.parseView(); err != nil {
		return err
	}
	switch {
	case !slices.Contains(topKeyNames(), o.by):
		return fmt.Errorf("--by: %q is none of %s", o.by, strings.Join(topKeyNames(), ", "))
	case !slices.Contains(topSorts, o.sort):
		return fmt.Errorf("--sort: %q is neither self nor total", o.sort)
	case o.minPercent < 0 || o.minPercent > 100 || math.IsNaN(o.minPercent):
		return errors.New("--min is a percentage")
	case o.isTree() && (o.diff != "" || o.flat()):
		return errors.New("a tree (--tree, --bottom-up, --callers, --callees) goes neither with --diff nor with --by thread, process, source or class")
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
	*samples.Loaded                  // nil for a summary
	summary         *summary.Summary // nil for a trace
	file            string           // of the summary
	kind            profile.Type
	samples         int64
	threads         int // that have samples, also those that a view leaves out
	sum             int64
	processes       int               // that have samples
	sources         map[uint64]string // names by process, see sourceName
	names           profile.NameSummary
	tree            *calltree.Tree
	inverted        bool // the nodes below a node of the tree are its callers
	rows            []topRow
}

// showTop shows one file, or compares two.
func showTop(ctx context.Context, p *run.Program, name string, o *options) error {
	if o.diff != "" && summaryfile.Is(o.diff) != summaryfile.Is(name) {
		return summaryfile.ErrMixed
	}
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
	case o.isTree():
		t.tree(after)
	default:
		t.rows(after)
	}
	_, err = p.Stdout.Write(t.b)
	return exit.WriteError(err)
}

// topOf reads a file and adds up its samples.
func topOf(ctx context.Context, p *run.Program, name string, o *options) (*topData, error) {
	if summaryfile.Is(name) {
		d, err := summaryOf(name, o)
		if err == nil {
			d.warnFailures(p)
		}
		return d, err
	}
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
	d := &topData{Loaded: l}
	switch {
	case o.waitsOnly(l):
		d.kind = profile.Wall
	case len(l.Kinds) == 0:
		return nil, l.Empty()
	default:
		d.kind = l.One()
	}
	d.names = l.Names(d.kind)
	samples.WarnNames(p, name, d.names)
	d.add(o)
	if around := o.view.around(); around != nil && d.samples == 0 {
		return nil, l.Nothing("no frame matches " + around.String())
	}
	return d, nil
}

// waitsOnly reports whether all samples of the sample profiler have states that
// top leaves out by default. Then the head has their sums, and there are no
// rows.
func (o *options) waitsOnly(l *samples.Loaded) bool {
	return o.Kind == "" && !o.SelectsEvents() && l.Why(profile.Wall) == profile.Filtered && l.AnyState()
}

// flat reports whether a row adds up samples by a property of their own, not by
// their frames.
func (o *options) flat() bool {
	return slices.Contains([]string{"thread", "process", "source", "class"}, o.by)
}

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
	view := newViewed(&o.view, d.tree)
	d.inverted = o.view.inverted()
	last := -1
	for s := range d.Samples(d.kind) {
		if s.Thread != last { // samples come thread by thread
			d.threads, last = d.threads+1, s.Thread
		}
		if o.view == (callView{}) {
			d.tree.Add(s.Stack, s.Value)
		} else if !view.add(&s) {
			continue
		}
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

// flatName returns the name of a sample's thread, process, source or class.
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
	case "source":
		return d.sourceName(t.ProcessID)
	}
	for _, l := range d.Labels(s) {
		if l.Key == d.kind.ClassLabel() && o.RawNames && l.Raw != "" {
			return l.Raw
		} else if l.Key == d.kind.ClassLabel() {
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
