package profile

import "slices"

// each yields the samples of a type on one thread, and reports whether to
// continue. Of the samples of the sample profiler it yields those in some states,
// all if there are none.
func (p *Profile) each(t Type, thread int, states []State, yield func(Sample) bool) bool {
	kept := keptAs(t)
	if t >= typeCount || !p.asked[kept] || !p.wanted(thread) || t == CPUApprox && p.isMeasured(thread) {
		return true
	}
	if !p.eachOf(t, kept, thread, states, yield) {
		return false
	}
	return t != CPUApprox || p.cpu == nil || p.eachOf(t, CPUApprox, thread, states, yield)
}

// isMeasured reports whether the operating system sampled the processor time of a thread's
// process.
func (p *Profile) isMeasured(thread int) bool {
	return p.measured[p.threads.rows[thread].ProcessID]
}

// eachOf yields the samples of a type that are kept as another one.
func (p *Profile) eachOf(t, kept Type, thread int, states []State, yield func(Sample) bool) bool {
	rows, weights := p.records[kept].of(thread), p.weightsOf(thread)
	for i := range rows.count {
		r := rows.at(i)
		w, ok := p.weighed(t, kept, thread, i, r, &weights)
		if !ok {
			continue
		}
		if s, ok := p.sample(t, kept, thread, r, &w, states); ok && !yield(s) {
			return false
		}
	}
	return true
}

// weighed is the part of a sample that is in Options.Time.
type weighed struct {
	from, until uint64 // ticks
	value       int64  // in nanoseconds, of a sample of the sample profiler
}

// weights is what the values of the samples of a thread depend on.
type weights struct {
	measured bool   // its processor times are known
	pauses   pauses // of its process
}

// weightsOf returns what the values of the samples of a thread depend on.
func (p *Profile) weightsOf(thread int) weights {
	row := &p.threads.rows[thread]
	return weights{p.cpu.covers(row), p.pauses[row.ProcessID]}
}

// weighed returns the part of a record that is a sample of a type, if it is one.
func (p *Profile) weighed(t, kept Type, thread, at int, r *record, of *weights) (w weighed, ok bool) {
	if w.from, w.until, ok = p.window.Clip(r.ticks, r.until); !ok || kept != Wall {
		return w, ok
	}
	switch {
	case t != CPUApprox || !of.measured && r.detail&(managedBit|ranBit) != 0:
		w.value = p.length(w.from, w.until)
		for from, until := range of.pauses.within(w.from, w.until) {
			w.value -= p.length(from, until)
		}
	case of.measured:
		w.value = p.cpu.weight(thread, at, w.until-w.from, r.until-r.ticks)
		ok = w.value > 0
	default:
		ok = false
	}
	return w, ok
}

// sample returns the sample of a record. ok is false if Options do not select it.
func (p *Profile) sample(t, kept Type, thread int, r *record, w *weighed, states []State) (s Sample, ok bool) {
	stack, ok := p.shown(t, thread, r)
	if !ok {
		return s, false
	}
	s = Sample{
		Type: t, Thread: thread, Ticks: w.from, Until: w.until, Stack: stack.stack, Managed: r.managed(), Join: stack.join, Cut: stack.cut, recorded: r.stack, atPoll: stack.atPoll, code: r.detail & codeBits, detail: uint32(r.at()),
	}
	how := p.stacks.status(r.stack)
	s.Status, s.Evidence = how.status, how.evidence
	if kept == Wall {
		s.Value, s.Count = w.value, 1
	} else {
		d := p.details.at(r.at())
		s.Value, s.Count, s.Metadata, s.Offset, s.Unfinished = d.value, d.count, d.of, d.offset, d.unfinished
		if w.until > w.from {
			s.Value = p.length(w.from, w.until)
		}
		s.Activity, s.Related = p.activityPairs[d.activity].activity, p.activityPairs[d.activity].related
	}
	if len(states) > 0 && (kept == Wall || t == CPUApprox || t == Event) && !p.isIn(&s, states) {
		return s, false
	}
	if p.opt.Filter.Request != nil && !p.selectsRequest(&s) {
		return s, false
	}
	return s, p.opt.Filter.Class == nil || p.selectsClass(&s)
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
// end of one Wall sample to the next sample, without the pauses of the garbage
// collector in them. Options.Time applies, Options.Threads does not. thread is an
// index in Threads.
func (p *Profile) NotSampled(thread int) int64 {
	sum := int64(0)
	if uint(thread) >= uint(len(p.gaps)) {
		return 0
	}
	for _, g := range p.gaps[thread] {
		if from, until, ok := p.window.Clip(g.from, g.until); ok {
			sum += p.length(from, until)
			for from, until := range p.weightsOf(thread).pauses.within(from, until) {
				sum -= p.length(from, until)
			}
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
