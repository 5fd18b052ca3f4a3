package async

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec/clr/async"
	"github.com/nettrace-go/nettrace/internal/blocking"
	"github.com/nettrace-go/nettrace/model"
	"github.com/nettrace-go/nettrace/model/logical"
)

// Row has the waits of one method.
type Row struct {
	Method      string          `json:"method,omitzero"` // "" if the trace has no names
	Await       analysis.Number `json:"await,omitzero"`  // number of the await of a state machine, from 0
	Waits       int64           `json:"waits"`           // their number
	SuspendedNs int64           `json:"suspendedNs"`     // their sum
	MaxNs       int64           `json:"maxNs"`           // the longest
}

// Table declares the rows.
var Table = analysis.Table[Row]{
	Fields: []analysis.Field[Row]{
		{Key: "method", Doc: "the innermost method of the program in the chain", Head: "method", Form: analysis.Method, Of: func(r *Row) any { return r.Method }},
		{Key: "await", Doc: "number of the await in the method, of state machines", Head: "await", Form: analysis.Grouped, Of: func(r *Row) any { return r.Await }},
		{Key: "waits", Doc: "number of waits", Head: "waits", Form: analysis.Grouped, Of: func(r *Row) any { return r.Waits }},
		{Key: "suspendedNs", Doc: "their sum", Head: "total ms", Form: analysis.Million, Of: func(r *Row) any { return r.SuspendedNs }},
		{Key: "maxNs", Doc: "the longest", Head: "max ms", Form: analysis.Million, Of: func(r *Row) any { return r.MaxNs }},
	},
	Text: "waits suspendedNs maxNs await method",
	Page: "method await waits suspendedNs maxNs",
}

// Wait is one wait.
type Wait struct {
	Dispatcher  string   `json:"dispatcher,omitempty"` // its number, of the async profiler
	Task        string   `json:"task,omitempty"`       // id of the task of the method, of the task library
	Outer       bool     `json:"outer,omitempty"`      // the method waits for another one that has a wait
	Method      string   `json:"method,omitempty"`     // as in Row
	ThreadID    uint64   `json:"threadId"`             // the operating system's id of the thread that resumed it
	BeginTicks  string   `json:"beginTicks"`           // of the creation or suspension
	EndTicks    string   `json:"endTicks"`             // of the resumption
	SuspendedNs int64    `json:"suspendedNs"`          // from one to the other
	Frames      []string `json:"frames,omitempty"`     // what waits, innermost first
}

// Totals sums up the waits. Those marked Outer are not in the sums.
type Totals struct {
	Source       string          `json:"source"`              // async-profiler or tpl
	Waits        int64           `json:"waits"`               // that the records cover
	SuspendedNs  int64           `json:"suspendedNs"`         // the sum of the waits
	WaitsLeftOut int64           `json:"waitsLeftOut"`        // not in the list of waits because of the limit
	Lost         int64           `json:"lost"`                // events of any kind that the trace lost: records may be among them
	OuterWaits   analysis.Number `json:"outerWaits,omitzero"` // tpl: waits that are marked Outer
	Ambiguous    analysis.Number `json:"ambiguous,omitzero"`  // tpl: waits whose end is not known, because several methods awaited one task
	Open         analysis.Number `json:"open,omitzero"`       // tpl: waits without an end in the trace
	Longest      []Wait          `json:"longest,omitempty"`   // waits, the longest first; not those marked Outer
	*Dispatchers                 // async-profiler; otherwise nil
}

// Dispatchers sums up what the async profiler records. A dispatcher runs one chain of runtime-async
// methods, or one run of the innermost method of a chain of state machines.
type Dispatchers struct {
	Dispatchers    int64 `json:"dispatchers"`    // with a record
	Whole          int64 `json:"whole"`          // those with records from their creation to their completion
	WholeNs        int64 `json:"wholeNs"`        // from their creations to their completions: the sum of the next two
	WholeRunningNs int64 `json:"wholeRunningNs"` // in which threads ran them
	WholeWaitingNs int64 `json:"wholeWaitingNs"` // in which they waited
	NotCompleted   int64 `json:"notCompleted"`   // created without a record of their end: they wait, run, or their last records are lost
	BeganBefore    int64 `json:"beganBefore"`    // created before the records
	RunningNs      int64 `json:"runningNs"`      // of all
	DeepestFrames  int64 `json:"deepestFrames"`  // of the longest chain; the runtime keeps 255
	// Waiting are the dispatchers that were created or suspended and neither resumed nor completed
	// in the records, by what waits, the earliest first. Records can be missing at the end.
	Waiting []Waiting `json:"waiting,omitempty"`
	Deepest []string  `json:"deepest,omitempty"` // frames of the longest chain, innermost first

	Buffers int64 `json:"buffers"` // events of the async profiler
	Records int64 `json:"records"` // in them
	Faults  int64 `json:"faults"`  // buffers that cannot be read to their end
}

