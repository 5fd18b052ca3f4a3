package view

import (
	"github.com/nettrace-go/nettrace/profile"
)

// tree is the tree of all stacks. Its nodes are numbered twice: as they are
// found, and in preorder.
type tree struct {
	p        *profile.Profile
	nodes    []node
	children map[edge]int32
	leaves   map[profile.StackID]int32
	preorder []int64 // by the first number
}

type node struct {
	parent      int32
	function    profile.FunctionID
	first, last int32 // children
	next        int32 // sibling
}

type edge struct {
	parent   int32
	function profile.FunctionID
}

func newTree(p *profile.Profile) *tree {
	return &tree{p: p, nodes: make([]node, 1), children: map[edge]int32{}, leaves: map[profile.StackID]int32{}}
}

// leaf returns the first number of the node where a stack ends.
func (t *tree) leaf(stack profile.StackID) int32 {
	at, ok := t.leaves[stack]
	if !ok {
		frames := t.p.Stack(stack)
		for i := len(frames) - 1; i >= 0; i-- {
			at = t.child(at, t.p.Frame(frames[i]).Function)
		}
		t.leaves[stack] = at
	}
	return at
}

// child returns a child of a node, which it adds if it is new.
func (t *tree) child(parent int32, function profile.FunctionID) int32 {
	at, ok := t.children[edge{parent, function}]
	if ok {
		return at
	}
	at = int32(len(t.nodes))
	t.nodes = append(t.nodes, node{parent: parent, function: function})
	t.children[edge{parent, function}] = at
	if p := &t.nodes[parent]; p.first == 0 {
		p.first, p.last = at, at
	} else {
		t.nodes[p.last].next = at
		p.last = at
	}
	return at
}

// order numbers the nodes in preorder and returns the columns of the tree.
func (t *tree) order(f *functions) []*column {
	parent, function := &column{name: "parent"}, &column{name: "function"}
	t.preorder = make([]int64, len(t.nodes))
	parent.add(0)
	function.add(0)
	number := int64(0)
	for at := t.nodes[0].first; at != 0; at = t.after(at) {
		number++
		t.preorder[at] = number
		parent.add(number - t.preorder[t.nodes[at].parent])
		function.add(f.of(t.nodes[at].function))
	}
	return []*column{parent, function}
}

// after returns the node after one in preorder, 0 after the last.
func (t *tree) after(at int32) int32 {
	if first := t.nodes[at].first; first != 0 {
		return first
	}
	for at != 0 && t.nodes[at].next == 0 {
		at = t.nodes[at].parent
	}
	return t.nodes[at].next
}
