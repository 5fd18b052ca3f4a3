package model

import "github.com/nettrace-go/nettrace/model/incoming"

// SoleRequests finds of groups of moments those that are all the work of one request. K identifies a
// group. The zero value has none.
type SoleRequests[K comparable] struct {
	moments []grouped[K]
}

// grouped is a moment of a group.
type grouped[K comparable] struct {
	of    Owned
	group K
}

// Sole is the request that moments of a group belong to.
type Sole struct {
	Request *incoming.Request // nil for none, and for several
	Count   int64             // of the moments that were kept: the group is the request's if these are all
}

// Add adds a moment of a group. Moments before the first request, and those above Limits.Rows, are
// not kept. A nil Served keeps none.
func (s *SoleRequests[K]) Add(served *Served, group K, of Owned) {
	if served == nil || !served.began(of.Thread.Process, of.Ticks) || int64(len(s.moments)) >= served.trace.limits.Rows {
		return
	}
	s.moments = append(s.moments, grouped[K]{of, group})
}

// Find returns what the moments of each group belong to, after the last event.
func (s *SoleRequests[K]) Find(served *Served) map[K]Sole {
	found := make(map[K]Sole, min(len(s.moments), 1024))
	for i := range s.moments {
		m := &s.moments[i]
		var request *incoming.Request
		if at := served.Owner(m.of).Request; at >= 0 {
			request = served.Requests(m.of.Thread.Process).List[at]
		}
		one := found[m.group]
		if one.Count > 0 && one.Request != request {
			request = nil
		}
		found[m.group] = Sole{request, one.Count + 1}
	}
	return found
}

// RequestID returns the id of the request that a moment belongs to, "" for none and for a request without an
// id of Kestrel. A nil Served knows none.
func (s *Served) RequestID(of Owned) string {
	if s == nil {
		return ""
	}
	at := s.Owner(of).Request
	if at < 0 {
		return ""
	}
	return s.Requests(of.Thread.Process).List[at].ID
}
