package heapdump

import (
	"cmp"
	"slices"

	"github.com/nettrace-go/nettrace/heap"
)

// typeTotals returns the totals of types.
func (q *Query) typeTotals(d *Dump) *Tables {
	t := &table{key: "types", columns: []column{
		{"objects", "objects", count}, {"shallowBytes", "shallow", size}, {"shallowShare", "", share},
		{"retainedBytes", "retained", size}, {"retainedShare", "", share}, {"type", "type", text},
	}}
	all := d.Retained(d.Root())
	for _, x := range d.Types(d.Dominators) {
		t.add(x.Count, int64(x.Shallow), percentage{x.Shallow, all}, int64(x.Retained), percentage{x.Retained, all}, q.typeName(d, x.Name))
	}
	t.cut(q.Limit)
	return &Tables{d, []*table{t}}
}

// Growth returns the growth of types between two dumps.
func (q *Query) Growth(before, after *Dump) *Tables {
	t := &table{key: "growth", columns: []column{
		{"objects", "objects", count}, {"objectsGrowth", "change", growth}, {"shallowBytes", "shallow", size}, {"shallowGrowth", "change", sizeGrowth},
		{"retainedBytes", "retained", size}, {"retainedGrowth", "change", sizeGrowth}, {"type", "type", text},
	}}
	type pair struct{ before, after heap.TypeTotal }
	pairs := map[string]*pair{}
	of := func(name string) *pair {
		if pairs[name] == nil {
			pairs[name] = &pair{}
		}
		return pairs[name]
	}
	for _, x := range before.Types(before.Dominators) {
		of(q.typeName(before, x.Name)).before = x
	}
	for _, x := range after.Types(after.Dominators) {
		of(q.typeName(after, x.Name)).after = x
	}
	for name, x := range pairs {
		if x.before.Count == x.after.Count && x.before.Shallow == x.after.Shallow && x.before.Retained == x.after.Retained {
			continue
		}
		t.add(x.after.Count, x.after.Count-x.before.Count, int64(x.after.Shallow), int64(x.after.Shallow-x.before.Shallow),
			int64(x.after.Retained), int64(x.after.Retained-x.before.Retained), name)
	}
	slices.SortFunc(t.rows, func(a, b []any) int {
		return cmp.Or(cmp.Compare(b[3].(int64), a[3].(int64)), cmp.Compare(b[5].(int64), a[5].(int64)), cmp.Compare(a[6].(string), b[6].(string)))
	})
	t.cut(q.Limit)
	return &Tables{after, []*table{t}}
}
