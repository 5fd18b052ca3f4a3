package top

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

// branch is a node of the tree as it is shown: the calls from it, the greatest
// first.
type branch struct {
	*calltree.Node
	calls []*branch
	depth int // calls from the root
}

// deepest is how far from the root calls are shown.
const deepest = 10_000

// branches makes the tree of the nodes that have at least a part of all.
func (d *topData) branches(least float64) *branch {
	all := make([]*branch, len(d.tree.Nodes))
	all[0] = &branch{Node: &d.tree.Nodes[0]}
	for i := 1; i < len(all); i++ {
		n := &d.tree.Nodes[i]
		parent := all[n.Parent]
		if parent != nil && parent.depth < deepest && float64(n.Total) >= least/100*float64(d.sum) {
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

// treePrinter prints branches as lines.
type treePrinter struct {
	*topData
	b     []byte
	lines int // that may still be printed
	rest  int // that are not
}

// topTreeText shows the calls from the root.
func topTreeText(d *topData, o *options) []byte {
	p := treePrinter{topData: d, b: d.head(nil, o), lines: o.shown(len(d.tree.Nodes))}
	p.b = column(p.b, "total", 10)
	p.b = column(p.b, "", 7)
	p.b = column(p.b, "self", 10)
	p.b = append(append(p.b, o.by...), '\n')
	root := d.branches(o.least)
	p.calls(root, 0)
	if p.rest > 0 {
		p.b = fmt.Appendf(p.b, "%s more (--limit 0 shows all)\n", display.Counted(int64(p.rest), "row"))
	}
	return p.b
}

// calls prints what a branch calls. Each of several calls is an item of a list,
// one further in; an only one stands below its caller as it is.
func (p *treePrinter) calls(parent *branch, indent int) {
	for _, b := range parent.calls {
		if len(parent.calls) > 1 {
			p.line(b, indent, "- ")
			p.calls(b, indent+2)
		} else {
			p.line(b, indent, "")
			p.calls(b, indent)
		}
	}
}

func (p *treePrinter) line(b *branch, indent int, item string) {
	if p.lines == 0 {
		p.rest++
		return
	}
	p.lines--
	p.b = column(p.b, samples.Amount(b.Total, p.kind), 10)
	p.b = column(p.b, display.Percent(b.Total, p.sum), 7)
	p.b = column(p.b, samples.Amount(b.Self, p.kind), 10)
	p.b = append(display.AppendSpaces(p.b, indent), item...)
	p.b = append(display.AppendPrintable(p.b, p.tree.Names.List[b.Name].Text), '\n')
}
