package profile

import "github.com/nettrace-go/nettrace/codec/clr/symbols"

// neighbors are the frames that determine the name of an unnamed frame.
type neighbors struct {
	caller        FunctionID
	calleeUnnamed bool
}

// contextFrame is a frame without a name in a context.
type contextFrame struct {
	frame FrameID
	in    neighbors
}

// nameByContext replaces unnamed frames by named ones if their neighbors identify
// them. It changes the slice.
func (n *naming) nameByContext(frames []FrameID) {
	for i := range frames[:max(0, len(frames)-1)] { // the last one has no caller
		f := frames[i]
		if source := n.sourceOf(f); source == nil || !source.Unnamed() {
			continue
		}
		if base, ok := n.bases[f]; ok {
			f = base
		}
		in := neighbors{caller: n.frames[frames[i+1]].Function}
		if i > 0 {
			callee := n.sourceOf(frames[i-1])
			in.calleeUnnamed = callee != nil && callee.Unnamed()
		}
		frames[i] = n.inContext(contextFrame{f, in})
	}
}

// sourceOf returns the source of a frame's name, nil for a synthesized frame.
func (n *naming) sourceOf(f FrameID) *symbols.Frame {
	if function := n.frames[f].Function; function >= madeUpFrames {
		return &n.sources[function]
	}
	return nil
}

// inContext returns the frame of an address with the name from its context, or
// the frame itself if the context gives no name or there are too many contexts.
func (n *naming) inContext(key contextFrame) FrameID {
	if at, ok := n.contexts[key]; ok {
		return at
	}
	if int64(len(n.contexts)) >= n.maxContexts {
		return key.frame
	}
	at, function := key.frame, n.frames[key.frame].Function
	if name := n.contextName(function, key.in); name != "" {
		at = FrameID(len(n.frames))
		frame := n.frames[key.frame]
		frame.Function = n.function(n.sources[function])
		n.frames = append(n.frames, frame)
		n.given[frame.Function] = name
		n.bases[at] = key.frame
	}
	n.contexts[key] = at
	return at
}

// contextName returns the name that a context gives to an unnamed function, ""
// for none. All functions share one copy, so that a long name of a caller is
// stored once.
func (n *naming) contextName(function FunctionID, in neighbors) string {
	name, ok := n.texts[in]
	if ok {
		return name
	}
	if in.caller >= madeUpFrames {
		source := &n.sources[function]
		var callee *symbols.Frame
		if in.calleeUnnamed {
			callee = source
		}
		if name = source.NameCalledBy(&n.sources[in.caller], callee); name == source.Name() {
			name = ""
		}
	}
	n.texts[in] = name
	return name
}

// NameSummary counts the frames of samples that have no name, only an address.
type NameSummary struct {
	Frames, Unnamed         int64 // frames of all samples, and those without a name
	Samples, SamplesUnnamed int64 // samples with a stack, and those with a frame without a name
	// WithoutRundown is the number of Unnamed frames in processes without a
	// rundown, in which the runtime would name its methods.
	WithoutRundown int64
}

// Names counts the frames without names in the samples of some types, also those that
// Options.Filter leaves out or groups.
func (p *Profile) Names(types ...Type) NameSummary {
	var sum NameSummary
	for _, t := range types {
		sum.add(&p.typeSums(t).names, 1)
	}
	return sum
}

// AllNames is Names of all samples, also those that Options leave out.
func (p *Profile) AllNames(types ...Type) NameSummary {
	var sum NameSummary
	known := stackCache[NameSummary]{}
	for _, t := range distinct(types) {
		for _, r := range p.records[keptAs(t)].all() {
			stack := p.named(r)
			names, ok := known.get(stack)
			if !ok {
				names = known.set(stack, p.namesOf(stack))
			}
			sum.add(&names, 1)
		}
	}
	return sum
}

// unhidden returns the stack of a returned one before Options.Filter changed its frames.
func (p *Profile) unhidden(id StackID) StackID {
	if f := &p.opt.Filter; f.hidesFrames() || f.Group != NoGroup {
		if original, ok := p.filtering.original.get(id); ok {
			return original
		}
	}
	return id
}

// add adds another summary some times.
func (s *NameSummary) add(other *NameSummary, times int64) {
	s.Frames += times * other.Frames
	s.Unnamed += times * other.Unnamed
	s.Samples += times * other.Samples
	s.SamplesUnnamed += times * other.SamplesUnnamed
	s.WithoutRundown += times * other.WithoutRundown
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
		if !source.Unnamed() {
			continue
		}
		if _, given := p.names.given[p.names.frames[f].Function]; given {
			continue
		}
		sum.Unnamed, sum.SamplesUnnamed = sum.Unnamed+1, 1
		if int(f) < len(p.stacks.addresses) && !p.names.rundowns[p.stacks.addresses[f].process] {
			sum.WithoutRundown++
		}
	}
	return sum
}
