package incoming

import (
	"cmp"
	"slices"

	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/model/logical"
	"github.com/nettrace-go/nettrace/model/runtimes"
)

// Facts are what a Log does not have itself.
type Facts struct {
	Version runtimes.Version // of the process
	Lossy   bool             // the trace lost events
	// Changes are those of the async profiler, nil without it.
	Changes []logical.Change
	// Stacks returns what a stack shows, by Writer.Stack. nil without stacks: on .NET 11 the events
	// about tasks do not suffice without them.
	Stacks func(number int32) Stack
}

// Requests are the requests of a process, and what is known of the work of its threads. It does
// not change.
type Requests struct {
	// List has the requests in the order of their first records.
	List []*Request
	// AmbiguousStops is the number of stops of which it is unknown which request they end.
	AmbiguousStops int64
	// Unhandled is the number of exceptions that the application did not handle.
	Unhandled int64
	// Connections are those of which Kestrel wrote the start or the TLS handshake, by their ids.
	Connections map[string]*Connection

	numbers    map[wire.GUID]int32   // of activities
	stands     map[int32][]int32     // by activity: the requests that it is of
	parents    map[int32][]parent    // by activity, in order of time
	only       map[int32]int32       // by activity: the one it is a child of, unknown for several
	activity   lines                 // number of the activity of the thread
	tasks      lines                 // request
	chains     lines                 // request
	begun      map[uint64][]begun    // by thread, in order of time
	spans      map[string]*openSpan  // by id
	spansUnder map[int32][]*openSpan // by activity
	records    map[record]*Request
	fullAt     uint64 // what is later is not known; 0: all is
}

// Connection is a connection to Kestrel. A time of 0 is not recorded.
type Connection struct {
	Begin    uint64 // ticks
	TLSBegin uint64 // ticks of the begin of the TLS handshake
	TLSEnd   uint64 // ticks of its end, if it succeeded
}

// record is where a start or a stop of a request was written.
type record struct{ thread, ticks uint64 }

// begun is the start of a request on a thread.
type begun struct {
	ticks   uint64
	request int32
}

// Requests makes the requests of what was added.
func (l *Log) Requests(f Facts) *Requests {
	entries := slices.Clone(l.entries)
	slices.SortStableFunc(entries, func(a, b entry) int { return cmp.Compare(a.ticks, b.ticks) })
	p := pairing{
		log: l, Requests: &Requests{
			numbers: l.guids, stands: map[int32][]int32{}, parents: map[int32][]parent{}, only: map[int32]int32{}, activity: lines{}, tasks: lines{}, chains: lines{},
			begun: map[uint64][]begun{}, records: map[record]*Request{}, fullAt: l.fullAt, Connections: map[string]*Connection{},
			spans: map[string]*openSpan{}, spansUnder: map[int32][]*openSpan{},
		},
		threads: map[uint64]*threadState{}, byID: map[string]*Request{}, bySpan: map[string]*Request{}, open: map[openKey]*group{},
	}
	for i := range entries {
		p.entry(&entries[i])
	}
	p.finish(f.Lossy || l.fullAt > 0)
	p.reachSpans()
	p.follow(entries, &f)
	for _, withID := range []bool{true, false} { // the first ones tell the ids that others have
		for _, e := range p.said {
			if (p.log.details[e.detail].id != "") == withID {
				p.attach(e)
			}
		}
	}
	return p.Requests
}

// finish numbers the requests, after the last record.
func (p *pairing) finish(lossy bool) {
	p.List = slices.DeleteFunc(p.List, func(r *Request) bool { return r.into != nil })
	for i, r := range p.List {
		r.at = i
		r.Lossy = !r.Ended && (r.Lossy || lossy)
		if r.Ended || r.Times[Kestrel].Began {
			r.Ambiguous, r.Unidentified = false, false
		}
		for s, activity := range r.activities {
			if activity != 0 && !slices.Contains(r.activities[:s], activity) {
				p.stands[activity] = append(p.stands[activity], int32(i))
			}
		}
		for s := Kestrel; s < Sources; s-- { // the last start: it is on the thread that goes on
			if t := &r.Times[s]; t.Began {
				p.begun[r.startThread] = append(p.begun[r.startThread], begun{t.Begin, int32(i)})
				break
			}
		}
	}
	for _, list := range p.begun {
		slices.SortStableFunc(list, func(a, b begun) int { return cmp.Compare(a.ticks, b.ticks) })
	}
}

