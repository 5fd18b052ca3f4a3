package top

import (
	"cmp"
	"slices"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

// branch is a node of the tree as it is shown: the calls from it, the greatest
// first.
type branch struct {
	*calltree.Node
	calls []*branch
	depth int // calls from the root
}

// deepest is the greatest distance from the root at which calls are shown.
const deepest = 10_000

// branches returns the tree of the nodes with at least minPercent of the sum.
func (d *topData) branches(minPercent float64) *branch {
	all := make([]*branch, len(d.tree.Nodes))
	all[0] = &branch{Node: &d.tree.Nodes[0]}
	for i := 1; i < len(all); i++ {
		n := &d.tree.Nodes[i]
		parent := all[n.Parent]
		if parent != nil && parent.depth < deepest && float64(n.Total) >= minPercent/100*float64(d.sum) {
			all[i] = &branch{Node: n, depth: parent.depth + 1}
			parent.calls = append(parent.calls, all[i])
		}
	}
	for _, b := range all {
		if b != nil {
			slices.SortStableFunc(b.calls, func(x, y *branch) int { return cmp.Compare(y.Total, x.Total) })
		}
	}
	return all[0]
}

// treePrinter adds branches as rows to a table.
type treePrinter struct {
	*topData
	table terminal.Table
	lines int // max rows
	rest  int // rows that are left out
	keep  func(calltree.Name) bool
}

// treeTable returns a table of the calls in a view that keep selects, and the number of rows
// that are left out because there are too many. A view of callers has no column self: it would be the time of roots.
func (o *options) treeTable(d *topData, keep func(calltree.Name) bool) (table *terminal.Table, rest int) {
	p := treePrinter{topData: d, keep: keep, lines: o.shown(len(d.tree.Nodes))}
	p.table.Columns = []terminal.Column{titled(amount, "total"), share}
	if !p.inverted {
		p.table.Columns = append(p.table.Columns, titled(amount, "self"))
	}
	p.table.Columns = append(p.table.Columns, o.name())
	p.calls(d.branches(o.minPercent), 0)
	return &p.table, p.rest
}

// calls adds the calls from a branch. Each of several calls is an item of a
// list, indented by one; a single call is below its caller.
func (p *treePrinter) calls(parent *branch, indent int) {
	for _, b := range parent.calls {
		if len(parent.calls) > 1 {
			p.row(b, indent, "- ")
			p.calls(b, indent+2)
		} else {
			p.row(b, indent, "")
			p.calls(b, indent)
		}
	}
}

func (p *treePrinter) row(b *branch, indent int, item string) {
	if !p.keep(p.tree.Names.List[b.Name]) {
		return
	}
	if p.table.Len() == p.lines {
		p.rest++
		return
	}
	cells := []terminal.Cell{value(b.Total, samples.Amount(b.Total, p.kind)), value(b.Total, display.Percent(b.Total, p.sum))}
	if !p.inverted {
		cells = append(cells, value(b.Self, samples.Amount(b.Self, p.kind)))
	}
	p.table.Add(append(cells, terminal.Cell{Text: item + display.Printable(p.tree.Names.List[b.Name].Text), Indent: indent})...)
}
