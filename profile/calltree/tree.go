package calltree

import (
	"iter"

	"github.com/nettrace-go/nettrace/profile"
)

// Tree adds up samples by call path. Node 0 is the root, which has no name. A
// node comes after its parent.
type Tree struct {
	// Names numbers the names of the nodes.
	Names *Names
	// Nodes are the nodes by index; Node.Parent and Node refer to it.
	Nodes []Node

	children map[edge]int32
	leaves   []int32 // node of a stack, by StackID; 0: not met yet, or no frames
	path     []uint32
}

// Node is a call path with its values.
type Node struct {
	// Parent is an index in Tree.Nodes. That of the root is 0.
	Parent int32
	Name   uint32 // index in Names.List
	Self   int64  // values of the samples whose stack ends here
	Total  int64  // Self and the values of all descendants; see Tree.Sum
	Count  int64  // number of samples whose stack ends here
}

type edge struct {
	parent int32
	name   uint32
}

// New returns a tree with only the root.
func New(names *Names) *Tree {
	return &Tree{Names: names, Nodes: make([]Node, 1), children: map[edge]int32{}}
}

// AddAll adds samples to the paths of their stacks.
func (t *Tree) AddAll(totals iter.Seq[profile.Total]) {
	for s := range totals {
		t.Add(&s)
	}
}

// Add adds samples to the path of their stack.
func (t *Tree) Add(s *profile.Total) {
	stack := s.Stack
	for int(stack) >= len(t.leaves) {
		t.leaves = append(t.leaves, 0)
	}
	leaf := t.leaves[stack]
	if leaf == 0 {
		t.path = t.Names.Path(t.path, stack)
		leaf = t.Node(t.path)
		t.leaves[stack] = leaf
	}
	t.Nodes[leaf].Self += s.Value
	t.Nodes[leaf].Count += s.Samples
}

// Node returns the index of the node of a path, and adds the node if there is
// none.
func (t *Tree) Node(path []uint32) int32 {
	node := int32(0)
	for _, name := range path {
		next, ok := t.children[edge{node, name}]
		if !ok {
			next = int32(len(t.Nodes))
			t.Nodes = append(t.Nodes, Node{Parent: node, Name: name})
			t.children[edge{node, name}] = next
		}
		node = next
	}
	return node
}

// Sum sets the Total of every node. Call it after the last Add.
func (t *Tree) Sum() {
	for i := range t.Nodes {
		t.Nodes[i].Total = t.Nodes[i].Self
	}
	for i := len(t.Nodes) - 1; i > 0; i-- {
		t.Nodes[t.Nodes[i].Parent].Total += t.Nodes[i].Total
	}
}

// Path replaces the contents of dst by the names from the root to a node.
func (t *Tree) Path(dst []uint32, node int32) []uint32 {
	dst = dst[:0]
	for ; node != 0; node = t.Nodes[node].Parent {
		dst = append(dst, t.Nodes[node].Name)
	}
	for i, j := 0, len(dst)-1; i < j; i, j = i+1, j-1 {
		dst[i], dst[j] = dst[j], dst[i]
	}
	return dst
}

// Outermost reports for each node whether no ancestor has the same name. The
// totals of these nodes count recursive calls only once.
func (t *Tree) Outermost() []bool {
	outermost := make([]bool, len(t.Nodes))
	first, next := make([]int32, len(t.Nodes)), make([]int32, len(t.Nodes)) // children, as a list; 0 ends it
	for i := len(t.Nodes) - 1; i > 0; i-- {
		parent := t.Nodes[i].Parent
		next[i], first[parent] = first[parent], int32(i)
	}
	open := make([]bool, len(t.Names.List)) // the name is on the path
	node := int32(0)
	for {
		if child := first[node]; child != 0 { // down to a child that was not visited
			first[node] = next[child]
			node = child
			name := t.Nodes[node].Name
			outermost[node] = !open[name]
			open[name] = true
			continue
		}
		if node == 0 {
			return outermost
		}
		if outermost[node] {
			open[t.Nodes[node].Name] = false
		}
		node = t.Nodes[node].Parent
	}
}