// chains are the records of the async profiler about a process.
type chains struct {
	id  uint64
	log *logical.Log
	all *model.Chains
}

// Waiting is what dispatchers with equal frames waited for when the records ended.
type Waiting struct {
	Method      string   `json:"method,omitempty"` // as in Row; "" for what waits to run for the first time
	Dispatchers int64    `json:"dispatchers"`      // their number
	SinceNs     int64    `json:"sinceNs"`          // when the first of them began to wait, since the sync time
	Frames      []string `json:"frames,omitempty"` // innermost first
}

// most is the number of waits in Totals.Longest, and of entries in Dispatchers.Waiting.
const most = 10

// report makes the report.
func (p *chains) report(t *analysis.Trace) analysis.Report {
	report := analysis.NewReport(Name, p.id)
	tracker := p.all.Tracker(p.id)
	totals := &Totals{Source: logical.ProfilerSource, Lost: int64(t.Lost), Dispatchers: &Dispatchers{Buffers: p.log.Buffers, Records: p.log.Records, Faults: p.log.Faults}}
	n := namer{of: p, known: map[uint64]named{}, lists: map[logical.ListID]names{}}
	p.sum(t, tracker, totals, &n)
	rows, waits := p.waits(t, tracker, totals, &n)
	report.Rows, report.Totals, report.Waits = rows, totals, waits
	return report
}

// sum adds up the dispatchers.
func (p *chains) sum(t *analysis.Trace, tracker *logical.Tracker, totals *Totals, n *namer) {
	waiting, deepest := map[logical.ListID]*Waiting{}, logical.ListID(0)
	_, end := t.Bounds(p.id)
	for l := range tracker.Lives() {
		totals.Dispatchers.Dispatchers++
		running := t.Between(t.Start, t.Start+l.Running)
		totals.RunningNs += running
		if depth := int64(len(tracker.List(l.Deepest))); depth > totals.DeepestFrames {
			totals.DeepestFrames, deepest = depth, l.Deepest
		}
		if l.Since != 0 {
			one := waiting[l.Last]
			if one == nil {
				of := n.list(tracker, l.Last, l.Since)
				one = &Waiting{Method: of.method, Frames: of.frames, SinceNs: t.Nanos(l.Since)}
				waiting[l.Last] = one
			}
			one.Dispatchers++
			one.SinceNs = min(one.SinceNs, t.Nanos(l.Since))
		}
		switch {
		case l.Whole:
			totals.Whole++
			totals.WholeRunningNs += running
			totals.WholeWaitingNs += t.Between(t.Start, t.Start+l.Waiting)
			totals.WholeNs += t.Between(l.Created, l.Completed)
		case l.Created == 0:
			totals.BeganBefore++
		}
		if l.Created != 0 && l.Completed == 0 {
			totals.NotCompleted++
		}
	}
	totals.Dispatchers.Deepest = n.list(tracker, deepest, end).frames
	for _, one := range waiting {
		totals.Dispatchers.Waiting = append(totals.Dispatchers.Waiting, *one)
	}
	slices.SortFunc(totals.Dispatchers.Waiting, func(a, b Waiting) int {
		return cmp.Or(cmp.Compare(a.SinceNs, b.SinceNs), cmp.Compare(b.Dispatchers, a.Dispatchers), slices.Compare(a.Frames, b.Frames))
	})
	totals.Dispatchers.Waiting = totals.Dispatchers.Waiting[:min(most, len(totals.Dispatchers.Waiting))]
}

// place is what a row is about.
type place struct {
	method string
	await  int64
	known  bool
}

// rows collects the rows and the waits.
type rows struct {
	t      *analysis.Trace
	totals *Totals
	index  map[place]int
	rows   []Row
	waits  []Wait
}

