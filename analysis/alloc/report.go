package alloc

import (
	"cmp"
	"math"
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/model"
	"github.com/nettrace-go/nettrace/model/incoming"
)

// Row is what one method allocated of one type in one heap. In Totals.Types it is
// that of all methods. Unknown Numbers are not in JSON.
type Row struct {
	Type        string   `json:"type,omitempty"`  // "" if the trace does not have it
	Heap        Heap     `json:"heap,omitempty"`  // Small, Large or Pinned
	Site        string   `json:"site,omitempty"`  // the innermost method outside of System.Private.CoreLib
	Stack       []string `json:"stack,omitempty"` // the one with the most bytes, leaf first
	model.Place          // of the site in that stack
	Request     string   `json:"request,omitempty"` // id of the incoming request that allocated all of it
	Events      int64    `json:"events"`            // of the trace
	Bytes       int64    `json:"bytes"`             // estimated
	// StandardErrorBytes is the standard error of Bytes; GCSampledObjectAllocation has none.
	StandardErrorBytes analysis.Number `json:"standardErrorBytes,omitzero"`
	Objects            analysis.Number `json:"objects,omitzero"`            // estimated; AllocationTick does not have it
	LargestObjectBytes analysis.Number `json:"largestObjectBytes,omitzero"` // size of the largest object that has an event
}

// Table declares the rows.
var Table = analysis.Table[Row]{
	Fields: []analysis.Field[Row]{
		{Key: "type", Doc: "type of the objects", Head: "type", Form: analysis.Cut, Of: func(r *Row) any { return r.Type }},
		{Key: "heap", Doc: "small, large or pinned", Head: "heap", Of: func(r *Row) any { return string(r.Heap) }},
		{Key: "site", Doc: "the innermost method outside of System.Private.CoreLib", Head: "method", Form: analysis.Method, Of: func(r *Row) any { return r.Site }, Show: func(r *Row) any { return analysis.Site{Method: r.Site, Place: r.Place} }},
		{Key: "stack", Doc: "the one with the most bytes, the innermost method first"},
		{Key: "file", Doc: "source file of the method", Of: func(r *Row) any { return r.File }},
		{Key: "line", Doc: "line in it, from 1", Of: func(r *Row) any { return r.Line }},
		{Key: "request", Doc: "id of the incoming request that allocated all of it", Of: func(r *Row) any { return r.Request }},
		{Key: "events", Doc: "events of the trace", Head: "events", Form: analysis.Grouped, Wide: true, Of: func(r *Row) any { return r.Events }},
		{Key: "bytes", Doc: "estimated size", Head: "MB", Form: analysis.Million, Of: func(r *Row) any { return r.Bytes }},
		{Key: "standardErrorBytes", Doc: "standard error of the size", Head: "+- MB", Form: analysis.Million, Wide: true, Of: func(r *Row) any { return r.StandardErrorBytes }},
		{Key: "objects", Doc: "estimated number; AllocationTick does not have it", Head: "objects", Wide: true, Of: func(r *Row) any { return r.Objects }},
		{Key: "largestObjectBytes", Doc: "size of the largest object that has an event", Head: "largest", Wide: true, Of: func(r *Row) any { return r.LargestObjectBytes }},
	},
	Text:    "bytes standardErrorBytes events objects largestObjectBytes heap type site",
	Page:    "bytes events type site largestObjectBytes heap",
	Samples: "alloc",
}

// Totals are the totals of one process. Unknown Numbers are not in JSON.
type Totals struct {
	Source     Source `json:"source"`              // Tick, Objects or Sampled
	Events     int64  `json:"events"`              // of this kind
	Ignored    int64  `json:"ignored"`             // events of other kinds
	Bytes      int64  `json:"bytes"`               // exact to 100 kB for each heap, or estimated from samples
	LowerBound bool   `json:"lowerBound,omitzero"` // Bytes and Objects are lower bounds: of Objects
	// StandardErrorBytes is the standard error of Bytes; unknown for AllocationTick and
	// GCSampledObjectAllocation, which have none.
	StandardErrorBytes analysis.Number `json:"standardErrorBytes,omitzero"`
	Objects            analysis.Number `json:"objects,omitzero"`        // estimated; AllocationTick does not have it
	ObservedNs         int64           `json:"observedNs"`              // length of the recording
	BytesPerSecond     analysis.Number `json:"bytesPerSecond,omitzero"` // Bytes by ObservedNs
	Heaps              []HeapTotals    `json:"heaps"`                   // in the order small, large, pinned
	Types              []Row           `json:"types"`                   // by type and heap, most bytes first
	Intervals          []Interval      `json:"intervals"`               // from the first to the last event
	LeftOutEvents      int64           `json:"leftOutEvents"`           // without rows because of the limits; Bytes counts them
}

// HeapTotals are the totals of one heap.
type HeapTotals struct {
	Heap   Heap  `json:"heap"`   // Small, Large or Pinned
	Events int64 `json:"events"` // of the trace
	Bytes  int64 `json:"bytes"`  // estimated
}

// Interval is what was allocated in an interval of time.
type Interval struct {
	StartNs    int64 `json:"startNs"`    // since the trace's sync time
	DurationNs int64 `json:"durationNs"` // its length in the recording
	Events     int64 `json:"events"`     // of the trace
	Bytes      int64 `json:"bytes"`      // estimated
}

