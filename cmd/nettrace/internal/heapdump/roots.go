package heapdump

import (
	"cmp"
	"slices"

	"github.com/nettrace-go/nettrace/heap"
)

// rootKind has the roots of a kind.
type rootKind struct {
	name    string
	weak    bool
	roots   int64
	objects []int32
}

// rootTotals returns the roots by kind, and the static fields.
func (q *Query) rootTotals(d *Dump) *Tables {
	kinds := &table{key: "roots", columns: []column{
		{"roots", "roots", count}, {"objects", "objects", count}, {"shallowBytes", "shallow", size},
		{"retainedBytes", "retained", size}, {"retainedShare", "", share}, {"root", "root", text},
	}}
	all := d.Retained(d.Root())
	for _, k := range rootKinds(d) {
		var shallow, retained uint64
		for _, v := range k.objects {
			shallow += d.Size(v)
		}
		if !k.weak {
			retained = d.RetainedBy(k.objects)
		}
		kinds.add(k.roots, int64(len(k.objects)), int64(shallow), int64(retained), percentage{retained, all}, k.name)
	}
	fields := &table{key: "staticFields", title: "static fields", columns: []column{
		{"retainedBytes", "retained", size}, {"retainedShare", "", share}, {"field", "field", text}, {"type", "type", text},
	}}
	addField := func(object int32, name string) {
		retained := d.Retained(object)
		fields.add(int64(retained), percentage{retained, all}, name, q.typeName(d, d.Object(object).Type))
	}
	for _, s := range d.Statics {
		addField(s.Object, s.Name)
	}
	for _, r := range d.Roots {
		if r.Kind == heap.StaticRoot && r.Name != "" {
			addField(r.Object, r.Name)
		}
	}
	slices.SortStableFunc(fields.rows, func(a, b []any) int { return cmp.Compare(b[0].(int64), a[0].(int64)) })
	kinds.cut(q.Limit)
	fields.cut(q.Limit)
	return &Tables{d, []*table{kinds, fields}}
}

// rootKinds returns the roots by kind, the kind with the most roots first.
func rootKinds(d *Dump) (list []*rootKind) {
	kinds := map[string]*rootKind{}
	for i := range d.Roots {
		r := d.Roots[i]
		if r.Kind != heap.GroupRoot {
			r.Name = ""
		}
		k := kinds[r.String()]
		if k == nil {
			k = &rootKind{name: r.String(), weak: r.Weak()}
			kinds[k.name], list = k, append(list, k)
		}
		k.roots++
		if n := len(k.objects); n == 0 || k.objects[n-1] != r.Object {
			k.objects = append(k.objects, r.Object)
		}
	}
	slices.SortFunc(list, func(a, b *rootKind) int {
		return cmp.Or(cmp.Compare(b.roots, a.roots), cmp.Compare(a.name, b.name))
	})
	return list
}
