package top

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/jsontext"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/summaryfile"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
	"github.com/nettrace-go/nettrace/summary"
)

// summaryFlags are the flags of top that have an effect on a summary.
var summaryFlags = []string{
	"type", "state", "by", "sort", "tree", "bottom-up", "callers", "callees", "min", "diff", "limit", "format", "json", "color", "wide",
}

// summaryKeys are the values of --by for a summary.
var summaryKeys = []string{"method", "module", "class"}

// checkSummary returns an error for flags that have no effect on a summary.
func (o *options) checkSummary(cmd *cobra.Command) error {
	if err := summaryfile.CheckFlags(cmd, summaryFlags...); err != nil {
		return err
	}
	if !slices.Contains(summaryKeys, o.by) {
		return fmt.Errorf("--by %s: a summary has the keys %s", o.by, strings.Join(summaryKeys, ", "))
	}
	return nil
}

// summaryOf reads a summary and adds up its samples.
func summaryOf(name string, o *options) (*topData, error) {
	s, err := summaryfile.Open(name)
	if err != nil {
		return nil, err
	}
	types, states, err := o.Wanted()
	if err != nil {
		return nil, err
	}
	d := &topData{summary: s, file: name, inverted: o.view.inverted()}
	if !d.chooseKind(types, o.Kind != "") {
		return nil, exit.With(exit.Broken, input.FileError(name, errors.New("nothing to show: "+d.withoutType(o))))
	}
	if !d.addSummary(o, states) {
		return nil, exit.With(exit.Broken, input.FileError(name, fmt.Errorf(
			"the samples of type %v add up to 2^63 %s or more, which top cannot show: summarize fewer files, or use --state", d.kind, d.kind.Value().Unit)))
	}
	if o.by == "class" && len(d.rows) == 0 {
		return nil, exit.With(exit.Broken, input.FileError(name, fmt.Errorf("nothing to show: samples of type %v have no class", d.kind)))
	}
	if d.samples == 0 {
		return nil, exit.With(exit.Broken, input.FileError(name, errors.New("nothing to show: no sample has this state, or no frame matches")))
	}
	return d, nil
}

// chooseKind sets the type that is shown: of those that were requested, as of a trace, the
// last one, otherwise the first one that the summary has.
func (d *topData) chooseKind(types []profile.Type, requested bool) bool {
	found := false
	for _, of := range allTypes() {
		if (types == nil || slices.Contains(types, of)) && d.hasSummary(of) && (requested || !found) {
			d.kind, found = of, true
		}
	}
	return found
}

// withoutType returns why a summary has no type to show.
func (d *topData) withoutType(o *options) string {
	var names []string
	for _, name := range profile.TypeNames() {
		if slices.ContainsFunc(profile.TypesByName(name), d.hasSummary) {
			names = append(names, name)
		}
	}
	text := "the summary has no samples"
	if len(names) > 0 {
		text += " of this type; it has " + strings.Join(names, ", ")
	}
	if only := o.OnlyText(); only != "" {
		text += "; " + only
	}
	return text
}

// allTypes returns the types of samples that a summary can have.
func allTypes() []profile.Type {
	var list []profile.Type
	for _, name := range profile.TypeNames() {
		list = append(list, profile.TypesByName(name)...)
	}
	return list
}

// hasSummary reports whether the summary has samples of a type.
func (d *topData) hasSummary(of profile.Type) bool {
	return slices.ContainsFunc(d.summary.Samples, func(s summary.Samples) bool { return s.Type == of.String() })
}

// addSummary adds up the samples of the chosen type and states. It returns false if a sum is
// saturated: the sums of a Summary do not exceed the highest int64.
func (d *topData) addSummary(o *options, states []profile.State) bool {
	s := d.summary
	names := summaryNames{of: s.Functions, modules: o.by == "module", ids: map[calltree.Name]uint32{}}
	d.tree = calltree.New(&names.Names)
	view := newViewed(&o.view, d.tree)
	for i := range s.Samples {
		of := &s.Samples[i]
		if state, ok := profile.StateByName(of.State); of.Type != d.kind.String() || ok && states != nil && !slices.Contains(states, state) {
			continue
		}
		var functions, path []uint32
		at := int32(0) // node of functions; nodes are in preorder
		for k, node := range of.Node {
			for at < node {
				at++
				functions = append(functions[:s.Stacks.Depth[at-1]-1], uint32(s.Stacks.Function[at-1]))
			}
			if d.sum > 0 && of.Value[k] >= math.MaxInt64-d.sum || max(of.Value[k], of.Count[k]) == math.MaxInt64 {
				return false
			}
			d.countNames(functions[:depth(s, node)], of.Count[k])
			path = names.path(path, functions[:depth(s, node)])
			if view.addPath(path, of.Count[k], of.Value[k]) {
				d.sum, d.samples = d.sum+of.Value[k], d.samples+of.Count[k]
			}
		}
	}
	d.tree.Sum()
	if o.by == "class" {
		d.classRows()
	} else {
		d.rows = flatten(d.tree)
	}
	d.sort(o.sort)
	return true
}

