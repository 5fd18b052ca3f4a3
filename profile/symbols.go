package profile

import "strconv"

// Function is a method or a native function, or what is known in its place.
type Function struct {
	Name    string // as .NET people write it
	RawName string // module!Namespace.Name(signature), as TraceEvent writes it; ?!0x... without a method
	Module  string // name of the module, "" when unknown
}

// naming names frames.
type naming struct {
	frames    []Frame
	functions []Function
}

func (n *naming) init(p *Profile) {
	for i, a := range p.stacks.addresses {
		n.frames = append(n.frames, Frame{a, FunctionID(i)})
		name := "?!0x" + strconv.FormatUint(a, 16)
		n.functions = append(n.functions, Function{Name: name, RawName: name})
	}
}

func (n *naming) frame(p *Profile, id FrameID) Frame { return n.frames[id] }