func newRows(t *analysis.Trace, totals *Totals) *rows {
	return &rows{t: t, totals: totals, index: map[place]int{}, rows: []Row{}, waits: []Wait{}}
}

// add adds a wait from begin to end, in ticks.
func (r *rows) add(at place, begin, end uint64, w Wait) {
	w.Method, w.BeginTicks, w.EndTicks = at.method, strconv.FormatUint(begin, 10), strconv.FormatUint(end, 10)
	w.SuspendedNs = r.t.Between(begin, end)
	if !w.Outer {
		r.count(at, w.SuspendedNs)
	}
	if int64(len(r.waits)) >= r.t.Limits().Rows {
		r.totals.WaitsLeftOut++
		return
	}
	r.waits = append(r.waits, w)
}

// longest returns the longest waits.
func (r *rows) longest() []Wait {
	var list []Wait
	for i := range r.waits {
		w := &r.waits[i]
		if !w.Outer && (len(list) < most || w.SuspendedNs > list[len(list)-1].SuspendedNs) {
			at, _ := slices.BinarySearchFunc(list, w.SuspendedNs, func(have Wait, ns int64) int { return -cmp.Compare(have.SuspendedNs, ns) })
			for at < len(list) && list[at].SuspendedNs == w.SuspendedNs {
				at++
			}
			list = slices.Insert(list, at, *w)
			list = list[:min(most, len(list))]
		}
	}
	return list
}

// count adds a wait to its row and to the sums.
func (r *rows) count(at place, nanos int64) {
	r.totals.Waits++
	r.totals.SuspendedNs += nanos
	i, ok := r.index[at]
	if !ok {
		i = len(r.rows)
		r.index[at] = i
		row := Row{Method: at.method}
		if at.known {
			row.Await = analysis.Known(at.await)
		}
		r.rows = append(r.rows, row)
	}
	row := &r.rows[i]
	row.Waits++
	row.SuspendedNs += nanos
	row.MaxNs = max(row.MaxNs, nanos)
}

// sorted returns the rows, the longest sum first, and puts the longest waits into the totals.
func (r *rows) sorted() []Row {
	r.totals.Longest = r.longest()
	slices.SortStableFunc(r.rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.SuspendedNs, a.SuspendedNs), cmp.Compare(a.Method, b.Method))
	})
	return r.rows
}

// waits makes the rows and the list of waits, by dispatcher.
func (p *chains) waits(t *analysis.Trace, tracker *logical.Tracker, totals *Totals, names *namer) ([]Row, []Wait) {
	r := newRows(t, totals)
	for pause := range tracker.Pauses() {
		of := names.list(tracker, pause.List, pause.Begin)
		at := place{method: of.method}
		if pause.Kind == async.Machine && of.method != "" {
			at.await, at.known = int64(of.await), true
		}
		r.add(at, pause.Begin, pause.End, Wait{Dispatcher: strconv.FormatUint(pause.Dispatcher, 10), ThreadID: pause.Thread, Frames: of.frames})
	}
	return r.sorted(), r.waits
}

// names are those of a list of frames.
type names struct {
	method string // see Row
	await  int32  // of it
	frames []string
}

// named is the name of an address.
type named struct {
	text string
	own  bool // of the program
	ok   bool // it has a name
}

// namer names frames.
type namer struct {
	of    *chains
	known map[uint64]named
	lists map[logical.ListID]names
}

// list names the frames of a list at a time.
func (n *namer) list(tracker *logical.Tracker, id logical.ListID, ticks uint64) names {
	of, ok := n.lists[id]
	if ok {
		return of
	}
	own := false
	for _, f := range tracker.List(id) {
		if f.Address == 0 {
			continue
		}
		one := n.name(f.Address, ticks)
		if one.ok && (of.method == "" || one.own && !own) {
			of.method, of.await = one.text, f.State
		}
		own = own || one.own
		of.frames = append(of.frames, one.text)
	}
	n.lists[id] = of
	return of
}

// name names an address.
func (n *namer) name(address, ticks uint64) named {
	one, ok := n.known[address]
	if ok {
		return one
	}
	one.text = "0x" + strconv.FormatUint(address, 16)
	if f := n.of.all.Frame(n.of.id, address, ticks); f.Symbol != nil {
		one = named{f.Name(), !blocking.IsFramework(f.Symbol, f.Symbol.ModuleName()), true}
	}
	n.known[address] = one
	return one
}
