// Package calltree is what the formats of profiles have in common: the names of
// frames, numbered, and samples added up by the path of calls that leads to
// them.
package calltree

import "github.com/nettrace-go/nettrace/profile"

// Name is what a format shows of a function. Functions of equal names are one to
// whoever looks at them: two lives of a method, or two instances that print
// alike.
type Name struct {
	Text   string
	Module string // "" where the format does not show it, or it has none
}

// Naming makes the names of functions: those that people read, see
// profile.Function, or raw ones, as the runtime wrote them, with the module in
// front.
func Naming(raw bool) func(*profile.Function) Name {
	if raw {
		return func(f *profile.Function) Name { return Name{Text: f.RawName} }
	}
	return func(f *profile.Function) Name { return Name{f.Name, f.Module} }
}

// Names numbers the names of the functions of a profile in the order in which
// they are first asked for.
type Names struct {
	List []Name // by number

	p      *profile.Profile
	name   func(*profile.Function) Name
	byName map[Name]uint32
	ids    []uint32 // number + 1 by FunctionID; 0: not asked for yet
}

// NewNames returns an empty table. name makes the name of a function.
func NewNames(p *profile.Profile, name func(*profile.Function) Name) *Names {
	return &Names{p: p, name: name, byName: map[Name]uint32{}}
}

// ID is the number of a function's name.
func (n *Names) ID(f profile.FunctionID) uint32 {
	if int(f) < len(n.ids) && n.ids[f] != 0 {
		return n.ids[f] - 1
	}
	return n.add(f)
}

// add numbers the name of a function that is met for the first time.
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

// Path replaces dst by the numbers of a stack's names, root first.
func (n *Names) Path(dst []uint32, stack profile.StackID) []uint32 {
	frames := n.p.Stack(stack)
	dst = dst[:0]
	for i := len(frames) - 1; i >= 0; i-- {
		dst = append(dst, n.ID(n.p.Frame(frames[i]).Function))
	}
	return dst
}

// Common is the number of calls that two paths begin with alike.
func Common(a, b []uint32) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
