package columns

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/profile"
)

// stackTree has all stacks as a tree. A node is a frame that the frame of its parent
// called; a stack is the node of its leaf. Nodes, frames and functions are numbered
// from 1; 0 is the empty stack.
type stackTree struct {
	parents, frames, depths []uint32 // by node, from node 1 on
	children                map[uint64]uint32

	places    numbering[place]
	functions numbering[functionKey]
	about     []*profile.Function // by position of the function
}

// place is a frame.
type place struct {
	address  uint64
	function uint32 // position of the function
}

// functionKey identifies a function.
type functionKey struct{ name, raw, module string }

// child returns the child of a node for a frame, which it adds if it is new.
func (t *stackTree) child(parent, frame uint32) uint32 {
	key := uint64(parent)<<32 | uint64(frame)
	at, ok := t.children[key]
	if !ok {
		if t.children == nil {
			t.children = map[uint64]uint32{}
		}
		depth := uint32(1)
		if parent > 0 {
			depth += t.depths[parent-1]
		}
		t.parents, t.frames, t.depths = append(t.parents, parent), append(t.frames, frame), append(t.depths, depth)
		at = uint32(len(t.parents))
		t.children[key] = at
	}
	return at
}

// frame returns the number of a frame.
func (t *stackTree) frame(address uint64, f *profile.Function) uint32 {
	function := t.functions.of(functionKey{f.Name, f.RawName, f.Module})
	if int(function) == len(t.about) {
		t.about = append(t.about, f)
	}
	return t.places.of(place{address, function}) + 1
}

// profileStacks adds the stacks of a Profile to the tree, after those of events.
type profileStacks struct {
	tree   *stackTree
	p      *profile.Profile
	met    numbering[profile.StackID] // in the order in which newSamples meets them
	frames map[profile.FrameID]uint32
	node   []uint32 // by position in met: node of the tree
}

// number adds the stacks of all samples to the tree.
func (s *profileStacks) number() {
	if len(s.met.list) == 0 { // newSamples has not met them
		for _, of := range sampleTypes {
			for one := range s.p.Samples(of) {
				s.met.of(one.Stack)
			}
		}
	}
	for _, id := range s.met.list {
		s.node = append(s.node, s.nodeOf(id))
	}
}

// nodeOf returns the node of a stack.
func (s *profileStacks) nodeOf(id profile.StackID) (node uint32) {
	list := s.p.Stack(id)
	for i := len(list) - 1; i >= 0; i-- {
		frame, ok := s.frames[list[i]]
		if !ok {
			f := s.p.Frame(list[i])
			frame = s.tree.frame(f.Address, s.p.Function(f.Function))
			s.frames[list[i]] = frame
		}
		node = s.tree.child(node, frame)
	}
	return node
}

// namedFrame is an address with the symbol that it has at a time. The name of a frame without
// a symbol depends on the other frames too.
type namedFrame struct {
	address uint64
	symbol  *symbols.Symbol
}

// eventStacks adds the stacks of events and returns the node of each, by its number in
// the Trace. It names a frame with a symbol only once.
func (t *stackTree) eventStacks(trace *analysis.Trace, firsts []uint64) []uint32 {
	nodes, known := make([]uint32, len(firsts)), map[namedFrame]uint32{}
	for id := range nodes {
		frames := trace.Frames(analysis.StackID(id), firsts[id])
		var names []string
		node := uint32(0)
		for i := len(frames) - 1; i >= 0; i-- {
			key := namedFrame{frames[i].Address, frames[i].Symbol}
			frame, ok := known[key]
			if !ok {
				if names == nil {
					names = analysis.Names(frames)
				}
				frame = t.frame(key.address, profile.NewFunction(&frames[i], names[i]))
				if key.symbol != nil {
					known[key] = frame
				}
			}
			node = t.child(node, frame)
		}
		nodes[id] = node
	}
	return nodes
}

// reference returns a Vector of numbers from 1, in which 0 is null.
func reference(list []uint32) *Vector {
	v := &Vector{Ints: make([]int64, len(list)), Nulls: make([]bool, len(list))}
	for i, n := range list {
		v.Ints[i], v.Nulls[i] = int64(n), n == 0
	}
	return v
}

// functionOfFrames returns the numbers of the functions of some frames.
func (t *stackTree) functionOfFrames(frames []uint32) *Vector {
	v := &Vector{Ints: make([]int64, len(frames))}
	for i, frame := range frames {
		v.Ints[i] = int64(t.places.list[frame-1].function) + 1
	}
	return v
}
