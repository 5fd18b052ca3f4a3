package requests

import (
	"cmp"
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/alloc"
	"github.com/nettrace-go/nettrace/analysis/locks"
	"github.com/nettrace-go/nettrace/analysis/waits"
	"github.com/nettrace-go/nettrace/model"
)

// With takes what the threads of incoming requests waited for, and what they allocated, from other parts.
// The same analysis.Read reads them, and their Reports are called before that of p.
func (p *Part) With(w *waits.Part, l *locks.Part, a *alloc.Part) { p.waits, p.locks, p.alloc = w, l, a }

// CauseSum sums up the waits of one cause.
type CauseSum struct {
	Cause   string `json:"cause"`   // "lock", or one of the part waits
	Count   int64  `json:"count"`   // waits
	TotalNs int64  `json:"totalNs"` // their sum, over all threads
}

// addShares gives each request its waits and allocations.
func (p *process) addShares(rows []incomingRow) (leftOut int64) {
	if p.part.waits == nil {
		return 0
	}
	blocked, left := p.part.waits.Shares(p.id)
	contended, more := p.part.locks.Shares(p.id)
	allocated, most := p.part.alloc.Shares(p.id)
	for _, s := range append(blocked, contended...) {
		if s.Request < len(rows) {
			rows[s.Request].waited(p, &s)
		}
	}
	for i := range rows {
		if w := rows[i].longest; w != nil && w.Cause == lock {
			w.holder = p.part.locks.Holder(p.id, w.Thread, w.BeginNs)
		}
	}
	for _, s := range allocated {
		if s.Request < len(rows) {
			rows[s.Request].allocated += s.Amount
		}
	}
	return left + more + most
}

// waited adds a wait of a thread that worked for the request.
func (r *incomingRow) waited(p *process, s *model.Share) {
	begin := p.trace.Nanos(s.Of.Ticks)
	w := Wait{Cause: s.Cause, Method: s.Method, Thread: s.Of.Thread.ID, BeginNs: begin, EndNs: begin + s.Amount}
	r.threads = ranOn(r.threads, w.Thread)
	r.moments, r.momentsLeftOut = add(r.moments, r.momentsLeftOut, Moment{Kind: w.Cause, StartNs: begin, DurationNs: analysis.Known(s.Amount), Text: w.Method})
	r.sums = addCause(r.sums, CauseSum{w.Cause, 1, s.Amount})
	if r.longest == nil || s.Amount > r.longest.EndNs-r.longest.BeginNs {
		r.longest = &w
	}
	if p.details {
		r.waits = append(r.waits, w)
	}
}

// addCause adds a sum to those of other causes, the longest first.
func addCause(list []CauseSum, one CauseSum) []CauseSum {
	i := slices.IndexFunc(list, func(s CauseSum) bool { return s.Cause == one.Cause })
	if i < 0 {
		list = append(list, one)
	} else {
		list[i].Count, list[i].TotalNs = list[i].Count+one.Count, list[i].TotalNs+one.TotalNs
	}
	slices.SortStableFunc(list, func(a, b CauseSum) int {
		return cmp.Or(cmp.Compare(b.TotalNs, a.TotalNs), cmp.Compare(a.Cause, b.Cause))
	})
	return list
}
