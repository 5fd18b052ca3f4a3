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
}

// Naming returns a function that names functions: readable names, see
// profile.Function, or with raw the names as the runtime wrote them, with the
// module in front.
func Naming(raw bool) func(*profile.Function) Name {
	if raw {
		return func(f *profile.Function) Name { return Name{Text: f.RawName} }
	}
	return func(f *profile.Function) Name { return Name{f.Name, f.Module} }
}

// Names numbers the names of a profile's functions in the order of the first
// calls of ID.
type Names struct {
	List []Name // by number

	p      *profile.Profile
	name   func(*profile.Function) Name
	byName map[Name]uint32
	ids    []uint32 // number + 1 by FunctionID; 0: not numbered yet
}

// NewNames returns an empty table. name returns the name of a function, see
// Naming.
func NewNames(p *profile.Profile, name func(*profile.Function) Name) *Names {
	return &Names{p: p, name: name, byName: map[Name]uint32{}}
}

// ID returns the number of a function's name: an index in List.
func (n *Names) ID(f profile.FunctionID) uint32 {
	if int(f) < len(n.ids) && n.ids[f] != 0 {
		return n.ids[f] - 1
	}
	return n.add(f)
}

// add gives a new function name a number.
func (n *Names) add(f profile.FunctionID) uint32 {
	for int(f) >= len(n.ids) {
		n.ids = append(n.ids, 0)
	}
	name := n.name(n.p.Function(f))
	id, ok := n.byName[name]
	if !ok {
		id = uint32(len(n.List))
		n.List = append(n.List, name)
		n.byName[name] = id
	}
	n.ids[f] = id + 1
	return id
}

// Path replaces the contents of dst by the numbers of a stack's names, root
// first.
func (n *Names) Path(dst []uint32, stack profile.StackID) []uint32 {
	frames := n.p.Stack(stack)
	dst = dst[:0]
	for i := len(frames) - 1; i >= 0; i-- {
		dst = append(dst, n.ID(n.p.Frame(frames[i]).Function))
	}
	return dst
}

// Common returns the number of equal calls at the beginning of two paths.
func Common(a, b []uint32) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
