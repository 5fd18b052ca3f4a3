package spans

import (
	"cmp"
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/model"
)

// Row has the spans of one name and key.
type Row struct {
	Provider string     `json:"provider"`      // the event source
	Name     string     `json:"name"`          // of the events, without Start and Stop
	Key      string     `json:"key,omitempty"` // the values of the start's fields that name the spans
	Joined   model.Join `json:"joined"`        // the weakest evidence of a pair in the row
	Count    int64      `json:"count"`         // their number
	TotalNs  int64      `json:"totalNs"`       // the sum of the lengths: those within each other count twice
	MaxNs    int64      `json:"maxNs"`         // the longest
	// SelfNs is TotalNs without the spans within these, on the same thread or of an activity that
	// they began.
	SelfNs  int64   `json:"selfNs"`
	Longest Longest `json:"longest"` // where it is
	// Exceptions is the number of exceptions thrown on the thread of a span that begins and ends
	// on one thread, in that time. Unknown if none was recorded, or if no span of the row is of one thread.
	Exceptions analysis.Number `json:"exceptions,omitzero"`
	// WaitNs is the time in which that thread waited, for a handle or for a contended lock.
	WaitNs analysis.Number `json:"waitNs,omitzero"`
	// CPUNs is the processor time of that thread, by samples: see AddCPU.
	CPUNs analysis.Number `json:"cpuNs,omitzero"`
}

// Table declares the rows.
var Table = analysis.Table[Row]{
	Fields: []analysis.Field[Row]{
		{Key: "provider", Doc: "name of the event source", Head: "provider", Form: analysis.Cut, Wide: true, Blank: true, Of: func(r *Row) any { return r.Provider }},
		{Key: "name", Doc: "of the events, without Start and Stop", Head: "name", Blank: true, Of: func(r *Row) any { return r.Name }},
		{Key: "key", Doc: "values of the start's fields that name the spans", Head: "key", Form: analysis.Cut, Of: func(r *Row) any { return r.Key }},
		{Key: "joined", Doc: "activity, key or nesting: why a start and a stop belong together, the weakest reason of the row", Head: "joined", Wide: true, Blank: true, Of: func(r *Row) any { return r.Joined.String() }},
		{Key: "count", Doc: "number of spans", Head: "count", Form: analysis.Grouped, Of: func(r *Row) any { return r.Count }},
		{Key: "totalNs", Doc: "sum of the lengths: those within each other count twice", Head: "total", Form: analysis.Million, Of: func(r *Row) any { return r.TotalNs }},
		{Key: "maxNs", Doc: "the longest", Head: "max", Form: analysis.Million, Of: func(r *Row) any { return r.MaxNs }},
		{Key: "selfNs", Doc: "the sum without the spans within these", Head: "self", Form: analysis.Million, Of: func(r *Row) any { return r.SelfNs }},
		{Key: "longest", Doc: "where the longest one is"},
		{Key: "exceptions", Doc: "thrown on the threads of the spans in their times", Head: "exceptions", Wide: true, Of: func(r *Row) any { return r.Exceptions }},
		{Key: "waitNs", Doc: "time in which these threads waited", Head: "wait", Form: analysis.Million, Wide: true, Of: func(r *Row) any { return r.WaitNs }},
		{Key: "cpuNs", Doc: "processor time of these threads, by samples", Head: "cpu", Form: analysis.Million, Wide: true, Of: func(r *Row) any { return r.CPUNs }},
	},
	Text: "count totalNs selfNs maxNs cpuNs waitNs exceptions joined name key provider",
	Page: "provider name key joined count totalNs maxNs selfNs longest exceptions waitNs cpuNs",
}

// Longest is the longest span of a row.
type Longest struct {
	ThreadID   uint64 `json:"threadId"`   // of the start
	StartNs    int64  `json:"startNs"`    // since the sync time
	DurationNs int64  `json:"durationNs"` // its length
}

// Totals counts the starts and stops.
type Totals struct {
	// Pairs is the number of spans in the rows.
	Pairs       int64 `json:"pairs"`
	Ambiguous   int64 `json:"ambiguous"`   // stops of one of several spans: it is unknown of which
	Unfinished  int64 `json:"unfinished"`  // starts without a stop
	BeganBefore int64 `json:"beganBefore"` // stops without a start
	LeftOut     int64 `json:"leftOut"`     // starts and stops left out because of the limit
	// InsideLeftOut is the number of exceptions and waits left out because of the limit.
	InsideLeftOut int64 `json:"insideLeftOut"`
	// Sampler is that of CPUNs, "" without it.
	Sampler string `json:"sampler,omitempty"`
	// Intervals are the spans in the order of their starts. JSON does not have them.
	Intervals []Interval `json:"-"`
}

// Interval is one span.
type Interval struct {
	Provider      string          // as in Row
	Name          string          // as in Row
	Key           string          // as in Row
	Joined        model.Join      // why its start and stop belong together
	StartThreadID uint64          // the operating system's id of the thread of the start
	StopThreadID  uint64          // of the stop
	StartNs       int64           // since the sync time
	DurationNs    int64           // from the start to the stop
	SelfNs        int64           // as in Row
	Exceptions    analysis.Number // as in Row
	WaitNs        analysis.Number // as in Row
	CPUNs         analysis.Number // as in Row
	StartTicks    uint64          // of the start
	StopTicks     uint64          // of the stop
}

