package gcdump

import (
	"encoding/binary"
	"time"
)

// File is the content of a .gcdump file. In its texts an unpaired surrogate of
// UTF-16 is three bytes, as in WTF-8. A nil *string is the null of the format.
type File struct {
	// Version is the version of GCHeapDump in the file, and MinReader the oldest version
	// of a reader that it accepts.
	Version, MinReader int32
	Is64Bit            bool // addresses have 64 bits
	// Types are the types of nodes. The first one is UNDEFINED.
	Types []Type
	// Deferred describes the types by their tokens, if the names were left to a later
	// reader. It has as many elements as Types, or none.
	Deferred []DeferredType
	// Root is the index of the node above all roots, -1 for none.
	Root int32
	// TotalSize is the sum of the sizes of all nodes, according to the writer.
	TotalSize int64

	// CountMultiplier and SizeMultiplier are what counts and sizes have to be multiplied
	// with if the writer sampled the heap, otherwise 1. Versions before 8 have 0.
	CountMultiplier, SizeMultiplier float32
	// TypeMultipliers are the multipliers of counts by type, if there are any.
	TypeMultipliers []float32

	JSHeap   bool      // the file says that it has a heap of JavaScript
	Segments *Segments // of the heap of .NET; nil in files of dotnet-gcdump
	// Interop has the fields of the object InteropInfo as they are in the file; nil for
	// none.
	Interop []byte

	Log        *string // of the collection
	Collected  int64   // units of 100 ns since the year 1; 0 if unknown
	Machine    *string // name of the machine, nil if unknown
	Process    *string // name of the process, nil if unknown
	ProcessID  int32   // 0 if unknown
	Commit     int64   // bytes of committed memory, 0 if unknown
	WorkingSet int64   // bytes, 0 if unknown
	Tool       *string // that wrote the file, nil if unknown

	// Skipped is the number of tagged fields in the file that this package does not know;
	// Write leaves them out.
	Skipped int

	regionOfInterop, fieldOfTool bool // the file has them, if only as null

	labels    []byte // of each node: the offset of its data in nodes, 4 bytes
	nodes     []byte // data of the nodes
	addresses []byte // of each node, 8 bytes
	edges     int64  // of all nodes
}

// Type is a type of nodes.
type Type struct {
	Name   *string // nil in a file with deferred types
	Size   int32   // of nodes whose data have no size; -1 if there is none
	Module *string // path of its module; nil for groups of roots
}

// DeferredType is the description of a type without a name.
type DeferredType struct {
	Token  int32   // of the type in its module
	Module *Module // nil if unknown
	Suffix *string // after the name
}

// Module is a module of the process.
type Module struct {
	Path  *string  // of its file
	Base  int64    // address at which it is loaded
	Size  int32    // bytes in memory
	Built int64    // units of 100 ns since the year 1
	PDB   *string  // path of its symbols
	GUID  [16]byte // of the symbols
	Age   int32    // of the symbols
}

// Segments are the segments of the heap.
type Segments struct {
	Size int64     // bytes of all segments
	List []Segment // in the order of the file
}

// Segment is a segment of the heap.
type Segment struct {
	Start, End uint64 // addresses
	// Generations are the ends of the generations 0 to 3 (large objects) and 4 (pinned
	// objects). An object belongs to the last one whose end is above its address.
	Generations [5]uint64
}

// Node is a vertex of the graph.
type Node struct {
	Type     int32   // index of Types
	Size     int32   // bytes
	Address  uint64  // 0 if the node is no object
	Children []int32 // indexes of nodes
}

// Len returns the number of nodes.
func (f *File) Len() int { return len(f.labels) / 4 }

// Edges returns the number of children of all nodes.
func (f *File) Edges() int64 { return f.edges }

// Address returns the address of a node, 0 if it is no object.
func (f *File) Address(i int32) uint64 { return binary.LittleEndian.Uint64(f.addresses[8*i:]) }

// Node reads a node into n. Its children are valid until the next call with n.
func (f *File) Node(i int32, n *Node) {
	n.Children = n.Children[:0]
	n.Address = f.Address(i)
	d := nodeData{b: f.nodes[binary.LittleEndian.Uint32(f.labels[4*i:]):]}
	n.Type, n.Size = d.head(f.Types)
	for left := d.number(); left > 0; left-- {
		n.Children = append(n.Children, i+d.number())
	}
}

// Sampled reports whether the writer sampled the heap: Node and Heap have the counts
// and sizes of the file, without the multipliers.
func (f *File) Sampled() bool {
	return len(f.TypeMultipliers) > 0 || f.CountMultiplier > 1 || f.SizeMultiplier > 1
}

// Time returns the time of the collection; the zero Time if it is unknown.
func (f *File) Time() time.Time {
	if f.Collected <= 0 {
		return time.Time{}
	}
	const second = 10_000_000
	return time.Unix(f.Collected/second+yearOne, f.Collected%second*100).UTC()
}

// yearOne is the begin of the year 1 in seconds since 1970.
var yearOne = time.Time{}.Unix()

// setTime stores the time of the collection.
func (f *File) setTime(t time.Time) {
	if !t.IsZero() {
		f.Collected = (t.Unix()-yearOne)*10_000_000 + int64(t.Nanosecond()/100)
	}
}