// depth returns the number of frames of a node.
func depth(s *summary.Summary, node int32) int32 {
	if node == 0 {
		return 0
	}
	return s.Stacks.Depth[node-1]
}

// summaryNames numbers the names of a summary's functions in the order of their use.
type summaryNames struct {
	calltree.Names
	of      []summary.Function
	modules bool // the names are those of modules
	ids     map[calltree.Name]uint32
}

// path replaces the contents of dst by the names of functions.
func (n *summaryNames) path(dst, functions []uint32) []uint32 {
	dst = dst[:0]
	for _, f := range functions {
		name := calltree.Name{Text: n.of[f].Name, Module: n.of[f].Module}
		if n.modules {
			name = calltree.Name{Text: moduleName(n.of[f])}
		}
		id, ok := n.ids[name]
		if !ok {
			id = uint32(len(n.List))
			n.ids[name] = id
			n.List = append(n.List, name)
		}
		dst = append(dst, id)
	}
	return dst
}

// classRows makes the rows of --by class.
func (d *topData) classRows() {
	for _, c := range d.summary.Classes {
		if c.Type == d.kind.String() {
			name := c.Class
			if name == "" {
				name = "(none)"
			}
			d.rows = append(d.rows, topRow{name: calltree.Name{Text: name}, self: c.Value, total: c.Value, samples: c.Count})
		}
	}
}

// moduleName returns the module of a function, as moduleOf.
func moduleName(f summary.Function) string {
	switch {
	case f.Module != "":
		return f.Module
	case strings.HasPrefix(f.Name, "[") && !strings.HasPrefix(f.Name, "[stub "):
		return f.Name
	}
	return "(unknown)"
}

// summaryHead prints the measurement of a summary.
func (t *textPrinter) summaryHead(mark string, d *topData) {
	t.line(fmt.Sprintf("%s%s: %s %s, %s of %s", mark, display.Printable(d.file), samples.Amount(d.sum, d.kind), d.kind,
		display.Counted(d.samples, "sample"), display.Counted(d.summary.Files, "file")))
	if n := len(d.summary.Failures); n > 0 {
		t.line(display.Counted(int64(n), "file") + " could not be read, or only in part: nettrace report lists them")
	}
	if others := d.others(); others != "" && t.o.Kind == "" {
		t.line("other types: " + others)
	}
}

// jsonSummary adds the properties of a summary.
func (d *topData) jsonSummary(j *jsontext.Builder) {
	j.Key("file").Text(d.file)
	j.Key("files").Number(d.summary.Files)
	j.Key("failures").Number(int64(len(d.summary.Failures)))
	j.Key("lost").Number(d.summary.Lost)
	j.Key("type").Text(d.kind.String())
	j.Key("unit").Text(d.kind.Value().Unit)
	j.Key("samples").Number(d.samples)
	j.Key("total").Number(d.sum)
}

// warnNames prints a warning if most frames have no name, as those of a trace without a rundown.
func (d *topData) warnNames(p *run.Program) {
	if 2*d.names.Unnamed > d.names.Frames {
		p.Complain("%v", input.FileError(d.file, errors.New(samples.UnnamedText(d.names)+": a trace without a rundown has no names of methods")))
	}
}

// countNames counts the frames without a name in samples with the same stack.
func (d *topData) countNames(functions []uint32, count int64) {
	unnamed := int64(0)
	for _, f := range functions {
		if d.summary.Functions[f].Name == summary.NoName {
			unnamed++
		}
	}
	n := &d.names
	n.Frames, n.Unnamed = n.Frames+int64(len(functions))*count, n.Unnamed+unnamed*count
	if len(functions) > 0 {
		n.Samples += count
	}
	if unnamed > 0 {
		n.SamplesUnnamed += count
	}
}
