package v8

import (
	"io"

	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

// WriteHeap writes a .heapprofile with the allocations of all threads. The type of the
// object is the innermost node, below the method that allocates it, so that viewers show
// who allocates and what. The error is that of w, or of a type whose values are no bytes.
func WriteHeap(w io.Writer, p *profile.Profile, opt Options) error {
	if opt.Type == profile.Wall {
		opt.Type = profile.Alloc
	}
	if opt.Type.Value().Unit != "bytes" {
		return unitError("heapprofile", opt.Type, "bytes")
	}
	h := &heapTree{encoder: newEncoder(w, p, &opt), nodes: []heapNode{{}}, children: map[heapKey]int32{}}
	var path []uint32
	for s := range p.Samples(opt.Type) {
		path = h.names.Path(path, s.Stack)
		node := int32(0)
		for _, name := range path {
			node = h.below(node, heapKey{node, name, ""})
		}
		if class := calltree.Class(p, &s, opt.RawNames); class != "" {
			node = h.below(node, heapKey{node, 0, class})
		}
		h.nodes[node].self += s.Value
		h.samples = append(h.samples, heapSample{s.Value, node})
	}
	h.text(`{"head":`)
	h.node(0)
	h.text(",\n\"samples\":[")
	for i, s := range h.samples {
		h.separate(i)
		h.text(`{"size":`)
		h.number(s.size)
		h.text(`,"nodeId":`)
		h.number(int64(s.node) + 1)
		h.text(`,"ordinal":`)
		h.number(int64(i) + 1)
		h.text("}")
	}
	h.text("]}\n")
	return h.Flush()
}

// heapTree has the nodes of a .heapprofile.
type heapTree struct {
	*encoder
	nodes    []heapNode
	children map[heapKey]int32
	samples  []heapSample
}

// heapKey identifies a node below another one: a method, or the type of an object.
type heapKey struct {
	parent int32
	name   uint32
	class  string
}

type heapNode struct {
	key      heapKey
	self     int64
	children []int32
}

type heapSample struct {
	size int64
	node int32
}

func (h *heapTree) below(parent int32, key heapKey) int32 {
	n, known := h.children[key]
	if !known {
		n = int32(len(h.nodes))
		h.children[key] = n
		h.nodes = append(h.nodes, heapNode{key: key})
		h.nodes[parent].children = append(h.nodes[parent].children, n)
	}
	return n
}

// node writes a node and those below it. Stacks of the runtime have at most 100 frames,
// repaired ones a few hundred, so the recursion is shallow.
func (h *heapTree) node(i int32) {
	n := &h.nodes[i]
	h.text("{")
	switch {
	case i == 0:
		h.frame("(root)", "")
	case n.key.class != "":
		h.frame(n.key.class, "")
	default:
		h.frame(h.names.List[n.key.name].Text, h.names.List[n.key.name].Module)
	}
	h.text(`,"selfSize":`)
	h.number(n.self)
	h.text(`,"id":`)
	h.number(int64(i) + 1)
	h.text(`,"children":[`)
	for k, child := range n.children {
		h.separate(k)
		h.node(child)
	}
	h.text("]}")
}
