package locks

import (
	"github.com/nettrace-go/nettrace/analysis"
)

// Totals are the sums of a process. As in the rows, a wait that is open at the end counts up to the
// end of the recording.
type Totals struct {
	ObservedNs   int64                  `json:"observedNs"`                // length of the recording
	Count        int64                  `json:"count"`                     // contentions
	TotalNs      int64                  `json:"totalNs"`                   // their sum, over all threads
	ClockNs      int64                  `json:"clockNs"`                   // the sum of those that ended, by the times of the events
	WaitPercent  float64                `json:"waitPercent"`               // TotalNs in percent of ObservedNs; above 100 with several waiting threads
	Waits        *analysis.Distribution `json:"waits,omitempty"`           // of those that ended; nil if there are more than Limits.Rows
	Unfinished   int64                  `json:"unfinished"`                // of them, open at the end
	UnfinishedNs int64                  `json:"unfinishedNs"`              // their sum
	BeganBefore  int64                  `json:"beganBefore"`               // ends without a start, not counted otherwise
	LeftOut      int64                  `json:"leftOut,omitzero"`          // contentions above Limits.Threads, not counted otherwise
	RowsLeftOut  int64                  `json:"rowsLeftOut,omitzero"`      // stacks above Limits.Rows
	Contended    []Lock                 `json:"contended"`                 // the times of locks with waiting threads that have the highest sums
	LocksLeftOut int64                  `json:"contendedLeftOut,omitzero"` // those that are not in Contended
	// Deadlocks are the deadlock candidates. It is nil if there may be some that cannot be known.
	Deadlocks []Deadlock `json:"deadlocks,omitzero"`
	// OwnersUnknown is how many rows have a longest wait for an owner that cannot be known.
	OwnersUnknown int64 `json:"ownersUnknown,omitzero"`
}

// Lock is a lock in a time in which at least one thread waited for it.
type Lock struct {
	Object     string      `json:"object,omitempty"` // hexadecimal address of the locked object
	Lock       string      `json:"lock,omitempty"`   // hexadecimal id
	StartNs    int64       `json:"startNs"`          // since the trace's sync time
	DurationNs int64       `json:"durationNs"`       // of this time
	Count      int64       `json:"count"`            // contentions
	TotalNs    int64       `json:"totalNs"`          // their sum
	Waiters    int64       `json:"waiters"`          // the highest number at once
	Unfinished bool        `json:"unfinished"`       // a contention is open at the end
	Longest    *Contention `json:"longest"`          // the longest wait
}

// totals makes the totals.
func (p *process) totals(rows []Row) *Totals {
	begin, end := p.trace.Bounds(p.id)
	t := &Totals{
		ObservedNs: p.trace.Between(begin, end), Count: p.ended, TotalNs: p.totalNs, ClockNs: p.clockNs, BeganBefore: p.began, LeftOut: p.leftOut,
		Contended: []Lock{},
	}
	all := int64(0)
	for _, row := range rows {
		all += row.TotalNs
	}
	t.WaitPercent = analysis.Percent(all, t.ObservedNs)
	if int64(len(p.durations)) == p.ended {
		t.Waits = analysis.NewDistribution(p.durations)
	}
	p.queues.prune()
	t.LocksLeftOut = p.queues.left
	for _, q := range p.queues.ended {
		t.Contended = append(t.Contended, Lock{
			Object: hexadecimal(q.on.object), Lock: hexadecimal(q.on.id), StartNs: p.trace.Nanos(q.begin), DurationNs: p.trace.Between(q.begin, q.end),
			Count: q.count, TotalNs: q.totalNs, Waiters: q.peak, Unfinished: q.unfinished, Longest: p.contention(q.longest, q.longestNanos, q.unfinished),
		})
	}
	return t
}
