package heap

import "strconv"

// RootKind is the kind of a root: the field GCRootKind of GCBulkRootEdge.
type RootKind uint8

// The kinds of roots that the runtime writes. GroupRoot and StaticRoot are not among
// them: StaticRoot is a static field whose slot is outside of all objects, GroupRoot a
// group of roots in a file of another format that only has its name.
const (
	StackRoot           RootKind = 0
	FinalizerRoot       RootKind = 1
	HandleRoot          RootKind = 2
	OlderRoot           RootKind = 3
	SizedHandleRoot     RootKind = 4
	OverflowRoot        RootKind = 5
	DependentHandleRoot RootKind = 6
	NewFinalizerRoot    RootKind = 7
	StealRoot           RootKind = 8
	BackgroundRoot      RootKind = 9
	GroupRoot           RootKind = 254
	StaticRoot          RootKind = 255
)

var rootKinds = map[RootKind]string{
	StackRoot: "stack", FinalizerRoot: "finalizer queue", HandleRoot: "handle", OlderRoot: "older generation",
	SizedHandleRoot: "sized handle", OverflowRoot: "overflow", DependentHandleRoot: "dependent handle",
	NewFinalizerRoot: "new in finalizer queue", StealRoot: "steal", BackgroundRoot: "background collection", StaticRoot: "static field",
}

// String returns the kind in words.
func (k RootKind) String() string {
	if s := rootKinds[k]; s != "" {
		return s
	}
	return "root kind " + strconv.Itoa(int(k))
}

// RootFlags are the field GCRootFlag of GCBulkRootEdge.
type RootFlags uint32

// The flags of roots.
const (
	PinnedRoot     RootFlags = 1 // the object does not move
	WeakRoot       RootFlags = 2 // does not keep the object
	InteriorRoot   RootFlags = 4 // points into the object
	RefCountedRoot RootFlags = 8 // keeps the object while its count is not 0
)

// Root is a root of an object.
type Root struct {
	Object int32     // number of the object
	Kind   RootKind  // kind of the root
	Flags  RootFlags // flags of the root
	ID     uint64    // of a stack the method, of a handle its address, of a static field its slot
	Name   string    // of a static field or a GroupRoot, otherwise empty
}

// Weak reports whether the root does not keep its object.
func (r *Root) Weak() bool { return r.Flags&WeakRoot != 0 }

// String returns the kind with its flags and the name of a static field, or the name of a
// GroupRoot.
func (r *Root) String() string {
	s := r.Kind.String()
	for _, f := range []struct {
		flag RootFlags
		word string
	}{{RefCountedRoot, "ref-counted "}, {PinnedRoot, "pinned "}, {WeakRoot, "weak "}} {
		if r.Flags&f.flag != 0 {
			s = f.word + s
		}
	}
	switch {
	case r.Kind == GroupRoot:
		return r.Name
	case r.Name != "":
		s += " " + r.Name
	}
	return s
}
