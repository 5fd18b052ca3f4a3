package waits

import (
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/internal/blocked"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/internal/blocking"
	"github.com/nettrace-go/nettrace/model"
)

// run is a series of samples of a thread outside of managed code with one stack.
type run struct {
	addresses   []uint64 // of the stack; none for a sample in managed code
	begin, last uint64   // ticks of the first and of the last sample
	stack       analysis.StackID
	samples     int64
	inTask      bool // a wait of the task library has begun on the thread
}

const (
	external = 1       // the type of a sample outside of managed code
	maxRuns  = 1 << 14 // threads whose last stack is kept
	maxGap   = 1e9     // the longest time between two samples of a run, in nanoseconds

	lastRounds = 100e6 // the end of the recording in which each thread that exists has a sample, in nanoseconds
)

// sample handles a sample of a thread.
func (p *process) sample(ev *codec.Event) {
	p.sampled(p.trace.Thread(ev), ev.Timestamp, blockedStack(ev), false)
}

// blockedStack returns the stack of a sample outside of managed code, none for another one.
func blockedStack(ev *codec.Event) []uint64 {
	if clr.ThreadSample(ev).Type() != external {
		return nil
	}
	return ev.Stack()
}

// goesOn reports whether a sample continues the run.
func (r *run) goesOn(t *analysis.Trace, ticks uint64, stack []uint64) bool {
	return len(stack) > 0 && slices.Equal(r.addresses, stack) && t.Between(r.last, ticks) <= maxGap
}

// sampled handles a sample of a thread, which begins another run if begins is set.
func (p *process) sampled(thread analysis.Thread, ticks uint64, stack []uint64, begins bool) {
	r := p.runs[thread]
	if r == nil {
		if len(stack) == 0 {
			return
		}
		if len(p.runs) >= maxRuns {
			p.endRuns()
		}
		r = &run{}
		p.runs[thread] = r
	}
	if !begins && r.goesOn(p.trace, ticks, stack) {
		if r.samples++; r.samples == 2 {
			r.stack, r.inTask = p.trace.StackOf(p.id, stack), p.open.ForTask(thread)
		}
		r.last = ticks
		return
	}
	p.endRun(thread, r, false)
	*r = run{addresses: append(r.addresses[:0], stack...), begin: ticks, last: ticks, samples: 1}
}

// endRun adds a run to the sums if it has a length. unfinished is set if the thread waits on.
func (p *process) endRun(thread analysis.Thread, r *run, unfinished bool) {
	if r.samples < 2 {
		return
	}
	mark := uint8(bySample)
	if r.inTask {
		mark |= ofTask
	}
	p.sampleSums.Add(mark, blocked.Interval{
		Owned: model.Owned{Thread: thread, Ticks: r.begin, Stack: r.stack}, Nanos: p.trace.Between(r.begin, r.last), Unfinished: unfinished,
	}, 0, struct{}{})
}

// endRuns ends the runs of all threads, whose waits may go on.
func (p *process) endRuns() {
	for thread, r := range p.runs {
		p.endRun(thread, r, false)
	}
	clear(p.runs)
}

// closeRuns ends the runs of all threads at the end of the recording: the wait of a thread that the last rounds of the
// sampler have met is open.
func (p *process) closeRuns() {
	var last uint64
	for _, r := range p.runs {
		last = max(last, r.last)
	}
	for thread, r := range p.runs {
		p.endRun(thread, r, p.trace.Between(r.last, last) <= lastRounds)
	}
	clear(p.runs)
}

// sampledRows returns the waits that only samples show: with a known cause, because a
// thread outside of managed code can also run, and without an event, because they would
// count twice.
func (p *process) sampledRows() []Row {
	return slices.DeleteFunc(p.rows(&p.sampleSums), func(row Row) bool { return !p.isSampled(blocking.Cause(row.Cause)) })
}

// isSampled reports whether a wait with a cause is one that only samples show.
func (p *process) isSampled(cause blocking.Cause) bool {
	return cause != blocking.Unknown && !p.hasEvents(cause)
}

// hasEvents reports whether the trace has events about the waits with a cause.
func (p *process) hasEvents(cause blocking.Cause) bool {
	switch {
	case cause.WithoutEvents(), cause == blocking.Join && !p.version.JoinsAreWaits():
		return false
	case p.byEvents():
		return true
	}
	return cause == blocking.Lock && p.contention
}
