package profile

import (
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/codec/clr/symbols"
)

// Group is the unit that replaces functions in stacks. The zero value keeps
// functions.
type Group uint8

// The groups of functions.
const (
	NoGroup        Group = iota // functions stay
	GroupModule                 // the file name of the module, without its extension
	GroupNamespace              // the namespace of the type
	GroupAssembly               // the name of the assembly, or of the module if it is unknown
)

var groupNames = []string{"", "module", "namespace", "assembly"}

// GroupNames returns the names that GroupByName knows.
func GroupNames() []string { return slices.Clone(groupNames[1:]) }

// GroupByName returns the group with a name: module, namespace or assembly. The
// empty name is NoGroup.
func GroupByName(name string) (Group, bool) {
	i := slices.Index(groupNames, name)
	return Group(max(i, 0)), i >= 0
}

// Names of groups of functions whose group is unknown.
const (
	unknownGroup = "(unknown)"
	noNamespace  = "(no namespace)"
)

// Of returns the name of a function's group: "(unknown)" if it is unknown,
// "(no namespace)" for a type without a namespace. NoGroup has the names of
// modules.
func (g Group) Of(f *Function) string {
	switch {
	case f.Symbol == nil && f.Module == "":
		return unknownGroup
	case g == GroupNamespace && f.Symbol != nil:
		return namespaceOf(f.Symbol.Namespace)
	case g == GroupAssembly && f.Symbol != nil && f.Symbol.Module != nil && f.Symbol.Module.Assembly != "":
		name, _, _ := strings.Cut(f.Symbol.Module.Assembly, ",")
		return name
	case f.Module == "":
		return unknownGroup
	}
	return f.Module
}

// namespaceOf returns the namespace of a type: of
// "System.Collections.Generic.List`1[System.Int32]" it is
// "System.Collections.Generic".
func namespaceOf(class string) string {
	if end := strings.IndexAny(class, "`[+<"); end >= 0 {
		class = class[:end]
	}
	dot := strings.LastIndexByte(class, '.')
	if dot <= 0 {
		return noNamespace
	}
	return class[:dot]
}

// grouped returns the frame of a frame's group, or the frame itself without
// Filter.Group and for synthesized frames.
func (p *Profile) grouped(f FrameID) FrameID {
	function := p.names.frames[f].Function
	if p.opt.Filter.Group == NoGroup || function < madeUpFrames {
		return f
	}
	return p.names.groupFrame(p.opt.Filter.Group.Of(p.names.name(p, function)))
}

// groupFrame returns the frame of a group, which has no address.
func (n *naming) groupFrame(name string) FrameID {
	at, ok := n.groups[name]
	if !ok {
		at = FrameID(len(n.frames))
		function := n.function(symbols.Frame{})
		n.frames = append(n.frames, Frame{Function: function})
		n.functions[function] = &Function{Name: name, RawName: name}
		n.given[function] = name
		n.groups[name] = at
	}
	return at
}
