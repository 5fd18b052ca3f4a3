package gcdump

import (
	"encoding/binary"
	"math"
	"strings"

	"github.com/nettrace-go/nettrace/heap"
)

// Origin is what a dump does not have of its process. Empty values are unknown.
type Origin struct {
	Process string // name of the process
	Machine string // name of the machine
	Tool    string // that writes the file
	Is64Bit bool   // addresses have 64 bits
}

// FromHeap returns the file of a dump. Its groups of roots have the names that
// dotnet-gcdump gives them, and so have the types of objects above 1,000 bytes; weak
// handles are not in it. The value of a dependent handle is a child of its key. capped is
// the number of objects of 2 GiB or more, which get the size 2^31-1: the format has no
// larger one.
func FromHeap(h *heap.Heap, o Origin) (f *File, capped int) {
	w := &fileBuilder{heap: h, f: &File{Version: newestVersion, MinReader: usualMinReader, Is64Bit: o.Is64Bit, CountMultiplier: 1, SizeMultiplier: 1}}
	w.f.regionOfInterop, w.f.fieldOfTool = true, true
	w.f.ProcessID = int32(h.Dump.Process)
	w.f.setTime(h.Dump.Begin)
	for text, value := range map[**string]string{&w.f.Process: o.Process, &w.f.Machine: o.Machine, &w.f.Tool: o.Tool} {
		if value != "" {
			*text = &value
		}
	}
	w.build()
	return w.f, w.capped
}

// fileBuilder makes a File.
type fileBuilder struct {
	heap   *heap.Heap
	f      *File
	groups []groupNode
	byName map[string]int32 // the places of groups
	types  map[string]int32 // of groups
	large  []int32          // types of objects by name and suffix, 0 for none yet
	names  []string         // of the types of objects
	capped int
}

// groupNode is a node for a group of roots.
type groupNode struct {
	typ      int32
	groups   []int32 // below it
	children []int32 // objects
}

// build adds the nodes: those of groups, then the objects in the order of their numbers.
func (w *fileBuilder) build() {
	h := w.heap
	undefined := "UNDEFINED"
	w.f.Types = []Type{{Name: &undefined}}
	w.f.nodes = []byte{0, 0}
	w.byName, w.types = map[string]int32{}, map[string]int32{}
	w.names = make([]string, len(h.Names()))
	for i, name := range h.Names() {
		w.names[i] = typeName(name)
	}
	w.large = make([]int32, len(w.names)*(len(sizes)+1))
	w.addGroups()
	first := int32(len(w.groups)) // number of the first object's node
	children := []int32{}
	for i := range w.groups {
		g := &w.groups[i]
		children = append(children[:0], g.groups...)
		for _, object := range g.children {
			children = append(children, first+object)
		}
		w.node(g.typ, 0, 0, children)
	}
	for i := range int32(h.Len()) {
		o := h.Object(i)
		size := int32(min(o.Size, math.MaxInt32))
		if uint64(size) < o.Size {
			w.capped++
		}
		children = children[:0]
		for _, to := range h.References(i) {
			children = append(children, first+to)
		}
		w.node(w.typeOf(h.TypeOf(i), o.Size), size, o.Address, children)
	}
}

// node adds a node.
func (w *fileBuilder) node(typ, size int32, address uint64, children []int32) {
	f := w.f
	n := int32(f.Len())
	f.labels = binary.LittleEndian.AppendUint32(f.labels, uint32(len(f.nodes)))
	f.addresses = binary.LittleEndian.AppendUint64(f.addresses, address)
	f.TotalSize += int64(size)
	f.edges += int64(len(children))
	if t := &f.Types[typ]; t.Size < 0 {
		t.Size = size
	}
	if size == f.Types[typ].Size {
		f.nodes = appendNumber(f.nodes, typ<<1)
	} else {
		f.nodes = appendNumber(appendNumber(f.nodes, typ<<1|1), size)
	}
	f.nodes = appendNumber(f.nodes, int32(len(children)))
	for _, c := range children {
		f.nodes = appendNumber(f.nodes, c-n)
	}
}

// addType adds a type.
func (w *fileBuilder) addType(name string) int32 {
	w.f.Types = append(w.f.Types, Type{Name: &name, Size: -1})
	return int32(len(w.f.Types)) - 1
}

