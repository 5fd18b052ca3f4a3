package profile

import (
	"cmp"
	"slices"

	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/internal/blocking"
)

// ThreadSpan is a part of the time line of a thread: see Profile.TimeLine.
type ThreadSpan struct {
	From, Until uint64 // ticks
	Nanos       int64  // its length
	State       State  // what the thread did: a state of samples, Stopped, NotSampled or Runnable
	Cause       string // as Profile.State returns it; "" if there is none
	Owner       uint64 // Blocked: ID of the thread that held the lock when the wait began, 0 if unknown
	// Stack is that of the event that shows the span: of the place where the thread waits; 0 if
	// there is none.
	Stack StackID
	// WokenBy is the ID of the thread of the same process that ended the wait, 0 if unknown. A timer
	// that ends a wait interrupts any thread, which then has ended it.
	WokenBy uint64
	Woken   uint64 // when, in ticks: from then on the thread waited for a processor; 0 without WokenBy
}

// TimeLine returns what a thread did while it was observed: from its first
// sample, wait, contention, context switch or pause to the end of its last one.
// The spans follow each other without gaps and do not overlap. thread is an index
// in Threads.
//
// Events are more exact than samples: a wait or a contention lasts from its
// beginning to its end, and the rest of a sample that was taken in it is Running.
// A wait that begins in a contention belongs to the lock, and so does one in which
// Monitor.Wait takes its lock again. If a thread has context
// switches, it is Running between them. In a pause of the garbage collector a
// thread that would be Running or Spinning is Stopped, but the one that suspends the
// others, which collects: it is Running. All other times are
// NotSampled. A thread that lost its processor is Runnable. The time in which a thread that was
// woken waits for a processor belongs to its wait: see ThreadSpan.Woken.
//
// Options.Time and Options.Threads apply, Options.States and Options.Filter do
// not. If Options.Types leaves out Wall, Switch or Wait, the time line does not have
// them; without Wall it can leave out Lock and GC too.
func (p *Profile) TimeLine(thread int) []ThreadSpan {
	first, last := p.observed(thread)
	if !p.wanted(thread) || first >= last {
		return nil
	}
	waits, locks := p.waitsAndLocks(thread)
	switches := p.switchSpans(thread)
	waits, locks = wake(waits, switches), wake(locks, switches)
	waits = cover(waits, locks)
	base := ThreadSpan{From: first, Until: last, State: NotSampled}
	if len(switches) > 0 {
		base.State = Running
	}
	line := cover([]ThreadSpan{base}, endSamples(p.spansOf(Wall, thread, p.sampleSpan), waits))
	line = cover(line, slices.DeleteFunc(slices.Clone(switches), isUntold))
	line = cover(line, untold(line, slices.DeleteFunc(switches, func(s ThreadSpan) bool { return !isUntold(s) })))
	line = cover(line, waits)
	line = cover(line, stops(line, p.pauses[p.threads.rows[thread].ProcessID]))
	line = cover(line, p.spansOf(GC, thread, pauseSpan))
	return p.finishLine(line)
}

// observed returns when the first sample of a thread begins that a time line has,
// and when the last one ends.
func (p *Profile) observed(thread int) (first, last uint64) {
	for _, t := range []Type{Wall, CPU, Switch, Lock, Wait, GC} {
		rows := p.records[t].of(thread)
		for i := range rows.count {
			r := rows.at(i)
			if last == 0 || r.ticks < first {
				first = r.ticks
			}
			last = max(last, r.until)
		}
	}
	return first, last
}

// spansOf returns the spans of the samples of a type on a thread.
func (p *Profile) spansOf(t Type, thread int, describe func(*record) ThreadSpan) []ThreadSpan {
	rows := p.records[t].of(thread)
	spans := make([]ThreadSpan, rows.count)
	for i := range spans {
		r := rows.at(i)
		spans[i] = describe(r)
		spans[i].From, spans[i].Until = r.ticks, r.until
	}
	return separate(spans)
}

// sampleSpan describes a sample.
func (p *Profile) sampleSpan(r *record) ThreadSpan {
	state, cause := p.stateIn(p.named(r), r.detail)
	return ThreadSpan{State: state, Cause: cause}
}

// waitSpan describes a wait.
func (p *Profile) waitSpan(r *record) ThreadSpan {
	stack := p.named(r)
	frames := p.stacks.get(stack)
	d := p.details.at(r.at())
	cause := blocking.WaitCause(p.names.placesIn(frames), blocking.Source{OnMonitor: d.onMonitor, OfTask: d.ofTask})
	switch {
	case cause == blocking.Lock:
		return ThreadSpan{State: Blocked, Cause: cause.Text(), Stack: stack}
	case cause.Idle():
		return ThreadSpan{State: Idle, Cause: cause.Text(), Stack: stack}
	}
	return ThreadSpan{State: Waiting, Cause: cause.Text(), Stack: stack}
}

