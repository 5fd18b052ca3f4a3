package heap

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/heapdump"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/codec/clr/heap"
)

// pathsView returns the shortest paths to the objects of a type, those with the most bytes
// first.
func (o *options) pathsView(ctx context.Context, d *heapdump.Dump) (*view, error) {
	wanted, err := o.matching(d)
	if err != nil {
		return nil, err
	}
	paths, err := d.Paths(ctx)
	if err != nil {
		return nil, err
	}
	t := o.pathTree(d, paths, wanted)
	out := &table{key: "paths", columns: []column{
		{"objects", "objects", count}, {"shallowBytes", "shallow", size}, {"path", "path", steps},
	}}
	ends := make([]int32, 0, len(t.groups))
	for i := range t.groups {
		if t.groups[i].objects > 0 {
			ends = append(ends, int32(i))
		}
	}
	slices.SortStableFunc(ends, func(a, b int32) int {
		g, h := &t.groups[a], &t.groups[b]
		return cmp.Or(cmp.Compare(h.shallow, g.shallow), cmp.Compare(h.objects, g.objects))
	})
	for i, n := range ends {
		if o.limit > 0 && uint64(i) >= o.limit {
			out.rest = len(ends) - i
			break
		}
		g := &t.groups[n]
		out.add(g.objects, int64(g.shallow), t.path(n))
	}
	return &view{tables: []*table{out}}, nil
}

// matching returns the objects of the types that --paths names.
func (o *options) matching(d *heapdump.Dump) ([]int32, error) {
	glob := strings.ReplaceAll(o.paths, "/", "\x00")
	if _, err := path.Match(glob, ""); err != nil {
		return nil, fmt.Errorf("--paths: %q is no glob", o.paths)
	}
	types := make([]bool, len(d.Names()))
	for i, name := range d.Names() {
		for _, text := range []string{name, o.typeName(name)} {
			match, _ := path.Match(glob, strings.ReplaceAll(text, "/", "\x00"))
			types[i] = types[i] || match || text == o.paths
		}
	}
	var list []int32
	for i := range int32(d.Len()) {
		if types[d.TypeOf(i)] {
			list = append(list, i)
		}
	}
	if list == nil {
		return nil, exit.With(exit.Broken, input.FileError(d.File, fmt.Errorf("no object has a type %s", o.paths)))
	}
	return list, nil
}

// pathTree returns the groups of the paths to some objects.
func (o *options) pathTree(d *heapdump.Dump, paths *heap.Paths, wanted []int32) *tree {
	t := newTree(o, d)
	const none, needed = -2, -1
	groups := make([]int32, d.Len())
	for i := range groups {
		groups[i] = none
	}
	for _, v := range wanted {
		for u := v; u >= 0 && groups[u] == none; u, _ = paths.Parent(u) {
			groups[u] = needed
		}
	}
	for _, v := range paths.Order() {
		if groups[v] != needed {
			continue
		}
		if parent, _ := paths.Parent(v); parent >= 0 {
			groups[v] = t.below(groups[parent], v, d.EdgeName(parent, v))
		} else {
			groups[v] = t.below(t.root(rootName(d, v)), v, "")
		}
	}
	for _, v := range wanted {
		n := groups[v]
		if n < 0 {
			n = t.below(t.root(unreachedName), v, "")
		}
		t.groups[n].objects++
		t.groups[n].shallow += d.Size(v)
	}
	return t
}