// report makes the report of a process.
func (p *Part) report(t *analysis.Trace, process uint64, counts *model.SpanCounts) analysis.Report {
	report := analysis.NewReport(Name, process)
	list := p.spans.Of(process)
	intervals := p.intervals(t, list)
	report.Totals = &Totals{
		Pairs: int64(len(list)), Ambiguous: counts.Ambiguous, Unfinished: counts.Unfinished, BeganBefore: counts.BeganBefore, LeftOut: counts.LeftOut,
		InsideLeftOut: p.leftOut, Intervals: intervals,
	}
	report.Rows = rows(intervals)
	return report
}

// intervals measures spans.
func (p *Part) intervals(t *analysis.Trace, list []model.Span) []Interval {
	self, intervals := selfTimes(t, list), make([]Interval, len(list))
	for i := range list {
		s := &list[i]
		intervals[i] = Interval{
			Provider: s.Provider, Name: s.Name, Key: s.Key, Joined: s.Joined, StartThreadID: s.Start.Thread, StopThreadID: s.Stop.Thread,
			StartNs: t.Nanos(s.Start.Ticks), DurationNs: t.Between(s.Start.Ticks, s.Stop.Ticks), SelfNs: self[i],
			StartTicks: s.Start.Ticks, StopTicks: s.Stop.Ticks,
		}
		if s.Start.Thread == s.Stop.Thread {
			p.measure(t, &intervals[i], s)
		}
	}
	return intervals
}

// measure adds what happened in a span on its thread.
func (p *Part) measure(t *analysis.Trace, i *Interval, s *model.Span) {
	exceptions, waitNs := int64(0), int64(0)
	list := p.inside[analysis.Thread{Process: s.Process, ID: s.Start.Thread}]
	first, _ := slices.BinarySearchFunc(list, s.Start.Ticks, func(one inside, ticks uint64) int { return cmp.Compare(one.to, ticks) })
	for _, one := range list[first:] {
		if one.from > s.Stop.Ticks {
			break
		}
		if one.exception {
			exceptions++
			continue
		}
		waitNs += t.Between(max(one.from, s.Start.Ticks), min(one.to, s.Stop.Ticks))
	}
	if p.throws {
		i.Exceptions = analysis.Known(exceptions)
	}
	if p.waits {
		i.WaitNs = analysis.Known(waitNs)
	}
}

// rowID identifies a row.
type rowID struct{ provider, name, key string }

// rows makes the rows, the longest sum first.
func rows(list []Interval) []Row {
	index, rows := map[rowID]int{}, []Row{}
	for i := range list {
		s := &list[i]
		id := rowID{s.Provider, s.Name, s.Key}
		n, ok := index[id]
		if !ok {
			n = len(rows)
			index[id] = n
			rows = append(rows, Row{Provider: s.Provider, Name: s.Name, Key: s.Key, Joined: s.Joined})
		}
		row := &rows[n]
		row.Count++
		row.TotalNs += s.DurationNs
		row.SelfNs += s.SelfNs
		row.Joined = min(row.Joined, s.Joined)
		if row.Count == 1 || s.DurationNs > row.MaxNs {
			row.MaxNs = s.DurationNs
			row.Longest = Longest{ThreadID: s.StartThreadID, StartNs: s.StartNs, DurationNs: s.DurationNs}
		}
		if n, ok := s.Exceptions.Get(); ok {
			row.Exceptions = row.Exceptions.Add(n)
		}
		if n, ok := s.WaitNs.Get(); ok {
			row.WaitNs = row.WaitNs.Add(n)
		}
		if n, ok := s.CPUNs.Get(); ok {
			row.CPUNs = row.CPUNs.Add(n)
		}
	}
	slices.SortStableFunc(rows, func(a, b Row) int { return cmp.Compare(b.TotalNs, a.TotalNs) })
	return rows
}

// selfTimes returns the times of spans without those of the spans directly within them.
func selfTimes(t *analysis.Trace, list []model.Span) []int64 {
	within := make([][]analysis.Interval, len(list))
	add := func(parent, child int) {
		a, b := &list[parent], &list[child]
		if from, to := max(a.Start.Ticks, b.Start.Ticks), min(a.Stop.Ticks, b.Stop.Ticks); to > from {
			within[parent] = append(within[parent], analysis.Interval{From: from, To: to})
		}
	}
	threads, activities := map[uint64][]int{}, map[wire.GUID]int{}
	for i := range list {
		s := &list[i]
		if parent, ok := activities[s.Parent]; ok && parent >= 0 && list[parent].Stop.Ticks > s.Start.Ticks {
			add(parent, i)
		}
		if id := s.Start.Activity; id != (wire.GUID{}) {
			before, known := activities[id]
			activities[id] = i
			if known && (before < 0 || list[before].Stop.Ticks > s.Start.Ticks) {
				activities[id] = -1 // the runtime gives several activities one id
			}
		}
		if s.Start.Thread != s.Stop.Thread {
			continue
		}
		open := threads[s.Start.Thread]
		for len(open) > 0 && list[open[len(open)-1]].Stop.Ticks <= s.Start.Ticks {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			add(open[len(open)-1], i)
		}
		threads[s.Start.Thread] = append(open, i)
	}
	self := make([]int64, len(list))
	for i := range list {
		self[i] = t.Between(list[i].Start.Ticks, list[i].Stop.Ticks) - t.Union(within[i])
	}
	return self
}
