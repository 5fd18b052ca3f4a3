package profile

import "slices"

// each yields the samples of a type on one thread, and reports whether to
// continue. Of the samples of the sample profiler it yields those in some states,
// all if there are none.
func (p *Profile) each(t Type, thread int, states []State, yield func(Sample) bool) bool {
	if t >= typeCount || !p.wanted(thread) {
		return true
	}
	kept := t
	if t == CPUApprox {
		kept = Wall
	}
	if !p.eachOf(t, kept, thread, states, yield) {
		return false
	}
	return t != CPUApprox || p.cpu == nil || p.eachOf(t, CPUApprox, thread, states, yield)
}

// eachOf yields the samples of a type that are kept as another one.
func (p *Profile) eachOf(t, kept Type, thread int, states []State, yield func(Sample) bool) bool {
	rows := p.records[kept].of(thread)
	measured := p.cpu.covers(&p.threads.rows[thread])
	for i := range rows.count {
		r := rows.at(i)
		from, until, ok := p.window.Clip(r.ticks, r.until)
		if !ok {
			continue
		}
		weight := int64(0)
		switch {
		case t != CPUApprox || kept != Wall:
		case measured:
			if weight = p.cpu.weight(thread, i, until-from, r.until-r.ticks); weight == 0 {
				continue
			}
		case !r.managed():
			continue
		}
		stack, ok := p.shown(t, thread, r)
		if !ok {
			continue
		}
		s := Sample{
			Type: t, Thread: thread, Ticks: from, Stack: stack.stack, Managed: r.managed(), Join: stack.join, atPoll: stack.atPoll, detail: uint32(r.at()),
		}
		how := p.stacks.status(r.stack)
		s.Status, s.Evidence = how.status, how.evidence
		switch {
		case weight > 0:
			s.Value, s.Count = weight, 1
		case kept == Wall:
			s.Value, s.Count = p.length(from, until), 1
		default:
			d := p.details.at(r.at())
			s.Value, s.Count, s.Metadata, s.Offset, s.Unfinished = d.value, d.count, d.of, d.offset, d.unfinished
			if until > from {
				s.Value = p.length(from, until)
			}
			s.Activity, s.Related = p.activityPairs[d.activity].activity, p.activityPairs[d.activity].related
		}
		if len(states) > 0 && (kept == Wall || t == CPUApprox || t == Event) && !p.isIn(&s, states) {
			continue
		}
		if p.opt.Filter.Class != nil && !p.selectsClass(&s) {
			continue
		}
		if !yield(s) {
			return false
		}
	}
	return true
}

// isIn reports whether a sample has one of some states. A sample of type Event
// has a state if it is of the sample profiler.
func (p *Profile) isIn(s *Sample, states []State) bool {
	if s.Type == Event && EventType(s.Metadata) != Wall {
		return false
	}
	state, _ := p.State(s)
	return slices.Contains(states, state)
}

// NotSampled returns the time, in nanoseconds, in which the sample profiler did
// not sample a thread between two of its samples: the sum of the times from the
// end of the value of one Wall sample to the next sample. Options.Time applies,
// Options.Threads does not. thread is an index in Threads.
func (p *Profile) NotSampled(thread int) int64 {
	sum := int64(0)
	for _, g := range p.gaps[thread] {
		if from, until, ok := p.window.Clip(g.from, g.until); ok {
			sum += p.length(from, until)
		}
	}
	return sum
}

// TotalNotSampled returns the sum of NotSampled, in nanoseconds, over the
// threads that Options selects.
func (p *Profile) TotalNotSampled() int64 {
	sum := int64(0)
	for thread := range p.threads.rows {
		if p.wanted(thread) {
			sum += p.NotSampled(thread)
		}
	}
	return sum
}