func (p *Profile) lockSpan(r *record) ThreadSpan {
	return ThreadSpan{State: Blocked, Cause: "lock", Owner: p.details.at(r.at()).owner, Stack: p.named(r)}
}

// pauseSpan describes a pause on the thread that suspends the others: it collects.
func pauseSpan(*record) ThreadSpan { return ThreadSpan{State: Running} }

// switchSpans returns the times of a thread off the processor.
func (p *Profile) switchSpans(thread int) []ThreadSpan {
	rows := p.records[Switch].of(thread)
	role := blocking.RoleCause(p.threads.rows[thread].Name)
	spans := make([]ThreadSpan, 0, rows.count)
	for i := range rows.count {
		r := rows.at(i)
		s := p.switchSpan(r)
		s.From, s.Until = r.ticks, r.until
		if isUntold(s) && role != blocking.Unknown {
			s.State, s.Cause = Idle, role.Text()
		}
		d := p.details.at(r.at())
		if s.State != Runnable && d.waker != 0 {
			s.WokenBy, s.Woken = d.waker, d.woken
		}
		spans = append(spans, s)
	}
	return separate(spans)
}

// switchSpan describes a time off the processor. Managed code determines the cause, or else the
// functions of the kernel.
func (p *Profile) switchSpan(r *record) ThreadSpan {
	switch {
	case p.details.at(r.at()).preempted:
		return ThreadSpan{State: Runnable}
	case r.stack == 0:
		return ThreadSpan{State: Blocked, Cause: offProcessor}
	}
	id := p.named(r)
	v, ok := p.switched.get(id)
	if !ok {
		v = p.switched.set(id, p.names.switchedOut(p.stacks.get(id)))
	}
	switch {
	case v.Cause == blocking.Ready:
		return ThreadSpan{State: Runnable}
	case stateOf(v).runs():
		return ThreadSpan{State: Blocked, Cause: offProcessor, Stack: id}
	}
	return ThreadSpan{State: stateOf(v), Cause: v.Cause.Text(), Stack: id}
}

// switchedOut returns what a thread does that left its processor with a stack.
func (n *naming) switchedOut(frames []FrameID) blocking.Verdict {
	var kernel []string
	for len(frames) > 0 && n.isNative(frames[0]) {
		f := &n.frames[frames[0]]
		if source := &n.sources[f.Function]; source.Symbol != nil && (symbols.Frame{Address: f.Address}).InKernel() {
			kernel = append(kernel, source.Symbol.Method)
		}
		frames = frames[1:]
	}
	cause := blocking.KernelCause(kernel)
	if cause == blocking.Ready {
		return blocking.Verdict{Cause: cause}
	}
	v := blocking.Judge(n.placesIn(frames), blocking.External)
	switch {
	case v.State != blocking.Native && v.State != blocking.Running && v.State != blocking.Spinning && v.Cause != blocking.Unknown, cause == blocking.Unknown:
		return v
	case cause == blocking.Futex:
		return blocking.Verdict{State: blocking.Blocked, Cause: cause}
	}
	return blocking.Verdict{State: blocking.Waiting, Cause: cause}
}

// offProcessor is the cause of the time of a thread without a processor of which no more is known.
const offProcessor = "off the processor"

// isUntold reports whether the records of a switch do not say for what the thread waits.
func isUntold(s ThreadSpan) bool {
	return s.State == Blocked && (s.Cause == offProcessor || s.Cause == blocking.Futex.Text())
}

// wake adds to waits by whom they were ended: the last switch in each knows.
func wake(waits, switches []ThreadSpan) []ThreadSpan {
	for i := range waits {
		w := &waits[i]
		for len(switches) > 0 && switches[0].Until <= w.From {
			switches = switches[1:]
		}
		for _, s := range switches {
			if s.From >= w.Until {
				break
			}
			if s.State != Runnable && s.Until <= w.Until {
				w.WokenBy, w.Woken = s.WokenBy, s.Woken
			}
		}
	}
	return waits
}

// untold returns the parts of switches without a stack in which a thread would otherwise run, or
// in which nothing is known: a sample that waits knows why.
func untold(line, switches []ThreadSpan) []ThreadSpan {
	var list []ThreadSpan
	for _, s := range line {
		if !s.State.runs() && s.State != NotSampled {
			continue
		}
		for len(switches) > 0 && switches[0].Until <= s.From {
			switches = switches[1:]
		}
		for _, one := range switches {
			if one.From >= s.Until {
				break
			}
			one.From, one.Until = max(one.From, s.From), min(one.Until, s.Until)
			list = append(list, one)
		}
	}
	return list
}

