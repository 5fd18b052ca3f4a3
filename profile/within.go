package profile

import (
	"cmp"
	"slices"
)

// SpanFilter selects what happens in spans of one name.
type SpanFilter struct {
	// Name is that of the program's spans in requests: see Profile.Span.
	Name string
	// Times are those of other spans, each on one thread.
	Times []ThreadTime
	// Activities are those of the spans of ActivitySources. They count in processes that serve no requests: async methods can
	// begin them.
	Activities []ThreadTime
}

// ThreadTime is a time of a thread.
type ThreadTime struct {
	Process, Thread uint64 // as in Thread
	From, Until     uint64 // ticks; Until is not within
}

// inSpan reports whether RequestFilter.In selects a sample: by the time at which it begins.
func (p *Profile) inSpan(s *Sample, w *work) bool {
	f := p.opt.Filter.Request.In
	for span := w.span(); span != nil; span = w.of.found.Enclosing(span) {
		if span.Name == f.Name {
			return true
		}
	}
	row := &p.threads.rows[s.Thread]
	times := p.timesOf(threadKey{process: row.ProcessID, thread: row.ID})
	n, at := slices.BinarySearchFunc(times, s.Ticks, func(t ThreadTime, ticks uint64) int { return cmp.Compare(t.From, ticks) })
	return at || n > 0 && s.Ticks < times[n-1].Until
}

// timesOf returns the times of a thread in ascending order, those that overlap as one.
func (p *Profile) timesOf(thread threadKey) []ThreadTime {
	if p.filtering.times == nil {
		p.filtering.times = map[threadKey][]ThreadTime{}
		f := p.opt.Filter.Request.In
		all := slices.Clone(f.Times)
		for _, t := range f.Activities {
			if p.served[t.Process] == nil {
				all = append(all, t)
			}
		}
		slices.SortFunc(all, func(a, b ThreadTime) int { return cmp.Compare(a.From, b.From) })
		for _, t := range all {
			key := threadKey{process: t.Process, thread: t.Thread}
			list := p.filtering.times[key]
			switch n := len(list); {
			case t.Until <= t.From:
			case n > 0 && t.From <= list[n-1].Until:
				list[n-1].Until = max(list[n-1].Until, t.Until)
			default:
				p.filtering.times[key] = append(list, t)
			}
		}
	}
	return p.filtering.times[thread]
}

// selectsRequest reports whether Filter.Request selects a sample.
func (p *Profile) selectsRequest(s *Sample) bool {
	f, w := p.opt.Filter.Request, p.workOf(s)
	if f.In != nil && !p.inSpan(s, &w) {
		return false
	}
	if *f == (RequestFilter{In: f.In}) {
		return true
	}
	return w.of != nil && f.selects(w.request, w.of.slowest) && (f.SpanID == "" || f.selectsSpan(&w))
}

// selectsSpan reports whether SpanID selects work for a request, by the request or by a span that the work is within.
func (f *RequestFilter) selectsSpan(w *work) bool {
	for span := w.span(); span != nil; span = w.of.found.Enclosing(span) {
		if span.SpanID == f.SpanID {
			return true
		}
	}
	return f.SpanID == w.request.SpanID
}
