package top

import (
	"regexp"
	"slices"

	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

// callView rearranges call paths before they are added to the tree. The zero
// value keeps them.
type callView struct {
	bottomUp         bool
	callers, callees *regexp.Regexp
}

// inverted reports whether the nodes below a node are its callers.
func (v *callView) inverted() bool { return v.bottomUp || v.callers != nil }

// around returns the method whose callers or callees are shown, nil for all
// paths.
func (v *callView) around() *regexp.Regexp {
	if v.callers != nil {
		return v.callers
	}
	return v.callees
}

// arrange returns a path, which is root first, as the view shows it; ok is false
// for a path without the method. If the method is on the path several times, the
// one nearest to the root counts. arrange changes the path.
func (v *callView) arrange(path []uint32, matches func(name uint32) bool) (arranged []uint32, ok bool) {
	if v.around() != nil {
		at := slices.IndexFunc(path, matches)
		switch {
		case at < 0:
			return nil, false
		case v.callers != nil:
			path = path[:at+1]
		default:
			path = path[at:]
		}
	}
	if v.inverted() {
		slices.Reverse(path)
	}
	return path, true
}

// viewed adds samples to a tree in a view.
type viewed struct {
	view    *callView
	tree    *calltree.Tree
	leaves  map[profile.StackID]int32 // node of a stack; -1: the view leaves it out
	matched map[uint32]bool           // names that the view's method matches
	path    []uint32
}

func newViewed(view *callView, tree *calltree.Tree) *viewed {
	return &viewed{view: view, tree: tree, leaves: map[profile.StackID]int32{}, matched: map[uint32]bool{}}
}

// add adds samples, and reports whether the view has them.
func (v *viewed) add(s *profile.Total) bool {
	leaf, ok := v.leaves[s.Stack]
	if !ok {
		leaf = -1
		v.path = v.tree.Names.Path(v.path, s.Stack)
		if path, ok := v.view.arrange(v.path, v.matches); ok {
			leaf = v.tree.Node(path)
		}
		v.leaves[s.Stack] = leaf
	}
	if leaf < 0 {
		return false
	}
	v.tree.Nodes[leaf].Self += s.Value
	v.tree.Nodes[leaf].Count += s.Samples
	return true
}

// addPath adds the samples of a path, which is root first, and reports whether the view has
// it.
func (v *viewed) addPath(path []uint32, count, value int64) bool {
	v.path = append(v.path[:0], path...)
	arranged, ok := v.view.arrange(v.path, v.matches)
	if ok {
		n := &v.tree.Nodes[v.tree.Node(arranged)]
		n.Self, n.Count = n.Self+value, n.Count+count
	}
	return ok
}

// matches reports whether a name is that of the view's method.
func (v *viewed) matches(name uint32) bool {
	found, ok := v.matched[name]
	if !ok {
		found = v.view.around().MatchString(v.tree.Names.List[name].Text)
		v.matched[name] = found
	}
	return found
}
