package profile

import (
	"regexp"
	"slices"
)

// Filter selects samples by their frames, and changes the stacks that are
// returned. A regular expression matches a function if it matches
// Function.Name or RawName, which begins with the module and the type. The zero
// value changes nothing.
type Filter struct {
	// Focus, if set, selects the samples with a frame that matches.
	Focus *regexp.Regexp
	// Ignore, if set, leaves out the samples with a frame that matches.
	Ignore *regexp.Regexp
	// Hide, if set, leaves out the frames that match. The samples count for
	// their callers.
	Hide *regexp.Regexp
	// Only, if set, leaves out the frames that do not match.
	Only *regexp.Regexp
	// JustMyCode leaves out the frames of the framework: see IsFramework.
	JustMyCode bool
	// Group replaces frames by their groups. Frames of one group that follow
	// each other become one frame.
	Group Group
	// Class, if set, selects the samples of type Alloc whose class matches.
	Class *regexp.Regexp
	// Request, if set, selects the samples of requests. It implies Options.Requests.
	Request *RequestFilter
}

// frameMatch is the result of a Filter for a function.
type frameMatch uint8

const (
	matchKnown frameMatch = 1 << iota // the others are set
	matchFocus
	matchIgnore
	matchHidden
)

// match applies the filter to a function.
func (f *Filter) match(function *Function) frameMatch {
	has := func(r *regexp.Regexp) bool {
		return r != nil && (r.MatchString(function.Name) || r.MatchString(function.RawName))
	}
	found := matchKnown
	if has(f.Focus) {
		found |= matchFocus
	}
	if has(f.Ignore) {
		found |= matchIgnore
	}
	if has(f.Hide) || f.Only != nil && !has(f.Only) || f.JustMyCode && IsFramework(function) {
		found |= matchHidden
	}
	return found
}

// hidesFrames reports whether the filter leaves out frames.
func (f *Filter) hidesFrames() bool { return f.Hide != nil || f.Only != nil || f.JustMyCode }

// filtering holds the results of Options.Filter, each found once.
type filtering struct {
	functions []frameMatch               // by FunctionID
	selected  stackCache[bool]           // by stack: Focus and Ignore select it
	shortened stackCache[StackID]        // by stack: without hidden frames, grouped
	times     map[threadKey][]ThreadTime // of RequestFilter.In
	original  stackCache[StackID]        // by stack that was made: the stack that determines the state
}

// match returns the result of the filter for a frame, which is found once for
// each function.
func (p *Profile) match(f FrameID) frameMatch {
	id := p.names.frames[f].Function
	known := &p.filtering.functions
	if missing := int(id) + 1 - len(*known); missing > 0 {
		*known = append(*known, make([]frameMatch, missing)...)
	}
	if (*known)[id] == 0 {
		(*known)[id] = p.opt.Filter.match(p.names.name(p, id))
	}
	return (*known)[id]
}

// selects reports whether Focus and Ignore select a stack.
func (p *Profile) selects(id StackID) bool {
	f := &p.opt.Filter
	if f.Focus == nil && f.Ignore == nil {
		return true
	}
	selected, ok := p.filtering.selected.get(id)
	if ok {
		return selected
	}
	selected = f.Focus == nil
	for _, frame := range p.stacks.get(id) {
		m := p.match(frame)
		if m&matchIgnore != 0 {
			selected = false
			break
		}
		selected = selected || m&matchFocus != 0
	}
	return p.filtering.selected.set(id, selected)
}

// shorten returns a stack without the frames that the filter hides, and with
// groups in place of frames.
func (p *Profile) shorten(id StackID) StackID {
	f := &p.opt.Filter
	if !f.hidesFrames() && f.Group == NoGroup {
		return id
	}
	if short, ok := p.filtering.shortened.get(id); ok {
		return short
	}
	all := p.stacks.get(id)
	frames := make([]FrameID, 0, len(all))
	for _, frame := range all {
		if p.names.frames[frame].Function >= madeUpFrames && f.hidesFrames() && p.match(frame)&matchHidden != 0 {
			continue
		}
		if frame = p.grouped(frame); f.Group == NoGroup || len(frames) == 0 || frames[len(frames)-1] != frame {
			frames = append(frames, frame)
		}
	}
	if len(frames) == 0 && len(all) > 0 {
		frames = append(frames, frameHidden)
	}
	short := id
	if !slices.Equal(frames, all) {
		short = p.another(id, frames)
	}
	return p.filtering.shortened.set(id, short)
}

// selectsClass reports whether Class selects a sample.
func (p *Profile) selectsClass(s *Sample) bool {
	class := p.opt.Filter.Class
	if s.Type != Alloc {
		return true
	}
	for _, l := range p.Labels(s) {
		if l.Key == keyAllocationClass {
			return class.MatchString(l.Text) || class.MatchString(l.Raw)
		}
	}
	return false
}