// report makes the report of a process after the last event.
func (p *process) report(t *analysis.Trace) analysis.Report {
	s := p.best()
	ignored := int64(0)
	for _, one := range p.sources {
		if one != s {
			ignored += one.events()
		}
	}
	totals := s.totals(t, p.id)
	totals.Ignored = ignored
	rows := s.rows(t, p.served)
	report := analysis.NewReport(Name, p.id)
	report.Rows, report.Totals = rows, totals
	report.Findings = findings(rows, totals)
	return report
}

// best returns the source of the estimates, nil for none.
func (p *process) best() *source {
	for _, name := range []Source{Sampled, Objects, Tick} {
		if s := p.sources[name]; s != nil {
			return s
		}
	}
	return nil
}

func (s *source) events() int64 {
	count := int64(0)
	for _, heap := range s.heaps {
		count += heap.events
	}
	return count
}

// totals sums up the allocations.
func (s *source) totals(t *analysis.Trace, id uint64) *Totals {
	from, to := t.Bounds(id)
	totals := &Totals{Source: s.name, ObservedNs: t.Between(from, to), Types: []Row{}, Intervals: s.rate.intervals(t, id), LeftOutEvents: s.leftOut.events}
	var all sum
	for _, heap := range append(heaps[:], "") {
		if h := s.heaps[heap]; h != nil {
			all.join(h)
			totals.Heaps = append(totals.Heaps, HeapTotals{Heap: heap, Events: h.events, Bytes: whole(h.bytes)})
		}
	}
	totals.Events, totals.Bytes = all.events, whole(all.bytes)
	totals.LowerBound = s.name == Objects
	if s.name == Sampled {
		totals.StandardErrorBytes = analysis.Known(whole(math.Sqrt(all.variance)))
	}
	if s.name != Tick {
		totals.Objects = analysis.Known(whole(all.objects))
	}
	if totals.ObservedNs > 0 {
		totals.BytesPerSecond = analysis.Known(whole(all.bytes / float64(totals.ObservedNs) * 1e9))
	}
	byType := map[place]*sum{}
	for g, one := range s.groups {
		joined(byType, place{typ: g.typ, heap: g.heap}).join(one)
	}
	for at, one := range byType {
		totals.Types = append(totals.Types, s.row(at, one))
	}
	sortRows(totals.Types)
	return totals
}

// place is what a row is about.
type place struct {
	typ, site string
	heap      Heap
}

func joined(m map[place]*sum, at place) *sum {
	if m[at] == nil {
		m[at] = &sum{}
	}
	return m[at]
}

// rows makes the rows by type, heap and site.
func (s *source) rows(t *analysis.Trace, served *model.Served) []Row {
	type most struct {
		bytes float64
		stack []string
		place model.Place
	}
	sites, stacks := map[place]*sum{}, map[place]most{}
	owners, requests := s.sole.Find(served), map[place]*incoming.Request{}
	for g, one := range s.groups {
		frames := t.Frames(g.stack, one.ticks)
		stack := analysis.Names(frames)
		site := siteOf(frames)
		at := place{typ: g.typ, heap: g.heap}
		if site >= 0 {
			at.site = stack[site]
		}
		owner := owners[g]
		if owner.Count != one.events {
			owner.Request = nil
		}
		if sites[at] != nil && requests[at] != owner.Request {
			owner.Request = nil
		}
		requests[at] = owner.Request
		joined(sites, at).join(one)
		if before, ok := stacks[at]; !ok || cmp.Or(cmp.Compare(one.bytes, before.bytes), slices.Compare(stack, before.stack)) > 0 {
			stacks[at] = most{one.bytes, stack, t.PlaceOf(frames, site)}
		}
	}
	rows := make([]Row, 0, len(sites))
	for at, one := range sites {
		row := s.row(at, one)
		row.Stack, row.Place = stacks[at].stack, stacks[at].place
		if r := requests[at]; r != nil {
			row.Request = r.ID
		}
		rows = append(rows, row)
	}
	sortRows(rows)
	return rows
}

// coreLibrary is the module whose methods are not sites: what they allocate is
// what their callers ask for.
const coreLibrary = "System.Private.CoreLib"

// siteOf returns the index of the innermost method outside of the core library, or of the
// innermost one if all are in it; -1 without methods.
func siteOf(frames []symbols.Frame) int {
	site := -1
	for i, f := range frames {
		if f.Symbol == nil || f.Evidence == symbols.Native {
			continue
		}
		if f.Symbol.ModuleName() != coreLibrary {
			return i
		}
		if site < 0 {
			site = i
		}
	}
	return site
}

// row makes a row of a sum.
func (s *source) row(at place, one *sum) Row {
	row := Row{Type: symbols.TypeName(at.typ), Heap: at.heap, Site: at.site, Events: one.events, Bytes: whole(one.bytes)}
	variance := one.variance
	if s.name == Tick { // a row with all events of its heap has no error
		variance *= 1 - float64(one.events)/float64(s.heaps[at.heap].events)
	} else {
		row.Objects = analysis.Known(whole(one.objects))
	}
	if s.name != Objects {
		row.StandardErrorBytes = analysis.Known(whole(math.Sqrt(variance)))
	}
	if one.largest > 0 {
		row.LargestObjectBytes = analysis.Known(whole(float64(one.largest)))
	}
	return row
}

// sortRows sorts by bytes, most first.
func sortRows(rows []Row) {
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Heap, b.Heap), cmp.Compare(a.Site, b.Site))
	})
}

// whole rounds to an integer that fits.
func whole(x float64) int64 {
	if !(x < 1<<63) {
		return math.MaxInt64
	}
	return int64(math.Round(x))
}
