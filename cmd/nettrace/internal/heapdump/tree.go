package heapdump

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/heap"
)

// tree is a tree of groups: of the dominator tree, or of the shortest paths. Objects of
// one type with the same name of the reference below one group are a group.
type tree struct {
	query  *Query
	d      *Dump
	groups []group
	index  map[groupKey]int32
}

// group is a group of objects. Parents come before their children.
type group struct {
	key      groupKey
	depth    int
	objects  int64
	shallow  uint64
	retained uint64
}

// groupKey identifies a group.
type groupKey struct {
	parent int32 // -1 for a kind of root
	typ    int32 // index of the names of types; -1 for a kind of root
	name   string
}

// maxDepth bounds the depth of the tree. Deeper objects belong to the last group.
const maxDepth = 300

// unreachedName is the root of objects that no root reaches.
const unreachedName = "no root"

func newTree(q *Query, d *Dump) *tree {
	return &tree{query: q, d: d, index: map[groupKey]int32{}}
}

// root returns the group of the roots with a name.
func (t *tree) root(name string) int32 { return t.group(groupKey{-1, -1, name}) }

// below returns the group of an object below another group. An object below one of its
// own type belongs to the same group.
func (t *tree) below(parent, object int32, name string) int32 {
	typ := int32(t.d.TypeOf(object))
	above := &t.groups[parent]
	if above.key.typ == typ && name == "" || above.depth >= maxDepth {
		return parent
	}
	return t.group(groupKey{parent, typ, name})
}

func (t *tree) group(key groupKey) int32 {
	n, known := t.index[key]
	if !known {
		n = int32(len(t.groups))
		g := group{key: key}
		if key.parent >= 0 {
			g.depth = t.groups[key.parent].depth + 1
		}
		t.groups = append(t.groups, g)
		t.index[key] = n
	}
	return n
}

// name returns the name of a group.
func (t *tree) name(g *group) string {
	switch {
	case g.key.typ < 0:
		return g.key.name
	case g.key.name != "":
		return "[" + g.key.name + "] " + t.typeName(g)
	}
	return t.typeName(g)
}

func (t *tree) typeName(g *group) string { return t.query.typeName(t.d, t.d.Names()[g.key.typ]) }

// path returns the names of the groups from the root to a group.
func (t *tree) path(n int32) (names []string) {
	for ; n >= 0; n = t.groups[n].key.parent {
		names = append(names, t.name(&t.groups[n]))
	}
	slices.Reverse(names)
	return names
}

// rootName returns the kind of a root that keeps an object: the first one, or the first
// that is not on a stack, because it lasts longer. An object that several roots keep
// through different objects has none.
func rootName(d *Dump, object int32) string {
	name := "several roots"
	for _, r := range d.RootsOf(object) {
		switch {
		case r.Weak():
		case r.Kind != heap.StackRoot:
			return r.String()
		default:
			name = r.String()
		}
	}
	return name
}

// dominatorTree returns the groups of the dominator tree, which the dump keeps.
func (q *Query) dominatorTree(d *Dump) *tree {
	if d.tree == nil {
		d.tree = newDominatorTree(q, d)
	}
	t := *d.tree
	t.query = q
	return &t
}

func newDominatorTree(q *Query, d *Dump) *tree {
	t := newTree(q, d)
	var stack []int32
	d.Walk(func(v int32) {
		var n int32
		switch parent := d.Parent(v); parent {
		case d.Root():
			n = t.below(t.root(rootName(d, v)), v, "")
		case d.Unreached():
			n = t.below(t.root(unreachedName), v, "")
		default:
			n = t.below(stack[len(stack)-1], v, d.EdgeName(parent, v))
		}
		g := &t.groups[n]
		g.objects++
		g.shallow += d.Size(v)
		stack = append(stack, n)
	}, func(int32) { stack = stack[:len(stack)-1] })
	for i := len(t.groups) - 1; i >= 0; i-- {
		g := &t.groups[i]
		g.retained += g.shallow
		if g.key.parent >= 0 {
			t.groups[g.key.parent].retained += g.retained
		}
	}
	return t
}

// separator is between the names of a path in text.
const separator = " > "

// at returns the group with a path; of several the one that retains most, -1 for none.
func (t *tree) at(path string) int32 {
	found := int32(-1)
	for i := range t.groups {
		g := &t.groups[i]
		if strings.HasSuffix(path, t.name(g)) && strings.Join(t.path(int32(i)), separator) == path && (found < 0 || g.retained > t.groups[found].retained) {
			found = int32(i)
		}
	}
	return found
}

// children returns the groups directly below each group, and those without one above.
func (t *tree) children() (children [][]int32, top []int32) {
	children = make([][]int32, len(t.groups))
	for i := range t.groups {
		if p := t.groups[i].key.parent; p >= 0 {
			children[p] = append(children[p], int32(i))
		} else {
			top = append(top, int32(i))
		}
	}
	return children, top
}

// dominators returns the rows of the dominator tree that retain enough.
func (q *Query) dominators(d *Dump) (*Tables, error) {
	t := q.dominatorTree(d)
	out := &table{key: "dominators", columns: []column{
		{"retainedBytes", "retained", size}, {"retainedShare", "", share}, {"shallowBytes", "shallow", size}, {"objects", "objects", count},
		{"depth", "", depth}, {"name", "type", text},
	}}
	all := d.Retained(d.Root())
	children, list := t.children()
	above, of := 0, all // levels above the rows; the bytes to which --min refers
	if q.Below != "" {
		n := t.at(q.Below)
		if n < 0 {
			return nil, exit.With(exit.Broken, input.FileError(d.File, fmt.Errorf("--below: no row has the path %s", q.Below)))
		}
		list, above, of = []int32{n}, t.groups[n].depth, t.groups[n].retained
	}
	lowest := q.MinPercent / 100 * float64(of)
	var add func(list []int32)
	add = func(list []int32) {
		slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(t.groups[b].retained, t.groups[a].retained) })
		for _, n := range list {
			g := &t.groups[n]
			if float64(g.retained) < lowest {
				return
			}
			out.add(int64(g.retained), percentage{g.retained, all}, int64(g.shallow), g.objects, g.depth-above, t.name(g))
			add(children[n])
		}
	}
	add(list)
	out.cut(q.Limit)
	return &Tables{d, []*table{out}}, nil
}
