package heap

import (
	"slices"
	"strings"
)

// Heap is the graph of a dump. It does not change.
type Heap struct {
	// Dump describes the dump.
	Dump Dump
	// Dumps are all dumps of the stream, in the order of their ends.
	Dumps []Dump
	// Unresolved is the number of references, dependent handles and roots to
	// addresses without an object.
	Unresolved int64
	// Roots are the roots that have an object, by object.
	Roots []Root
	// Statics are the static fields whose slot is in an object, by that object.
	Statics []Static

	addresses column[uint64]
	sizes     column[uint64]
	types     column[int32] // index of names
	names     []string      // of types, each once
	numbers   []int32       // index of names by number of a type
	offsets   []int32       // of the references of each object
	targets   []int32
	weak      []edge // from keys to values of dependent handles
}

// edge is a reference.
type edge struct{ from, to int32 }

func (e edge) compare(f edge) int {
	if e.from != f.from {
		return int(e.from) - int(f.from)
	}
	return int(e.to) - int(f.to)
}

// Static is a static field: a reference from an array to an object.
type Static struct {
	Array  int32  // number of the array that has the field
	Object int32  // number of the object to which the field refers
	Slot   uint64 // address of the field
	Name   string // name of the field, without its class
}

// Object is an object of a dump.
type Object struct {
	Address uint64 // address in the process
	Size    uint64 // bytes of the object alone
	Type    string // name of its type
}

// Len returns the number of objects.
func (h *Heap) Len() int { return h.addresses.len }

// Root returns the number of the dominator tree's root.
func (h *Heap) Root() int32 { return int32(h.Len()) }

// Unreached returns the number of the vertex above the objects that no root reaches.
func (h *Heap) Unreached() int32 { return int32(h.Len()) + 1 }

// Object returns an object by number.
func (h *Heap) Object(i int32) Object {
	return Object{h.addresses.at(int(i)), h.sizes.at(int(i)), h.names[h.nameOf(i)]}
}

// Size returns the bytes of an object alone; 0 for Root and Unreached.
func (h *Heap) Size(i int32) uint64 {
	if int(i) >= h.Len() {
		return 0
	}
	return h.sizes.at(int(i))
}

// Names returns the names of the types, each once. Types with one name in several
// modules are one here. A type whose name is missing is "type 0x...", with its
// TypeID. The caller must not change the slice.
func (h *Heap) Names() []string { return h.names }

// TypeOf returns the type of an object as an index of Names.
func (h *Heap) TypeOf(i int32) int { return int(h.nameOf(i)) }

func (h *Heap) nameOf(i int32) int32 { return h.numbers[h.types.at(int(i))] }

// References returns the objects that an object refers to, and after them the
// values of dependent handles with the object as their key. The caller must not
// change the slice.
func (h *Heap) References(i int32) []int32 { return h.targets[h.offsets[i]:h.offsets[i+1]] }

func (s Static) edge() edge { return edge{s.Array, s.Object} }

func (s Static) compare(e edge) int { return s.edge().compare(e) }

// EdgeName returns the name of a reference: that of the static field, several
// separated by commas, or "dependent handle", or nothing.
func (h *Heap) EdgeName(from, to int32) string {
	var names []string
	at, _ := slices.BinarySearchFunc(h.Statics, edge{from, to}, Static.compare)
	for ; at < len(h.Statics) && h.Statics[at].edge() == (edge{from, to}); at++ {
		names = append(names, h.Statics[at].Name)
	}
	if names != nil {
		return strings.Join(names, ", ")
	}
	if _, weak := slices.BinarySearchFunc(h.weak, edge{from, to}, edge.compare); weak {
		return "dependent handle"
	}
	return ""
}

// RootsOf returns the roots of an object.
func (h *Heap) RootsOf(i int32) []Root {
	compare := func(r Root, object int32) int { return int(r.Object) - int(object) }
	first, _ := slices.BinarySearchFunc(h.Roots, i, compare)
	end, _ := slices.BinarySearchFunc(h.Roots, i+1, compare)
	return h.Roots[first:end]
}
