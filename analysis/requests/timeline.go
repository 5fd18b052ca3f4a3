package requests

import (
	"cmp"
	"slices"
	"sort"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/model"
)

// Moment is an interval or an event in the time of a request.
type Moment struct {
	// Kind is "gc", "wait", "lock", "exception", with Part.With the cause of a wait as in the part waits, or a phase of an outgoing
	// request: "dns", "connect", "tls", "requestHeaders", "requestContent",
	// "responseHeaders", "responseContent".
	Kind       string          `json:"kind"`
	StartNs    int64           `json:"startNs"`             // since the trace's sync time
	DurationNs analysis.Number `json:"durationNs,omitzero"` // not of an exception
	Text       string          `json:"text,omitempty"`      // type of an exception; the method that waits
}

// maxMoments bounds the moments of a request.
const maxMoments = 50

// add adds a moment, unless there are too many.
func add(moments []Moment, leftOut int64, m Moment) ([]Moment, int64) {
	if len(moments) >= maxMoments {
		return moments, leftOut + 1
	}
	return append(moments, m), leftOut
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

// happening is something that can belong to an incoming request.
type happening struct {
	of     model.Owned
	until  uint64   // ticks, of an interval
	kind   string   // of the Moment
	text   string   // of the Moment
	client *request // the outgoing request that it belongs to, or nil
}

// happen adds what happened.
func (p *process) happen(h happening) {
	h.client = p.of(h.of.Activity)
	if int64(len(p.happened)) >= p.trace.Limits().Rows {
		p.happenedLeftOut++
		return
	}
	p.happened = append(p.happened, h)
}

// moment returns the Moment of what happened.
func (p *process) momentOf(h *happening) Moment {
	if h.kind == exception {
		return Moment{Kind: h.kind, StartNs: p.trace.Nanos(h.of.Ticks), Text: h.text}
	}
	return p.moment(h.kind, h.of.Ticks, h.until)
}

// Kinds of moments.
const (
	exception = "exception"
	lock      = "lock" // as the cause of package blocking
	task      = "task" // as the cause of package blocking
)

// owned returns where something happened.
func (p *process) owned(ev *codec.Event) model.Owned {
	return model.Owned{Thread: p.trace.Thread(ev), Ticks: ev.Timestamp, Activity: ev.Activity(), Stack: p.trace.Stack(ev)}
}

// exceptionThrown handles ExceptionThrown.
func (p *process) exceptionThrown(ev *codec.Event) {
	p.happen(happening{of: p.owned(ev), kind: exception, text: text(clr.ExceptionThrown(ev).Type())})
}

// contentionStart handles ContentionStart.
func (p *process) contentionStart(ev *codec.Event) {
	if one := p.contending.Start(p.trace.Thread(ev), ev); one != nil {
		one.Of = p.owned(ev)
	}
}

// contentionStop handles ContentionStop.
func (p *process) contentionStop(ev *codec.Event) {
	if one, begun := p.contending.Stop(p.trace.Thread(ev), ev); begun {
		p.happen(happening{of: one.Of, until: one.To, kind: lock})
	}
}

// waitStart handles WaitHandleWaitStart.
func (p *process) waitStart(ev *codec.Event) {
	thread := p.trace.Thread(ev)
	if one := p.waiting.Start(thread, ev, p.contending.Last(thread) != nil); one != nil && !one.InContention {
		one.Of = p.owned(ev)
	}
}

// waitStop handles WaitHandleWaitStop. A wait in a contention belongs to the lock.
func (p *process) waitStop(ev *codec.Event) {
	if one, begun := p.waiting.Stop(p.trace.Thread(ev), ev); begun && !one.InContention {
		p.happen(happening{of: one.Of, until: one.To, kind: "wait"})
	}
}

// paused returns the pauses of the garbage collector in an interval.
func (p *process) paused(from, to uint64) []analysis.Interval {
	var list []analysis.Interval
	first := sort.Search(len(p.pauses), func(i int) bool { return p.pauses[i].To > from }) // they are in order of time
	for _, i := range p.pauses[first:] {
		if i.From >= to {
			break
		}
		if i.To > from {
			list = append(list, analysis.Interval{From: max(i.From, from), To: min(i.To, to)})
		}
	}
	return list
}

// timeline returns what happened in a request, in the order of time.
func (p *process) timeline(moments []Moment, from, to uint64) []Moment {
	list := slices.Clone(moments)
	for _, i := range p.paused(from, to) {
		list = append(list, p.moment("gc", i.From, i.To))
	}
	slices.SortStableFunc(list, func(a, b Moment) int { return cmp.Compare(a.StartNs, b.StartNs) })
	return list
}
