package profile

import (
	"fmt"
	"slices"

	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/internal/blocking"
	sources "github.com/nettrace-go/nettrace/symbols"
)

// Function is a method or a native function, or an address that has no name.
type Function struct {
	Name    string // in C# syntax; see symbols.Frame.Name and NameCalledBy
	RawName string // module!Namespace.Name(signature), as TraceEvent prints it; ?!0x... for an address without a name
	Module  string // name of the module, "" if unknown or for a synthesized frame
	// Symbol is the symbol in the trace, nil for an address without a name and
	// for a synthesized frame.
	Symbol *symbols.Symbol
	// Mapping is the mapping that contains an address without a name (v6), or
	// nil.
	Mapping *symbols.Module
}

// Frame is an address within a function.
type Frame struct {
	Address uint64 // of the instruction; 0 for a synthesized frame
	// Function is the id for Profile.Function.
	Function FunctionID
	Evidence symbols.Evidence // the basis of the name
	// Kind says whether the frame was on the thread's stack.
	Kind FrameKind
	// State is the number of the await at which a state machine waits, if HasState is set.
	State    int32
	HasState bool // the async profiler recorded State
}

// FrameKind says what a frame has to do with the code that runs.
type FrameKind uint8

// The kinds of frames.
const (
	OnStack   FrameKind = iota // of the stack of the thread
	Awaits                     // of what waits for the code that runs
	CreatedBy                  // of what created or started it; it need not wait for it
)

// Synthesized frames, before those of addresses.
const (
	frameTruncated FrameID = iota
	frameCutByKernel
	frameCollector
	frameGenUnknown
	frameGen0
	frameGen1
	frameGen2
	frameHidden

	madeUpFrames = iota
)

// HiddenFrames is the name of the only frame of a stack whose frames
// Options.Filter hides.
const HiddenFrames = "[hidden frames]"

// madeUpName returns the name of a synthesized frame.
func (p *Profile) madeUpName(f FrameID) string {
	switch f {
	case frameTruncated:
		return fmt.Sprintf("[truncated at %d frames]", p.stacks.depth)
	case frameCutByKernel:
		return fmt.Sprintf("[truncated at %d frames]", kernelDepth)
	case frameCollector:
		return "Garbage Collector"
	case frameGenUnknown:
		return "gen unknown"
	case frameHidden:
		return HiddenFrames
	}
	return fmt.Sprintf("gen %d", f-frameGen0)
}

// naming names frames.
//
// Invariant: frames below the number of addresses are those of the addresses in
// their first life; synthesized ones have the functions of the same numbers.
type naming struct {
	table     *symbols.Table
	frames    []Frame
	functions []*Function        // nil: not looked up yet
	sources   []symbols.Frame    // that functions are named by
	bySymbol  []FunctionID       // plus one, by number of the symbol
	lifetimes map[FrameID][]life // of the addresses that have several

	given    map[FunctionID]string    // names from neighboring frames
	contexts map[contextFrame]FrameID // frames of these functions
	texts    map[neighbors]string     // their names
	bases    map[FrameID]FrameID      // the same: the frames of the addresses alone
	places   []blocking.Places        // by function; 0 is unknown
	met      []blocking.Places        // of the frames of a stack
	roles    []frameRole              // by function
	resumers []resumer                // by function
	groups   map[string]FrameID       // frames of groups of functions
	rundowns map[uint64]bool          // processes that have a rundown

	lines     lineSources
	truncated bool // the stream has no end: the rundown can be incomplete

	maxContexts int64 // bounds contexts; real traces have some hundred
}

// life is the time in which an address has one meaning.
type life struct {
	to    uint64 // ticks: up to and without
	frame FrameID
}