// pairing joins the records of requests.
type pairing struct {
	*Requests
	log     *Log
	threads map[uint64]*threadState
	byID    map[string]*Request // by Kestrel's id, and by the id of the activity
	bySpan  map[string]*Request
	open    map[openKey]*group // of the sources that have no other id
	said    []*entry
}

// threadState is what a thread has begun and ended last.
type threadState struct {
	losses   int32
	starting *Request // Kestrel's start is still to come
	stopping *Request // stops of other sources are still to come
	// unhandled: the thread wrote an exception that the application did not handle. Hosting writes it, then
	// its stop of the same request, on one thread without anything of another request between.
	unhandled bool
}

// openKey identifies what is open under an activity id.
type openKey struct {
	source   Source
	activity int32
}

// group is what is open under one key.
type group struct {
	first     *Request // that started
	count     int
	ambiguous bool // several were open at once since the group was empty
}

// entry handles a record.
func (p *pairing) entry(e *entry) {
	t := p.threads[e.thread]
	if t == nil {
		t = &threadState{losses: e.losses}
		p.threads[e.thread] = t
	}
	if t.losses != e.losses {
		*t = threadState{losses: e.losses}
		p.lose()
	}
	switch {
	case e.kind < stops:
		p.start(t, Source(e.kind-starts), e)
	case e.kind < unhandled:
		p.stop(t, Source(e.kind-stops), e)
	case e.kind == unhandled:
		p.Unhandled++
		t.unhandled = true
	case e.kind == said:
		p.said = append(p.said, e)
	case e.kind >= connected && e.kind <= tlsEnded:
		p.connection(e)
	case e.kind == spanBegan:
		p.beginSpan(e)
	case e.kind == spanEnded:
		p.endSpan(e)
	case e.kind == childOf:
		p.child(e)
	}
}

// connection handles a record of a connection.
func (p *pairing) connection(e *entry) {
	id := p.log.details[e.detail].connection
	c := p.Connections[id]
	if c == nil {
		c = &Connection{}
		p.Connections[id] = c
	}
	switch e.kind {
	case connected:
		c.Begin = e.ticks
	case tlsBegan:
		c.TLSBegin = e.ticks
	case tlsEnded:
		c.TLSEnd = e.ticks
	}
}

// lose marks the open requests: the stop of a request can be on any thread.
func (p *pairing) lose() {
	for _, r := range p.List {
		if !r.Ended {
			r.Lossy = true
		}
	}
	clear(p.open)
}

// start handles the start of a request by a source.
func (p *pairing) start(t *threadState, s Source, e *entry) {
	d := &p.log.details[e.detail]
	r := t.starting
	if r == nil || !r.continues(s, e, d) {
		r = &Request{}
		p.List = append(p.List, r)
	}
	p.child(e)
	r.begin(s, e)
	p.records[record{e.thread, e.ticks}] = r
	if s == Kestrel || !r.Times[Kestrel].Began {
		r.startThread = e.thread
	}
	r.describe(d)
	t.starting, t.stopping = r, nil
	if s == Kestrel {
		t.starting = nil
		r.Path, r.Method = cmp.Or(d.path, r.Path), cmp.Or(d.method, r.Method)
	}
	p.identify(r, d)
	if d.id == "" && d.activityID == "" && d.spanID == "" {
		p.opens(r, s, e)
	}
}

// continues reports whether a start of a further source is about the request, of which the thread
// has recorded a start just before.
func (r *Request) continues(s Source, e *entry, d *detail) bool {
	for other := s; other < Sources; other++ {
		if r.Times[other].Began { // the sources begin in their order
			return false
		}
	}
	related := e.related == 0 || r.activities == [Sources]int32{}
	for _, activity := range r.activities {
		related = related || activity != 0 && (activity == e.related || activity == e.activity)
	}
	same := func(a, b string) bool { return a == "" || b == "" || a == b }
	return related && same(r.Method, d.method) && same(r.ID, d.id) && same(r.SpanID, d.spanID)
}

