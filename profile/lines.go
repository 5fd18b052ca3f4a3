package profile

import (
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	sources "github.com/nettrace-go/nettrace/symbols"
)

// lineSources has what source lines need, for Options.Lines.
type lineSources struct {
	resolver  *sources.Resolver // nil without Options.Lines
	codes     []*symbols.Code   // by frame, of those that naming.init makes
	byAddress map[uint64]FrameID
	locations map[FrameID]*sources.Location
}

// noLines is the location of frames without code.
var noLines = sources.Location{Missing: sources.NoMethod}

// HasLines reports whether frames have source lines: Options.Lines is set.
func (p *Profile) HasLines() bool { return p.names.lines.resolver != nil }

// Code returns the body of a frame's method. It returns nil for other frames, and without
// Options.Lines.
func (p *Profile) Code(id FrameID) *symbols.Code { return p.names.codeOf(id) }

// Location returns the place of a frame in source text. Without Options.Lines and for
// frames that are not of managed code it has no line. The caller must not modify it.
func (p *Profile) Location(id FrameID) *sources.Location {
	l := &p.names.lines
	code := p.names.codeOf(id)
	if code == nil {
		return &noLines
	}
	where := l.locations[id]
	if where == nil {
		found := l.resolver.Locate(code, p.names.frames[id].Address)
		where = &found
		l.locations[id] = where
	}
	return where
}

// Uncertain reports why the thread need not have been at the line of a frame of a
// stack: symbols.Catch, or "" if the line is certain.
func (p *Profile) Uncertain(stack []FrameID, at int) string {
	code := p.names.codeOf(stack[at])
	if code == nil {
		return ""
	}
	var callee *symbols.Frame
	if at > 0 {
		inner := stack[at-1]
		callee = &symbols.Frame{Symbol: p.Function(p.names.frames[inner].Function).Symbol, Code: p.names.codeOf(inner)}
		if callee.Code != nil {
			callee.Module = callee.Code.Module
		}
	}
	return p.names.lines.resolver.Uncertain(code, p.names.frames[stack[at]].Address, callee)
}

// setCode keeps the body of a frame.
func (n *naming) setCode(id FrameID, f *symbols.Frame) {
	l := &n.lines
	if l.resolver == nil {
		return
	}
	if int(id) == len(l.codes) {
		l.codes = append(l.codes, nil)
	}
	l.codes[id] = f.Code
	l.resolver.Learn(f.Code)
}

// nameByImages names addresses that the trace does not name by files: methods that were compiled
// ahead of time, and functions of native programs.
func (n *naming) nameByImages(p *Profile) {
	if n.lines.resolver == nil {
		return
	}
	for _, c := range n.table.Precompiled() {
		n.lines.resolver.Learn(c)
	}
	n.placeImages(p)
	programs := map[uint64]*symbols.Module{} // of NativeAOT, by process
	for m := range n.table.Modules() {
		if m.BuildID != "" {
			programs[m.Process] = m
		}
	}
	functions := map[*symbols.Symbol]FunctionID{}
	for i, a := range p.stacks.addresses {
		source := n.sourceOf(FrameID(i))
		if source == nil || source.Symbol != nil && n.frames[i].Evidence != symbols.EntryPoint || len(n.lifetimes[FrameID(i)]) > 0 {
			continue
		}
		f, name, ok := n.byFile(a, source, programs[a.process])
		if !ok {
			continue
		}
		function, known := functions[f.Symbol]
		if !known {
			function = n.function(f)
			functions[f.Symbol] = function
			if name != "" {
				n.given[function] = name
			}
		}
		n.frames[i] = Frame{Address: a.address, Function: function, Evidence: f.Evidence}
		n.lines.codes[i] = f.Code
	}
}

// placeImages finds where images are in the memory of processes without a complete rundown, by the
// return addresses that have no name.
func (n *naming) placeImages(p *Profile) {
	returns := map[uint64][]uint64{}
	seen := make([]bool, len(p.stacks.addresses))
	for id := range p.stacks.recorded {
		stack := p.stacks.get(StackID(id))
		for _, f := range stack[min(1, len(stack)):] {
			if int(f) >= len(seen) || seen[f] {
				continue
			}
			seen[f] = true
			a := p.stacks.addresses[f]
			if source := n.sourceOf(f); source != nil && source.Unnamed() && (n.truncated || !n.rundowns[a.process]) {
				returns[a.process] = append(returns[a.process], a.address)
			}
		}
	}
	for process, addresses := range returns {
		var modules []*symbols.Module
		for m := range n.table.Modules() {
			if m.Process == process {
				modules = append(modules, m)
			}
		}
		n.lines.resolver.PlaceByCalls(modules, addresses)
	}
}

// byFile names an address by the file that contains it: the image of a module, or the program or
// the mapping with the address. name is "" if the symbol has it.
func (n *naming) byFile(a address, source *symbols.Frame, program *symbols.Module) (f symbols.Frame, name string, ok bool) {
	if f, ok = n.lines.resolver.Precompiled(a.process, a.address); ok {
		return f, "", true
	}
	if source.Symbol == nil && source.Module != nil {
		program = source.Module
	}
	if program == nil {
		return f, "", false
	}
	return n.lines.resolver.Native(program, a.address)
}

// codeOf returns the body of a frame's method, or nil.
func (n *naming) codeOf(f FrameID) *symbols.Code {
	l := &n.lines
	if l.resolver == nil {
		return nil
	}
	if base, ok := n.bases[f]; ok {
		f = base
	}
	if int(f) < len(l.codes) {
		return l.codes[f]
	}
	if n.frames[f].Address == 0 {
		return nil
	}
	if l.byAddress == nil { // the frame of another stack
		l.byAddress = make(map[uint64]FrameID, len(l.codes))
		for i := range l.codes {
			l.byAddress[n.frames[i].Address] = FrameID(i)
		}
	}
	if same, ok := l.byAddress[n.frames[f].Address]; ok && n.frames[same].Function == n.frames[f].Function {
		return l.codes[same]
	}
	return nil
}
