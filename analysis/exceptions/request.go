package exceptions

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Request sums up the exceptions of incoming requests with one method and path.
type Request struct {
	Method   string `json:"method"`   // "GET"
	Path     string `json:"path"`     // with * in place of numbers and GUIDs
	Thrown   int64  `json:"thrown"`   // ExceptionThrown events in these requests
	Requests int64  `json:"requests"` // requests with at least one
}

// requests are the open requests of a process, by activity id. Several can have the
// same id, because the runtime's numbers of activities repeat.
type requests struct {
	open                 map[wire.GUID]*request
	groups               map[Request]*Request
	recorded             bool
	ambiguous, elsewhere int64 // throws
}

// request is an open request.
type request struct {
	of     *Request  // its group; nil for one of Kestrel
	parent wire.GUID // of one of Kestrel: the activity of the hosting's request
	open   int       // requests with this id
	throws bool
}

func (r *requests) init() { r.open, r.groups = map[wire.GUID]*request{}, map[Request]*Request{} }

// hostingStart handles RequestStart of ASP.NET Core's hosting.
func (p *process) hostingStart(ev *codec.Event) {
	e := clr.HostingRequestStart(ev)
	key := Request{Method: string(wire.AppendUTF16(nil, e.Method())), Path: pathPattern(string(wire.AppendUTF16(nil, e.Path())))}
	of := p.requests.groups[key]
	if of == nil {
		if e.Short() || int64(len(p.requests.groups)) >= p.trace.Limits().Rows {
			return
		}
		group := key
		of = &group
		p.requests.groups[key] = of
	}
	p.startRequest(ev, request{of: of})
}

// kestrelStart handles RequestStart of Kestrel, whose activity is within that of the
// hosting's request.
func (p *process) kestrelStart(ev *codec.Event) {
	p.startRequest(ev, request{parent: ev.RelatedActivity()})
}

func (p *process) startRequest(ev *codec.Event, r request) {
	id := ev.Activity()
	if id == (wire.GUID{}) {
		return
	}
	p.requests.recorded = true
	if have := p.requests.open[id]; have != nil {
		have.open++
		return
	}
	if int64(len(p.requests.open)) >= p.trace.Limits().Threads {
		clear(p.requests.open)
	}
	r.open = 1
	p.requests.open[id] = &r
}

// requestStop handles RequestStop.
func (p *process) requestStop(ev *codec.Event) {
	id := ev.Activity()
	if have := p.requests.open[id]; have != nil {
		if have.open--; have.open == 0 {
			delete(p.requests.open, id)
		}
	}
}

// thrownIn counts a throw for the request that its activity id belongs to.
func (r *requests) thrownIn(id wire.GUID) {
	in := r.open[id]
	if in != nil && in.of == nil && in.open == 1 {
		in = r.open[in.parent]
	}
	switch {
	case in == nil || in.open == 1 && in.of == nil:
		r.elsewhere++
		return
	case in.open > 1:
		r.ambiguous++
		return
	}
	in.of.Thrown++
	if !in.throws {
		in.throws = true
		in.of.Requests++
	}
}

// sums returns the groups with throws, those with the most first.
func (r *requests) sums() []Request {
	var list []Request
	for _, group := range r.groups {
		if group.Thrown > 0 {
			list = append(list, *group)
		}
	}
	slices.SortFunc(list, func(a, b Request) int {
		return cmp.Or(cmp.Compare(b.Thrown, a.Thrown), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Method, b.Method))
	})
	return list
}

// pathPattern returns a path with variable in place of numbers and GUIDs.
func pathPattern(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		parts[i] = pattern(part)
	}
	return strings.Join(parts, "/")
}
