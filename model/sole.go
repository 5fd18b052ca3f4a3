package model

import (
	"iter"

	"github.com/nettrace-go/nettrace/model/incoming"
)

// SoleRequests finds whose work the moments of groups are, and the groups that are all the work of one
// request. K identifies a group. The zero value has none.
type SoleRequests[K comparable] struct {
	// LeftOut is the number of moments that are not kept because of Limits.Rows.
	LeftOut int64

	moments []grouped[K]
}

// grouped is a moment of a group.
type grouped[K comparable] struct {
	of     Owned
	group  K
	amount int64
}

// Sole is the request that moments of a group belong to.
type Sole struct {
	Request *incoming.Request // nil for none, and for several
	Count   int64             // of the moments that were kept: the group is the request's if these are all
}

// Share is a moment of a request: a wait, or an allocation.
type Share struct {
	Request int    // position in Requests.List
	Of      Owned  // when
	Amount  int64  // nanoseconds, or bytes
	Cause   string // of a wait, "" for an allocation
	Method  string // that waits, or allocates; "" for none
}

// Add adds a moment of a group, with its nanoseconds or bytes. Moments before the first request, and
// those above Limits.Rows, are not kept. A nil Served keeps none.
func (s *SoleRequests[K]) Add(served *Served, group K, of Owned, amount int64) {
	switch {
	case served == nil || !served.began(of.Thread.Process, of.Ticks):
	case int64(len(s.moments)) >= served.trace.limits.Rows:
		s.LeftOut++
	default:
		s.moments = append(s.moments, grouped[K]{of, group, amount})
	}
}

// All yields the moments that belong to a request, with their groups, after the last event.
func (s *SoleRequests[K]) All(served *Served) iter.Seq2[K, Share] {
	return func(yield func(K, Share) bool) {
		for i := range s.moments {
			m := &s.moments[i]
			if at := served.Owner(m.of).Request; at >= 0 && !yield(m.group, Share{Request: at, Of: m.of, Amount: m.amount}) {
				return
			}
		}
	}
}

// Find returns what the moments of each group belong to, after the last event.
func (s *SoleRequests[K]) Find(served *Served) map[K]Sole {
	found := make(map[K]Sole, min(len(s.moments), 1024))
	for i := range s.moments {
		m := &s.moments[i]
		one := found[m.group]
		one.Add(served.request(m.of.Thread.Process, served.Owner(m.of)))
		found[m.group] = one
	}
	return found
}

// Add adds a moment that belongs to a request, nil for none and for one of several.
func (s *Sole) Add(request *incoming.Request) {
	if s.Count > 0 && s.Request != request {
		request = nil
	}
	s.Request, s.Count = request, s.Count+1
}

// request returns the request of an owner, nil for none.
func (s *Served) request(process uint64, of incoming.Owner) *incoming.Request {
	if of.Request < 0 {
		return nil
	}
	return s.Requests(process).List[of.Request]
}

// RequestID returns the id of the request that a moment belongs to, "" for none and for a request without an
// id of Kestrel. A nil Served knows none.
func (s *Served) RequestID(of Owned) string {
	if s == nil {
		return ""
	}
	if r := s.request(of.Thread.Process, s.Owner(of)); r != nil {
		return r.ID
	}
	return ""
}
