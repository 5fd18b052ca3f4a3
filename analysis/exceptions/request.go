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

// join finds the requests of the exceptions. It returns those of each group, without the catcher.
func (p *process) join(totals *Totals) map[group]model.Sole {
	requests := p.served.Requests(p.id)
	if requests == nil {
		return nil
	}
	owners, groups, counted := map[group]model.Sole{}, map[Request]*Request{}, map[int]bool{}
	ambiguous, elsewhere := int64(0), int64(0)
	for i := range p.throws {
		t := &p.throws[i]
		owner := p.served.Owner(t.of)
		at, request := owner.Request, (*incoming.Request)(nil)
		if at >= 0 {
			request = requests.List[at]
		}
		thrown := t.group
		thrown.catcher = 0
		sole := owners[thrown]
		sole.Add(request)
		owners[thrown] = sole
		switch {
		case owner.Rule == incoming.Ambiguous:
			ambiguous++
			continue
		case request == nil:
			elsewhere++
			continue
		}
		key := Request{Method: request.Method, Path: pathPattern(request.Path)}
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

// pathPattern returns a path with variable in place of numbers and GUIDs.
func pathPattern(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		parts[i] = pattern(part)
	}
	return strings.Join(parts, "/")
}
