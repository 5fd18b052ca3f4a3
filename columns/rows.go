package columns

import (
	"cmp"
	"math"
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/gc"
	"github.com/nettrace-go/nettrace/analysis/requests"
	"github.com/nettrace-go/nettrace/analysis/spans"
	"github.com/nettrace-go/nettrace/profile"
)

// known returns the value of a Number, nil if it is unknown.
func known(n analysis.Number) any {
	if value, ok := n.Get(); ok {
		return value
	}
	return nil
}

// unlessEmpty returns a text, nil for the empty one.
func unlessEmpty(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// unlessZero returns a number, nil for 0.
func unlessZero(n uint64) any {
	if n == 0 {
		return nil
	}
	return int64(n)
}

// file is the row of the table files.
type file struct {
	name         string
	trace        *analysis.Trace
	sync, events int64
}

// process returns the id of the process in the header, nil for none.
func (f *file) process() any {
	id, _ := f.trace.Header.ProcessID()
	return unlessZero(id)
}

func fileRows(t *Trace) []file {
	return []file{{t.opt.Name, t.analysis, syncNs(t.analysis.Header), int64(t.events.rows)}}
}

// thread is a row of the table threads.
type thread struct {
	profile.Thread
	process    string
	notSampled int64
}

func threadRows(t *Trace) []thread {
	var list []thread
	for i, one := range t.profile.Threads() {
		list = append(list, thread{one, t.profile.Process(one.ProcessID).Name, t.profile.NotSampled(i)})
	}
	return list
}

// typeRow is a row of the table event_types.
type typeRow struct {
	*eventType
	table string // "" for a type whose table is left out
}

func typeRows(t *Trace) []typeRow {
	list := make([]typeRow, len(t.events.types.list))
	for i, one := range t.events.types.list {
		list[i].eventType = one
		if t.described == nil { // the column table_name is not used
			continue
		}
		if table := t.described.known[newEventName(one.provider, one.name, one.id)]; table != nil {
			list[i].table = table.Name
		}
	}
	return list
}

// provider is a row of the table providers.
type provider struct {
	id, events int64
	name       string
}

// providers returns the providers of the events.
func (e *eventColumns) providers() []provider {
	list := make([]provider, len(e.types.providers.list))
	for i, name := range e.types.providers.list {
		list[i] = provider{id: int64(i) + 1, name: name}
	}
	for _, t := range e.types.list {
		list[t.providerAt].events += t.events
	}
	return list
}

// opcodeValue returns the opcode, nil for none.
func (t *eventType) opcodeValue() any {
	if t.hasOpcode == 0 {
		return nil
	}
	return int64(t.opcode)
}

// frame is a row of the table frames.
type frame struct {
	id int64
	place
}

func (t *stackTree) frameRows() []frame {
	list := make([]frame, len(t.places.list))
	for i, p := range t.places.list {
		list[i] = frame{int64(i) + 1, p}
	}
	return list
}

// function is a row of the table functions.
type function struct {
	id int64
	*profile.Function
}

func (t *stackTree) functionRows() []function {
	list := make([]function, len(t.about))
	for i, f := range t.about {
		list[i] = function{int64(i) + 1, f}
	}
	return list
}

// collection is a row of the table gc.
type collection struct {
	gc.Row
	process analysis.Number
	sync    int64
}

func gcRows(t *Trace) []collection {
	list := rowsOf(t.gc, func(row gc.Row, process analysis.Number) collection { return collection{row, process, t.sync()} })
	slices.SortStableFunc(list, func(a, b collection) int { return cmp.Compare(a.StartNs, b.StartNs) })
	return list
}

// rowsOf returns the rows of the reports of all processes.
func rowsOf[R, T any](reports []analysis.Report, of func(R, analysis.Number) T) []T {
	var list []T
	for _, report := range reports {
		rows, _ := report.Rows.([]R)
		for _, row := range rows {
			list = append(list, of(row, report.ProcessID))
		}
	}
	return list
}

// request is a row of the table requests.
type request struct {
	requests.Row
	process analysis.Number
	sync    int64
	at      int64 // its start; of one without it that of the first request
}

func requestRows(t *Trace) []request {
	list := rowsOf(t.requests, func(row requests.Row, process analysis.Number) request {
		return request{row, process, t.sync(), row.StartNs.Or(math.MaxInt64)}
	})
	first := int64(math.MaxInt64)
	for i := range list {
		first = min(first, list[i].at)
	}
	if first == math.MaxInt64 {
		first = 0
	}
	for i := range list {
		if list[i].StartNs.IsZero() {
			list[i].at = first
		}
	}
	slices.SortStableFunc(list, func(a, b request) int { return cmp.Compare(a.at, b.at) })
	return list
}

// work is a row of the table request_parts.
type work struct {
	requests.Work
	request *request
}

// requestWait is a row of the table request_waits.
type requestWait struct {
	requests.Wait
	request *request
}

// ofRequests returns the rows that requests have of something, in the order of their times.
func ofRequests[R, E any](t *Trace, of func(r *request) []E, row func(r *request, e E) R, at func(R) int64) []R {
	var list []R
	all := requestRows(t)
	for i := range all {
		for _, one := range of(&all[i]) {
			list = append(list, row(&all[i], one))
		}
	}
	slices.SortStableFunc(list, func(a, b R) int { return cmp.Compare(at(a), at(b)) })
	return list
}

func workRows(t *Trace) []work {
	return ofRequests(t, func(r *request) []requests.Work { return r.Parts },
		func(r *request, w requests.Work) work { return work{w, r} }, func(w work) int64 { return w.BeginNs })
}

func requestWaitRows(t *Trace) []requestWait {
	return ofRequests(t, func(r *request) []requests.Wait { return r.Waits },
		func(r *request, w requests.Wait) requestWait { return requestWait{w, r} }, func(w requestWait) int64 { return w.BeginNs })
}

// span is a row of the table spans.
type span struct {
	spans.Interval
	process analysis.Number
	sync    int64
}

func spanRows(t *Trace) []span {
	var list []span
	for _, report := range t.spans {
		if totals, ok := report.Totals.(*spans.Totals); ok {
			for _, one := range totals.Intervals {
				list = append(list, span{one, report.ProcessID, t.sync()})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b span) int { return cmp.Compare(a.StartNs, b.StartNs) })
	return list
}

func counterRows(t *Trace) []counterValue {
	var list []counterValue
	for _, line := range t.counters.Timelines() {
		for i, value := range line.Values {
			list = append(list, counterValue{line, line.At[i], t.sync(), value})
		}
	}
	slices.SortStableFunc(list, func(a, b counterValue) int { return cmp.Compare(a.at, b.at) })
	return list
}

// loss is a row of the table lost.
type loss struct {
	analysis.Loss
	from, to, sync int64
}

func lossRows(t *Trace) []loss {
	var list []loss
	for _, one := range t.analysis.Losses {
		list = append(list, loss{one, t.analysis.Nanos(one.From), t.analysis.Nanos(one.To), t.sync()})
	}
	slices.SortStableFunc(list, func(a, b loss) int { return cmp.Compare(a.from, b.from) })
	return list
}
