package exceptions

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/model"
	"github.com/nettrace-go/nettrace/model/incoming"
)

// Request sums up the exceptions of incoming requests with one method and path.
type Request struct {
	Method   string `json:"method"`   // "GET"
	Path     string `json:"path"`     // with * in place of numbers and GUIDs
	Thrown   int64  `json:"thrown"`   // ExceptionThrown events in these requests
	Requests int64  `json:"requests"` // requests with at least one
}

// throwIn is an ExceptionThrown, which can belong to a request.
type throwIn struct {
	of    model.Owned
	group group // with the catcher, once the exception has ended
}

// thrownIn keeps where an exception was thrown, and returns their number, 0 if it is above the limit.
func (p *process) thrownIn(of model.Owned, g group) int {
	if int64(len(p.throws)) >= p.trace.Limits().Rows {
		p.throwsLeftOut = true
		return 0
	}
	p.throws = append(p.throws, throwIn{of, g})
	return len(p.throws)
}

// noRequest and several are what the exceptions of a group belong to, in place of a request.
const (
	noRequest = -1
	several   = -2
)

// join finds the requests of the exceptions. It returns the request of each group.
func (p *process) join(totals *Totals) map[group]int {
	requests := p.served.Requests(p.id)
	if requests == nil {
		return nil
	}
	owners, groups, counted := map[group]int{}, map[Request]*Request{}, map[int]bool{}
	ambiguous, elsewhere := int64(0), int64(0)
	for i := range p.throws {
		t := &p.throws[i]
		owner := p.served.Owner(t.of)
		at := owner.Request
		thrown := t.group
		thrown.catcher = 0
		if known, ok := owners[thrown]; ok && known != at {
			owners[thrown] = several
		} else {
			owners[thrown] = at
		}
		switch {
		case owner.Rule == incoming.Ambiguous:
			ambiguous++
			continue
		case at < 0:
			elsewhere++
			continue
		}
		key := Request{Method: requests.List[at].Method, Path: pathPattern(requests.List[at].Path)}
		if groups[key] == nil {
			group := key
			groups[key] = &group
		}
		groups[key].Thrown++
		if !counted[at] {
			counted[at] = true
			groups[key].Requests++
		}
	}
	for _, group := range groups {
		totals.Requests = append(totals.Requests, *group)
	}
	slices.SortFunc(totals.Requests, func(a, b Request) int {
		return cmp.Or(cmp.Compare(b.Thrown, a.Thrown), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Method, b.Method))
	})
	if !p.throwsLeftOut {
		totals.ThrownAmbiguous, totals.ThrownNoRequest = analysis.Known(ambiguous), analysis.Known(elsewhere)
	}
	return owners
}

// requestID returns the id of the request that all exceptions of some groups belong to, "" for none.
func (p *process) requestID(owner int) string {
	if owner < 0 {
		return ""
	}
	return p.served.Requests(p.id).List[owner].ID
}

// pathPattern returns a path with variable in place of numbers and GUIDs.
func pathPattern(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		parts[i] = pattern(part)
	}
	return strings.Join(parts, "/")
}