// identify makes a request known by its ids.
func (p *pairing) identify(r *Request, d *detail) {
	for _, id := range []string{d.id, d.activityID} {
		if id != "" {
			p.byID[id] = r
		}
	}
	if d.spanID != "" {
		p.bySpan[d.spanID] = r
	}
}

// opens notes a request that only its activity id identifies.
func (p *pairing) opens(r *Request, s Source, e *entry) {
	if e.activity == 0 {
		r.Unidentified = true
		return
	}
	key := openKey{s, e.activity}
	g := p.open[key]
	if g == nil {
		p.open[key] = &group{first: r, count: 1}
		return
	}
	g.count++
	g.ambiguous = true
	r.Ambiguous, g.first.Ambiguous = true, true
}

// closes takes a request that only its activity id identifies. It is nil if it is unknown which one
// ends; found is false if none is open.
func (p *pairing) closes(s Source, e *entry) (r *Request, found bool) {
	key := openKey{s, e.activity}
	g := p.open[key]
	if g == nil {
		return nil, false
	}
	if g.count--; g.count == 0 {
		delete(p.open, key)
	}
	if g.ambiguous {
		return nil, true
	}
	return g.first, true
}

// known returns the request of the ids of a record, nil for none.
func (p *pairing) known(d *detail) *Request {
	for _, id := range []string{d.id, d.activityID} {
		if r := p.byID[id]; id != "" && r != nil {
			return r
		}
	}
	if d.spanID != "" {
		return p.bySpan[d.spanID]
	}
	return nil
}

// stop handles the stop of a request by a source.
func (p *pairing) stop(t *threadState, s Source, e *entry) {
	d := &p.log.details[e.detail]
	t.starting = nil
	failed := t.unhandled && s == Hosting
	if s == Hosting {
		t.unhandled = false
	}
	before := t.stopping
	if before != nil && (before.Times[s].Ended || s == Kestrel) {
		before = nil
	}
	r := p.known(d)
	switch {
	case r != nil && before != nil && r != before && !before.Began && !r.Times[Kestrel].Ended:
		r.merge(before)
		p.byID[r.ID] = r
	case r == nil:
		r = before
	}
	if open, found := p.closes(s, e); r == nil {
		switch {
		case open != nil:
			r = open
		case found, e.activity == 0 && s != Kestrel:
			p.AmbiguousStops++
			return
		default:
			r = &Request{}
			p.List = append(p.List, r)
		}
	}
	r.end(s, e)
	r.Unhandled = r.Unhandled || failed
	p.records[record{e.thread, e.ticks}] = r
	r.describe(d)
	p.identify(r, d)
	t.stopping = r
	if s == Hosting {
		t.stopping = nil
	}
}

// merge adds what Kestrel's stop says of a request whose start Kestrel did not write.
func (r *Request) merge(o *Request) {
	o.into = r
	r.Times[Kestrel], r.activities[Kestrel] = o.Times[Kestrel], o.activities[Kestrel]
	r.End, r.Ended = max(r.End, o.End), true
	r.ID, r.Connection, r.Protocol, r.Path, r.Method = o.ID, o.Connection, o.Protocol, o.Path, o.Method
	for _, thread := range o.Threads {
		r.ranOn(thread)
	}
}

// attach adds what a record in the time of a request says of it.
func (p *pairing) attach(e *entry) {
	d := &p.log.details[e.detail]
	r := p.known(d)
	if r == nil {
		o := p.owner(&Moment{Thread: e.thread, Ticks: e.ticks}, e.activity)
		if o.Request < 0 {
			return
		}
		r = p.List[o.Request]
	}
	if d.routeSource != NoRoute && (r.Handler == 0 || e.ticks < r.Handler) {
		r.Handler = e.ticks
	}
	if r.RouteSource == RouteTag || d.routeSource == RouteLog && r.RouteSource == RouteMVC {
		d = &detail{id: d.id, traceID: d.traceID, spanID: d.spanID, parentSpanID: d.parentSpanID}
	}
	r.describe(d)
	p.identify(r, d)
}