// isNative reports whether a frame is a function outside of .NET, or has no name.
func (n *naming) isNative(f FrameID) bool {
	s := n.sources[n.frames[f].Function].Symbol
	return s == nil || s.Namespace == ""
}

// runs reports whether a thread in a state runs, or may run.
func (s State) runs() bool { return s == Running || s == Native || s == Spinning }

// waitsAndLocks returns the waits of a thread outside of contentions, and its
// contentions with the waits that begin in them.
func (p *Profile) waitsAndLocks(thread int) (waits, locks []ThreadSpan) {
	locks = p.spansOf(Lock, thread, p.lockSpan)
	rows, at := p.records[Wait].of(thread), 0
	var inside []ThreadSpan // of a lock that is not in the trace
	for i := range rows.count {
		r := rows.at(i)
		if !p.details.at(r.at()).inLock {
			span := p.waitSpan(r)
			span.From, span.Until = r.ticks, r.until
			waits = append(waits, span)
			continue
		}
		for at < len(locks) && locks[at].Until < r.ticks {
			at++
		}
		if at == len(locks) || locks[at].From > r.until {
			inside = append(inside, ThreadSpan{From: r.ticks, Until: r.until, State: Blocked, Cause: "lock"})
			continue
		}
		locks[at].From, locks[at].Until = min(locks[at].From, r.ticks), max(locks[at].Until, r.until)
	}
	return separate(waits), separate(append(locks, inside...))
}

// endSamples ends the samples that were taken in a wait with the wait: after it
// the thread runs.
func endSamples(samples, waits []ThreadSpan) []ThreadSpan {
	line := make([]ThreadSpan, 0, len(samples))
	for _, s := range samples {
		for len(waits) > 0 && waits[0].Until <= s.From {
			waits = waits[1:]
		}
		if len(waits) > 0 && waits[0].From <= s.From && waits[0].Until < s.Until && !s.State.runs() {
			rest := ThreadSpan{From: waits[0].Until, Until: s.Until, State: Running}
			s.Until = rest.From
			line = append(line, s, rest)
			continue
		}
		line = append(line, s)
	}
	return line
}

// stops returns the parts of pauses in which a thread would otherwise run.
func stops(line []ThreadSpan, pauses pauses) []ThreadSpan {
	var list []ThreadSpan
	for _, s := range line {
		if s.State != Running && s.State != Spinning {
			continue
		}
		for from, until := range pauses.within(s.From, s.Until) {
			list = append(list, ThreadSpan{From: from, Until: until, State: Stopped})
		}
	}
	return list
}

// separate puts spans in the order of time. A span that overlaps one before it
// begins where that one ends. It changes the slice.
func separate(spans []ThreadSpan) []ThreadSpan {
	slices.SortStableFunc(spans, func(a, b ThreadSpan) int { return cmp.Compare(a.From, b.From) })
	kept, end := spans[:0], uint64(0)
	for _, s := range spans {
		if s.From = max(s.From, end); s.From < s.Until {
			kept = append(kept, s)
			end = s.Until
		}
	}
	return kept
}

// cover returns the spans of top, and the parts of those of base that are outside
// of them. Both are separate.
func cover(base, top []ThreadSpan) []ThreadSpan {
	line := make([]ThreadSpan, 0, len(base)+2*len(top))
	for _, b := range base {
		from := b.From
		for len(top) > 0 && top[0].From < b.Until {
			if from < top[0].From {
				part := b
				part.From, part.Until = from, top[0].From
				line = append(line, part)
			}
			from = max(from, top[0].Until)
			if top[0].Until > b.Until {
				break
			}
			line = append(line, top[0])
			top = top[1:]
		}
		if b.From = from; b.From < b.Until {
			line = append(line, b)
		}
	}
	return append(line, top...)
}

// finishLine joins spans that are alike, clips them to Options.Time, and sets
// their lengths.
func (p *Profile) finishLine(line []ThreadSpan) []ThreadSpan {
	var spans []ThreadSpan
	for _, s := range line {
		from, until, ok := p.window.Clip(s.From, s.Until)
		if !ok || from == until {
			continue
		}
		s.From, s.Until = from, until
		if n := len(spans); n > 0 && spans[n-1].continues(&s) {
			spans[n-1].Until = s.Until
		} else {
			spans = append(spans, s)
		}
	}
	for i := range spans {
		spans[i].Nanos = p.length(spans[i].From, spans[i].Until)
	}
	return spans
}

// continues reports whether a span goes on in the next one.
func (s *ThreadSpan) continues(next *ThreadSpan) bool {
	return s.Until == next.From && s.State == next.State && s.Cause == next.Cause && s.Owner == next.Owner && s.Stack == next.Stack && s.WokenBy == next.WokenBy && s.Woken == next.Woken
}
