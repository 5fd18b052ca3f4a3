package profile

import "github.com/nettrace-go/nettrace/clr/symbols"

// contextKey is a frame without a name and the name that the frames around it
// give it.
type contextKey struct {
	frame FrameID
	name  string
}

// nameByContext replaces frames without names, of which the frames around them
// say what they are, by frames that are named so. It changes the slice.
func (n *naming) nameByContext(frames []FrameID) {
	for i := range frames {
		f := frames[i]
		if base, ok := n.bases[f]; ok {
			f = base
		}
		source := n.sourceOf(f)
		if source == nil || !source.Unnamed() {
			continue
		}
		var caller, callee *symbols.Frame
		if i+1 < len(frames) {
			caller = n.sourceOf(frames[i+1])
		}
		if i > 0 {
			callee = n.sourceOf(frames[i-1])
		}
		if name := source.NameCalledBy(caller, callee); name != source.Name() {
			frames[i] = n.inContext(f, name)
		}
	}
}

// sourceOf is what a frame is named by, nil for a synthesized frame.
func (n *naming) sourceOf(f FrameID) *symbols.Frame {
	if function := n.frames[f].Function; function >= madeUpFrames {
		return &n.sources[function]
	}
	return nil
}

// inContext returns the frame of an address with a name that its callers give it.
func (n *naming) inContext(f FrameID, name string) FrameID {
	key := contextKey{f, name}
	at, ok := n.contexts[key]
	if ok {
		return at
	}
	at = FrameID(len(n.frames))
	frame := n.frames[f]
	frame.Function = n.function(n.sources[frame.Function])
	n.frames = append(n.frames, frame)
	n.given[frame.Function] = name
	n.bases[at], n.contexts[key] = f, at
	return at
}

// NameSummary counts the frames of samples that have no name: nothing but their
// address is known.
type NameSummary struct {
	Frames, Unnamed         int64 // frames of all samples, and those without a name
	Samples, SamplesUnnamed int64 // samples with a stack, and those that have such a frame
	// WithoutRundown is how many of Unnamed belong to processes of which the trace
	// has no rundown, in which the runtime names its methods.
	WithoutRundown int64
}

// Names counts the frames without names in the samples of some types.
func (p *Profile) Names(types ...Type) NameSummary {
	var sum NameSummary
	known := map[StackID]NameSummary{}
	for _, t := range types {
		for s := range p.Samples(t) {
			one, ok := known[s.Stack]
			if !ok {
				one = p.namesOf(s.Stack)
				known[s.Stack] = one
			}
			sum.Frames += one.Frames
			sum.Unnamed += one.Unnamed
			sum.Samples += one.Samples
			sum.SamplesUnnamed += one.SamplesUnnamed
			sum.WithoutRundown += one.WithoutRundown
		}
	}
	return sum
}

// namesOf counts the frames of one stack.
func (p *Profile) namesOf(id StackID) NameSummary {
	var sum NameSummary
	for _, f := range p.stacks.get(id) {
		source := p.names.sourceOf(f)
		if source == nil {
			continue
		}
		sum.Frames, sum.Samples = sum.Frames+1, 1
		if _, given := p.names.given[p.names.frames[f].Function]; given || !source.Unnamed() {
			continue
		}
		sum.Unnamed, sum.SamplesUnnamed = sum.Unnamed+1, 1
		if int(f) < len(p.stacks.addresses) && !p.names.rundowns[p.stacks.addresses[f].process] {
			sum.WithoutRundown++
		}
	}
	return sum
}