// init makes the frames of all addresses.
func (n *naming) init(p *Profile) {
	n.lifetimes, n.rundowns = map[FrameID][]life{}, map[uint64]bool{}
	n.given, n.texts = map[FunctionID]string{}, map[neighbors]string{}
	n.groups = map[string]FrameID{}
	n.contexts, n.bases = map[contextFrame]FrameID{}, map[FrameID]FrameID{}
	n.lines = lineSources{resolver: p.opt.Lines, locations: map[FrameID]*sources.Location{}}
	n.frames = make([]Frame, len(p.stacks.addresses))
	if p.opt.Lines != nil {
		n.lines.codes = make([]*symbols.Code, len(p.stacks.addresses))
	}
	for i, a := range p.stacks.addresses {
		if a.process == noProcess {
			n.frames[i].Function = n.function(symbols.Frame{})
			continue
		}
		if _, ok := n.rundowns[a.process]; !ok {
			n.rundowns[a.process] = n.table.HasRundown(a.process)
		}
		spans := n.table.Timeline(a.process, a.address)
		n.frames[i] = n.frameOf(&spans[0].Frame)
		n.setCode(FrameID(i), &spans[0].Frame)
		if len(spans) == 1 {
			continue
		}
		lifetimes := []life{{spans[0].To, FrameID(i)}}
		for _, s := range spans[1:] {
			lifetimes = append(lifetimes, life{s.To, FrameID(len(n.frames))})
			n.frames = append(n.frames, n.frameOf(&s.Frame))
			n.setCode(FrameID(len(n.frames)-1), &s.Frame)
		}
		n.lifetimes[FrameID(i)] = lifetimes
	}
	n.nameByImages(p)
}

// frameOf is a frame with its function, which is that of its symbol.
func (n *naming) frameOf(f *symbols.Frame) Frame {
	if f.Symbol == nil {
		return Frame{Address: f.Address, Function: n.function(*f), Evidence: f.Evidence}
	}
	number := f.Symbol.Number()
	for len(n.bySymbol) <= number {
		n.bySymbol = append(n.bySymbol, make([]FunctionID, number+1-len(n.bySymbol))...)
	}
	if n.bySymbol[number] == 0 {
		n.bySymbol[number] = n.function(*f) + 1
	}
	return Frame{Address: f.Address, Function: n.bySymbol[number] - 1, Evidence: f.Evidence}
}

func (n *naming) function(f symbols.Frame) FunctionID {
	n.sources = append(n.sources, f)
	n.functions = append(n.functions, nil)
	return FunctionID(len(n.functions) - 1)
}

// name sets the name of a function at its first use.
func (n *naming) name(p *Profile, id FunctionID) *Function {
	if f := n.functions[id]; f != nil {
		return f
	}
	var f *Function
	if id < madeUpFrames {
		name := p.madeUpName(FrameID(id))
		f = &Function{Name: name, RawName: name}
	} else {
		from := &n.sources[id]
		name, ok := n.given[id]
		if !ok {
			name = from.Name()
		}
		f = NewFunction(from, name)
	}
	n.functions[id] = f
	return f
}

// NewFunction returns the Function of a frame, with a name for users.
func NewFunction(from *symbols.Frame, name string) *Function {
	f := &Function{Name: name, RawName: from.RawName(), Symbol: from.Symbol}
	switch {
	case f.Symbol != nil:
		f.Module = f.Symbol.ModuleName()
	case from.Module != nil:
		f.Module, f.Mapping = from.Module.Name(), from.Module
	}
	return f
}

// at returns a stack with the frames of its addresses at a time. It returns nil
// if every address has its first meaning.
func (n *naming) at(frames []FrameID, ticks uint64) []FrameID {
	var moved []FrameID
	for i, f := range frames {
		lifetimes, ok := n.lifetimes[f]
		if !ok {
			continue
		}
		at := 0
		for at < len(lifetimes)-1 && ticks >= lifetimes[at].to {
			at++
		}
		if lifetimes[at].frame != f {
			if moved == nil {
				moved = append(moved, frames...)
			}
			moved[i] = lifetimes[at].frame
		}
	}
	return moved
}

// moves reports whether a frame has several meanings.
func (n *naming) moves(frames []FrameID) bool {
	return slices.ContainsFunc(frames, func(f FrameID) bool { return len(n.lifetimes[f]) > 0 })
}