// typeOf returns the type of objects with a name, for objects of this size.
func (w *fileBuilder) typeOf(name int, size uint64) int32 {
	at, suffix := len(sizes), ""
	for i, s := range sizes {
		if size > s.bytes {
			at, suffix = i, s.suffix
			break
		}
	}
	t := &w.large[name*(len(sizes)+1)+at]
	if *t == 0 {
		*t = w.addType(w.names[name] + suffix)
	}
	return *t
}

// group returns the node of a group below others.
func (w *fileBuilder) group(path ...string) *groupNode {
	above, key := int32(-1), ""
	for _, name := range path {
		key += name + "\n"
		n, known := w.byName[key]
		if !known {
			n = int32(len(w.groups))
			w.byName[key] = n
			typ, named := w.types[name]
			if !named {
				typ = w.addType(name)
				w.types[name] = typ
			}
			w.groups = append(w.groups, groupNode{typ: typ})
			if above >= 0 {
				w.groups[above].groups = append(w.groups[above].groups, n)
			}
		}
		above = n
	}
	return &w.groups[above]
}

// addGroups makes the nodes above the objects that have roots.
func (w *fileBuilder) addGroups() {
	h := w.heap
	w.group(rootsGroup)
	for i := range h.Statics {
		w.addStatic(h.Statics[i].Object, h.Statics[i].Name)
	}
	for i := range h.Roots {
		switch r := &h.Roots[i]; {
		case r.Weak():
		case r.Kind == heap.StaticRoot:
			w.addStatic(r.Object, r.Name)
		default:
			g := w.group(rootPath(r)...)
			g.children = append(g.children, r.Object)
		}
	}
}

// addStatic adds a static field. The dump does not have its class: like dotnet-gcdump,
// the name has the type of the object.
func (w *fileBuilder) addStatic(object int32, field string) {
	g := w.group(rootsGroup, staticsGroup, staticPrefix+w.names[w.heap.TypeOf(object)]+"."+field+"]")
	g.children = append(g.children, object)
}

// rootPath returns the names of the groups of a root.
func rootPath(r *heap.Root) []string {
	switch {
	case r.Kind == heap.StackRoot:
		return []string{rootsGroup, localsGroup}
	case r.Kind == heap.FinalizerRoot || r.Kind == heap.NewFinalizerRoot:
		return []string{rootsGroup, otherRoots, finalizerGroup}
	case r.Kind == heap.DependentHandleRoot:
		return []string{rootsGroup, otherRoots, dependentGroup}
	case r.Kind == heap.GroupRoot:
		return []string{rootsGroup, r.Name}
	case r.Kind != heap.HandleRoot && r.Kind != heap.SizedHandleRoot:
		return []string{rootsGroup, otherRoots, otherHandles}
	case r.Flags&heap.RefCountedRoot != 0:
		return []string{rootsGroup, otherRoots, refCountedGroup}
	case r.Flags == heap.PinnedRoot:
		return []string{rootsGroup, otherRoots, pinningGroup}
	case r.Flags == 0:
		return []string{rootsGroup, otherRoots, strongGroup}
	}
	return []string{rootsGroup, otherRoots, otherHandles}
}

// typeName converts the name of a type as the runtime writes it to the form of
// dotnet-gcdump: type arguments are in angle brackets, and their number is left out. The
// brackets of arrays stay, with their ranks.
//
//	System.Collections.Generic.Dictionary`2[System.String,A+B][,]
//	System.Collections.Generic.Dictionary<System.String,A+B>[,]
func typeName(name string) string {
	if !strings.ContainsAny(name, "`[") {
		return name
	}
	b := make([]byte, 0, len(name))
	var closing []byte
	for i := 0; i < len(name); i++ {
		switch c := name[i]; c {
		case '`':
			for i+1 < len(name) && name[i+1] >= '0' && name[i+1] <= '9' {
				i++
			}
		case '[':
			if rest := strings.TrimLeft(name[i+1:], ",*"); strings.HasPrefix(rest, "]") {
				b, closing = append(b, c), append(closing, ']')
			} else {
				b, closing = append(b, '<'), append(closing, '>')
			}
		case ']':
			if n := len(closing) - 1; n >= 0 {
				c, closing = closing[n], closing[:n]
			}
			b = append(b, c)
		default:
			b = append(b, c)
		}
	}
	return string(b)
}
