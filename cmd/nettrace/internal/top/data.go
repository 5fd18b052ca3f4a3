package top

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/summaryfile"
	"github.com/nettrace-go/nettrace/model/incoming"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
	"github.com/nettrace-go/nettrace/profile/folded"
	"github.com/nettrace-go/nettrace/summary"
	"github.com/nettrace-go/nettrace/symbols"
)

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
	threads         int // that have samples, without those that a view leaves out
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
	if o.diff != "" {
		if err := summaryfile.CheckPair(o.diff, name); err != nil {
			return err
		}
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
	return o.print(p, after, before)
}

// print prints the data of one file, or of two.
func (o *options) print(p *run.Program, after, before *topData) error {
	t := textPrinter{Screen: o.display.Screen(p.Stdout), o: o}
	switch {
	case o.format.IsJSON():
		t.b = topJSON(after, before, o)
	case before != nil:
		t.diff(after, before)
	default:
		t.one(after)
	}
	_, err := p.Stdout.Write(t.b)
	return exit.WriteError(err)
}

// topOf reads a file and adds up its samples.
func topOf(ctx context.Context, p *run.Program, name string, o *options) (*topData, error) {
	if summaryfile.Is(name) {
		d, err := summaryOf(name, o)
		if err == nil {
			summaryfile.Warn(p, d.file, d.summary)
			d.warnNames(p)
		}
		return d, err
	}
	in, err := input.Open(p, name, input.Options{Silent: true})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	l, err := o.samples(ctx, name, in)
	if err != nil {
		return nil, err
	}
	in.EndProgress()
	return o.report(p, l)
}

// samples reads the samples of a file, with labels only for rows of classes.
func (o *options) samples(ctx context.Context, name string, in *input.File) (*samples.Loaded, error) {
	o.NoLabels = o.by != "class"
	o.Requests = slices.Contains(requestKeys, o.by)
	return o.Load(ctx, name, in, false)
}

// report returns the data of a file, and prints what is wrong with the file, and how many
// names are missing.
func (o *options) report(p *run.Program, l *samples.Loaded) (*topData, error) {
	l.ReportTrace(p)
	d, err := o.dataOf(l)
	if d != nil {
		samples.WarnNames(p, l.File, d.names, d.kind)
	}
	return d, err
}

// dataOf adds up the samples of a file. It returns data with an error if no sample has the
// method of a view.
func (o *options) dataOf(l *samples.Loaded) (*topData, error) {
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
	d.add(o)
	if o.view.around() != nil && d.samples == 0 {
		return d, l.Nothing("no frame matches " + cmp.Or(o.callers, o.callees))
	}
	return d, nil
}

// waitsOnly reports whether all samples of the sample profiler have states that
// top leaves out by default. Then the head has their sums, and there are no
// rows.
func (o *options) waitsOnly(l *samples.Loaded) bool {
	return o.ByDefault() && l.Why(profile.Wall) == profile.Filtered && l.AnyState()
}

// flat reports whether a row adds up samples by a property of their own, not by
// their frames.
func (o *options) flat() bool {
	return slices.Contains([]string{"thread", "process", "source", "class"}, o.by) || slices.Contains(requestKeys, o.by)
}

// add adds up the samples by the key of the rows.
func (d *topData) add(o *options) {
	key := calltree.Naming(o.RawNames)
	for _, k := range topKeys {
		if k.name == o.by && k.key != nil {
			key = func(f *profile.Function) calltree.Name { return calltree.Name{Text: k.key(f, o.RawNames)} }
		}
	}
	names := calltree.NewNames(d.Profile, key)
	names.Lines = o.by == "line" && d.HasLines()
	d.tree = calltree.New(names)
	flat := map[string]*topRow{}
	d.processes = len(calltree.Processes(d.Profile, d.kind))
	view := newViewed(&o.view, d.tree)
	d.inverted = o.view.inverted()
	last := -1
	for s := range d.Totals(d.kind) {
		if o.view == (callView{}) {
			d.tree.Add(&s)
		} else if !view.add(&s) {
			continue
		}
		if s.Thread != last { // samples come thread by thread
			d.threads, last = d.threads+1, s.Thread
		}
		d.sum += s.Value
		d.samples += s.Samples
		if o.flat() {
			name := d.flatName(&s.Sample, o)
			row := flat[name]
			if row == nil {
				row = &topRow{name: calltree.Name{Text: name}}
				flat[name] = row
			}
			row.self, row.total, row.samples = row.self+s.Value, row.total+s.Value, row.samples+s.Samples
		}
	}
	d.tree.Sum()
	for i := range names.List {
		if name := &names.List[i]; name.Line > 0 {
			name.Text += "  " + samples.LineText(&symbols.Location{File: name.File, Line: name.Line, EndLine: name.EndLine})
		}
	}
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
	case "route", "trace", "span", "request":
		return requestName(d.Profile, s, o.by)
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

// requestName returns the route or an id of the request whose work a sample is.
func requestName(p *profile.Profile, s *profile.Sample, by string) string {
	r, rule := p.Request(s)
	switch {
	case rule == incoming.Ambiguous:
		return "(several requests)"
	case r == nil:
		return "(no request)"
	case by == "route":
		return profile.RouteName(r)
	case by == "span":
		if span := p.Span(s); span != nil {
			return span.SpanID + " " + span.Name
		}
	}
	return cmp.Or(map[string]string{"trace": r.TraceID, "span": r.SpanID, "request": r.ID}[by], "(not recorded)")
}
