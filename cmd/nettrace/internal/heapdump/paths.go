package heapdump

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/heap"
)

// rootPaths returns the shortest paths to the objects of a type, those with the most bytes
// first.
func (q *Query) rootPaths(ctx context.Context, d *Dump) (*Tables, error) {
	wanted, err := q.matching(d)
	if err != nil {
		return nil, err
	}
	if d.paths == nil {
		if d.paths, err = d.Heap.Paths(ctx); err != nil {
			return nil, err
		}
	}
	t := q.pathTree(d, d.paths, wanted)
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
		if q.Limit > 0 && uint64(i) >= q.Limit {
			out.rest = len(ends) - i
			break
		}
		g := &t.groups[n]
		out.add(g.objects, int64(g.shallow), t.path(n))
	}
	return &Tables{d, []*table{out}}, nil
}

// matching returns the objects of the types that --paths names: of the type with this name,
// or of those that match the glob.
func (q *Query) matching(d *Dump) ([]int32, error) {
	types, found := make([]bool, len(d.Names())), false
	for i, name := range d.Names() {
		types[i] = name == q.Paths || q.typeName(d, name) == q.Paths
		found = found || types[i]
	}
	if !found {
		if err := q.matchGlob(d, types); err != nil {
			return nil, err
		}
	}
	var list []int32
	for i := range int32(d.Len()) {
		if types[d.TypeOf(i)] {
			list = append(list, i)
		}
	}
	if list == nil {
		return nil, exit.With(exit.Broken, input.FileError(d.File, fmt.Errorf("no object has a type %s%s", q.Paths, q.similarType(d))))
	}
	return list, nil
}

// similarType returns the end of the message about a type that the dump does not have: the
// types whose names contain the text, without letter case, or the one that it resembles.
func (q *Query) similarType(d *Dump) string {
	objects := make([]int64, len(d.Names()))
	for i := range int32(d.Len()) {
		objects[d.TypeOf(i)]++
	}
	names := make([]string, len(objects))
	var near []int
	wanted := strings.ToLower(q.Paths)
	for i, name := range d.Names() {
		names[i] = q.typeName(d, name)
		if objects[i] > 0 && strings.Contains(strings.ToLower(names[i]), wanted) {
			near = append(near, i)
		}
	}
	nearest := run.Nearest(q.Paths, names)
	if nearest != "" && (len(near) == 0 || strings.EqualFold(nearest, q.Paths)) {
		return "; did you mean " + nearest + "?"
	}
	if len(near) == 0 {
		return ""
	}
	slices.SortStableFunc(near, func(a, b int) int { return cmp.Compare(objects[b], objects[a]) })
	const most = 3
	var list []string
	for _, i := range near[:min(len(near), most)] {
		list = append(list, names[i])
	}
	last := len(list) - 1
	if last == 0 {
		return "; did you mean " + list[0] + "?"
	}
	text := "; did you mean " + strings.Join(list[:last], ", ") + " or " + list[last] + "?"
	if !slices.ContainsFunc(near, func(i int) bool { return !strings.Contains(names[i], q.Paths) }) {
		text += " '*" + q.Paths + "*' matches all that contain it"
	}
	return text
}

// typeGlob changes a glob for names of types: [] and [,] are the brackets of an array, and the
// … of a shortened name is a *. A * does not match a /, which names of types may have.
var typeGlob = strings.NewReplacer("/", "\x00", "[]", `\[\]`, "[,]", `\[,\]`, "…", "*")

// matchGlob marks the names that match the glob of --paths.
func (q *Query) matchGlob(d *Dump, marked []bool) error {
	glob := typeGlob.Replace(q.Paths)
	if _, err := path.Match(glob, ""); err != nil {
		return fmt.Errorf("--paths: %q is neither a type of the dump nor a glob: [a-c] is one of these characters, \\[ the character [", q.Paths)
	}
	for i, name := range d.Names() {
		for _, text := range []string{name, q.typeName(d, name)} {
			match, _ := path.Match(glob, strings.ReplaceAll(text, "/", "\x00"))
			marked[i] = marked[i] || match
		}
	}
	return nil
}

// pathTree returns the groups of the paths to some objects.
func (q *Query) pathTree(d *Dump, paths *heap.Paths, wanted []int32) *tree {
	t := newTree(q, d)
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
