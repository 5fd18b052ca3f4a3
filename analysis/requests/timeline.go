package requests

import (
	"cmp"
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/model"
)

// Moment is an interval or an event in the time of a request.
type Moment struct {
	// Kind is "gc", "wait", "lock", "exception", or a phase of an outgoing
	// request: "dns", "connect", "tls", "requestHeaders", "requestContent",
	// "responseHeaders", "responseContent".
	Kind       string          `json:"kind"`
	StartNs    int64           `json:"startNs"`             // since the trace's sync time
	DurationNs analysis.Number `json:"durationNs,omitzero"` // not of an exception
	Text       string          `json:"text,omitempty"`      // type of an exception
}

// maxMoments bounds the moments of a request.
const maxMoments = 50

// add adds a moment.
func (r *request) add(m Moment) {
	if len(r.moments) >= maxMoments {
		r.momentsLeftOut++
		return
	}
	r.moments = append(r.moments, m)
}

// moment returns an interval.
func (p *process) moment(kind string, from, to uint64) Moment {
	return Moment{Kind: kind, StartNs: p.trace.Nanos(from), DurationNs: analysis.Known(p.trace.Between(from, to))}
}

// suspended adds a pause of the garbage collector that has ended.
func (p *process) suspended(s *model.Suspension) {
	if s.IsPause() && !s.Unfinished && int64(len(p.pauses)) < p.trace.Limits().Rows {
		p.pauses = append(p.pauses, analysis.Interval{From: s.From, To: s.To})
	}
}

// exceptionThrown handles ExceptionThrown.
func (p *process) exceptionThrown(ev *codec.Event) {
	if r := p.of(ev.Activity()); r != nil {
		r.thrown(p.trace.Thread(ev), p.trace.Nanos(ev.Timestamp), text(clr.ExceptionThrown(ev).Type()))
	}
}

// thrown adds an exception that a thread throws, at a time in nanoseconds.
func (r *request) thrown(thread analysis.Thread, at int64, typ string) {
	r.ranOn(thread)
	r.add(Moment{Kind: "exception", StartNs: at, Text: typ})
}

// blocked is what a thread waits for. A wait that begins in a contention belongs
// to the lock.
type blocked struct {
	locks   []uint64 // begins of the open contentions, ticks
	wait    uint64   // begin of the open wait, ticks
	waiting bool
	owner   *request
}

// maxNested bounds the contentions of a thread that are open: their ends are
// lost.
const maxNested = 16

// contentionStart handles ContentionStart.
func (p *process) contentionStart(ev *codec.Event) {
	thread := p.trace.Thread(ev)
	b, known := p.blocked[thread]
	if len(b.locks) == 0 {
		b.owner = p.of(ev.Activity())
	}
	if len(b.locks) < maxNested && (known || int64(len(p.blocked)) < p.trace.Limits().Threads) {
		b.locks = append(b.locks, ev.Timestamp)
		p.blocked[thread] = b
	}
}

// contentionStop handles ContentionStop.
func (p *process) contentionStop(ev *codec.Event) {
	thread := p.trace.Thread(ev)
	b := p.blocked[thread]
	if len(b.locks) == 0 {
		return
	}
	begin := b.locks[len(b.locks)-1]
	b.locks = b.locks[:len(b.locks)-1]
	p.blocked[thread] = b
	if b.owner != nil {
		b.owner.ranOn(thread)
		b.owner.add(p.moment("lock", begin, ev.Timestamp))
	}
}

// waitStart handles WaitHandleWaitStart.
func (p *process) waitStart(ev *codec.Event) {
	thread := p.trace.Thread(ev)
	b, known := p.blocked[thread]
	if len(b.locks) > 0 || !known && int64(len(p.blocked)) >= p.trace.Limits().Threads {
		return
	}
	b.wait, b.waiting, b.owner = ev.Timestamp, true, p.of(ev.Activity())
	p.blocked[thread] = b
}

// waitStop handles WaitHandleWaitStop.
func (p *process) waitStop(ev *codec.Event) {
	thread := p.trace.Thread(ev)
	b := p.blocked[thread]
	if !b.waiting {
		return
	}
	if b.owner != nil {
		b.owner.ranOn(thread)
		b.owner.add(p.moment("wait", b.wait, ev.Timestamp))
	}
	b.waiting = false
	p.blocked[thread] = b
}

// paused returns the pauses of the garbage collector in an interval.
func (p *process) paused(from, to uint64) []analysis.Interval {
	var list []analysis.Interval
	for _, i := range p.pauses {
		if i.From < to && i.To > from {
			list = append(list, analysis.Interval{From: max(i.From, from), To: min(i.To, to)})
		}
	}
	return list
}

// timeline returns what happened in a request, in the order of time.
func (p *process) timeline(r *request, from, to uint64) []Moment {
	list := slices.Clone(r.moments)
	for _, i := range p.paused(from, to) {
		list = append(list, p.moment("gc", i.From, i.To))
	}
	slices.SortStableFunc(list, func(a, b Moment) int { return cmp.Compare(a.StartNs, b.StartNs) })
	return list
}
