// Package calltree has functions that several formats of profiles share:
// numbered names of frames, and trees that add up samples by their call paths.
package calltree

import "github.com/nettrace-go/nettrace/profile"

// Name is the name of a function in an output format. Functions with equal
// names are one function for the user: a method that was compiled twice, or
// instances of a generic method.
type Name struct {
	// Text is the name.
	Text   string
	Module string // "" if the format does not show it or it is unknown
	// File and Line are the place of a frame in source text, with Names.Lines; "" and 0 if
	// it is unknown.
	File string
	Line int // see File
	// EndLine is the last line of the statements that the compiler merged: Line, if it is one.
	EndLine int
}

// Naming returns a function that names functions: readable names, see
// profile.Function, or with raw the names as the runtime wrote them, with the
// module in front.
func Naming(raw bool) func(*profile.Function) Name {
	if raw {
		return func(f *profile.Function) Name { return Name{Text: f.RawName} }
	}
	return func(f *profile.Function) Name { return Name{Text: f.Name, Module: f.Module} }
}

// Names numbers the names of a profile's functions in the order of the first
// calls of ID.
type Names struct {
	List []Name // by number
	// Lines makes different names of different source lines of a function: see
	// profile.Options.Lines. It must be set before the first call of ID or Path.
	Lines bool

	p      *profile.Profile
	name   func(*profile.Function) Name
	byName map[Name]uint32
	ids    []uint32 // number + 1 by FunctionID, or with Lines by FrameID; 0: not numbered yet
}

// NewNames returns an empty table. name returns the name of a function, see
// Naming.
func NewNames(p *profile.Profile, name func(*profile.Function) Name) *Names {
	return &Names{p: p, name: name, byName: map[Name]uint32{}}
}

// ID returns the number of a frame's name: an index in List.
func (n *Names) ID(f profile.FrameID) uint32 {
	key := uint32(n.p.Frame(f).Function)
	if n.Lines {
		key = uint32(f)
	}
	if int(key) < len(n.ids) && n.ids[key] != 0 {
		return n.ids[key] - 1
	}
	return n.add(f, key)
}

// add gives a new name a number.
func (n *Names) add(f profile.FrameID, key uint32) uint32 {
	for int(key) >= len(n.ids) {
		n.ids = append(n.ids, 0)
	}
	name := n.name(n.p.Function(n.p.Frame(f).Function))
	if n.Lines {
		where := n.p.Location(f)
		name.File, name.Line, name.EndLine = where.File, where.Line, where.EndLine
	}
	id, ok := n.byName[name]
	if !ok {
		id = uint32(len(n.List))
		n.List = append(n.List, name)
		n.byName[name] = id
	}
	n.ids[key] = id + 1
	return id
}

// Path replaces the contents of dst by the numbers of a stack's names, root
// first.
func (n *Names) Path(dst []uint32, stack profile.StackID) []uint32 {
	frames := n.p.Stack(stack)
	dst = dst[:0]
	for i := len(frames) - 1; i >= 0; i-- {
		dst = append(dst, n.ID(frames[i]))
	}
	return dst
}

// commonLength returns the number of equal calls at the beginning of two paths.
func commonLength(a, b []uint32) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
