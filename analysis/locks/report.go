package locks

import (
	"strconv"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/internal/blocked"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/internal/blocking"
	"github.com/nettrace-go/nettrace/model"
)

// Row has the contentions of one stack, with those that are open at the end.
type Row struct {
	Method      string      `json:"method,omitempty"` // that takes the lock; "" if neither it nor a caller has a name
	Stack       []string    `json:"stack,omitempty"`  // from this method on, leaf first
	model.Place             // of the method
	Native      bool        `json:"native"`     // a lock of the runtime itself
	Count       int64       `json:"count"`      // waits
	Unfinished  int64       `json:"unfinished"` // of them, open at the end: times are those up to the end of the recording
	TotalNs     int64       `json:"totalNs"`    // their sum
	MeanNs      int64       `json:"meanNs"`     // TotalNs divided by Count
	MaxNs       int64       `json:"maxNs"`      // the longest
	Threads     int64       `json:"threads"`    // that waited
	Waiters     int64       `json:"waiters"`    // that waited for one lock at once
	Longest     *Contention `json:"longest"`    // the longest wait
	// Request is the id of the incoming request that all of the waits belong to.
	Request string `json:"request,omitempty"`
	// Holder is what held the lock in the longest wait, nil if it is not known.
	Holder *Holder `json:"holder,omitempty"`
}

// Table declares the rows.
var Table = analysis.Table[Row]{
	Fields: []analysis.Field[Row]{
		{Key: "method", Doc: "the method that takes the lock", Head: "method", Form: analysis.Method, Of: func(r *Row) any { return r.Method }, Show: func(r *Row) any { return analysis.Site{Method: r.Method, Stack: r.Stack, Place: r.Place} }},
		{Key: "stack", Doc: "from this method on, the innermost one first"},
		{Key: "file", Doc: "source file of the method", Of: func(r *Row) any { return r.File }},
		{Key: "line", Doc: "line in it, from 1", Of: func(r *Row) any { return r.Line }},
		{Key: "native", Doc: "a lock of the runtime itself", Of: func(r *Row) any { return r.Native }},
		{Key: "count", Doc: "number of waits", Head: "waits", Form: analysis.Grouped, Of: func(r *Row) any { return r.Count }, Show: func(r *Row) any { return analysis.Counted{Count: r.Count, Open: r.Unfinished} }},
		{Key: "unfinished", Doc: "of them, open at the end: times are those up to the end of the recording", Of: func(r *Row) any { return r.Unfinished }},
		{Key: "totalNs", Doc: "sum of the waits", Head: "total", Form: analysis.Million, Of: func(r *Row) any { return r.TotalNs }},
		{Key: "meanNs", Doc: "their mean", Head: "mean", Form: analysis.Million, Wide: true, Of: func(r *Row) any { return r.MeanNs }},
		{Key: "maxNs", Doc: "the longest", Head: "longest", Form: analysis.Million, Of: func(r *Row) any { return r.MaxNs }},
		{Key: "threads", Doc: "threads that waited", Head: "threads", Form: analysis.Grouped, Wide: true, Of: func(r *Row) any { return r.Threads }},
		{Key: "waiters", Doc: "threads that waited for one lock at once", Head: "at once", Form: analysis.Grouped, Wide: true, Of: func(r *Row) any { return r.Waiters }},
		{Key: "longest", Doc: "the longest wait", Head: "owner", Form: analysis.Method, Show: func(r *Row) any { return r.owner() }},
		{Key: "request", Doc: "id of the incoming request that all of the waits belong to", Of: func(r *Row) any { return r.Request }},
		{Key: "holder", Doc: "what held the lock in the longest wait"},
	},
	Text:    "count totalNs meanNs maxNs threads waiters method longest",
	Page:    "totalNs maxNs count method waiters meanNs threads",
	Samples: "lock",
	Longest: &analysis.Longest{Key: "maxNs", Name: "Longest wait for a lock", Why: []string{"method", "holder"}},
}

// Holder is the thread that holds a lock, and the method that holds it there.
type Holder struct {
	ThreadID    int64  `json:"threadId"`         // of the operating system
	Method      string `json:"method,omitempty"` // as Contention.Owner
	model.Place        // of the method
}

// Contention is a wait of a thread for a lock.
type Contention struct {
	ThreadID      int64           `json:"threadId"`               // of the operating system
	StartNs       int64           `json:"startNs"`                // ContentionStart, since the trace's sync time
	DurationNs    int64           `json:"durationNs"`             // of the wait
	Unfinished    bool            `json:"unfinished"`             // it is open at the end
	OwnerThreadID analysis.Number `json:"ownerThreadId,omitzero"` // that held the lock when the wait began
	OwnerUnknown  string          `json:"ownerUnknown,omitempty"` // why it is not known, if the event has it
	Owner         string          `json:"owner,omitempty"`        // the innermost method of the program in OwnerStack; that at the leaf if it has none
	OwnerStack    []string        `json:"ownerStack,omitempty"`   // of the owner's first sample in the wait, leaf first, without GC polls and the frames of a lock
	Object        string          `json:"object,omitempty"`       // hexadecimal address of the locked object at that time; since .NET 11 of the Lock that belongs to it
	Lock          string          `json:"lock,omitempty"`         // hexadecimal id of the lock, which the runtime uses again
	Request       string          `json:"request,omitempty"`      // id of the incoming request whose thread waits

	ownerPlace model.Place // of Owner
}

// report makes the report of a process after the last event.
func (p *process) report() analysis.Report {
	_, end := p.trace.Bounds(p.id)
	deadlocks := p.deadlocks(end)
	unfinished, unfinishedNs := p.close(end)
	groups := p.sums.Groups(p.trace, siteOf)
	rows := make([]Row, 0, len(groups))
	for i := range groups {
		if int64(len(rows)) == p.trace.Limits().Rows {
			break
		}
		rows = append(rows, p.row(&groups[i]))
	}
	totals := p.totals(rows)
	totals.Unfinished, totals.UnfinishedNs = unfinished, unfinishedNs
	totals.Count, totals.TotalNs = totals.Count+unfinished, totals.TotalNs+unfinishedNs
	totals.RowsLeftOut = int64(len(groups) - len(rows))
	totals.Deadlocks = deadlocks
	for i := range rows {
		if rows[i].Longest.OwnerUnknown != "" {
			totals.OwnersUnknown++
		}
	}
	r := analysis.NewReport(Name, p.id)
	r.Rows, r.Totals, r.Findings = rows, totals, findings(rows, totals)
	if !p.sampled {
		r.NotRecorded = append(r.NotRecorded, samples)
	}
	if totals.OwnersUnknown > 0 {
		r.NotRecorded = append(r.NotRecorded, threadIDs)
	}
	return r
}

// siteOf returns how many frames at the leaf of a stack are those of the lock.
func siteOf(frames []symbols.Frame, _ uint8) (library int, kind string) {
	return blocking.LockFrames(frames), ""
}

// Shares returns the contentions of the requests of a process, and how many are left out because of
// Limits.Rows; after Reports.
func (p *Part) Shares(process uint64) (list []model.Share, leftOut int64) {
	of := p.processes.Get(process)
	if of == nil {
		return nil, 0
	}
	list = of.sums.Shares(p.trace, siteOf)
	for i := range list {
		list[i].Cause = string(blocking.Lock)
	}
	return list, of.sums.SharesLeftOut()
}

// wait identifies a contention: its thread, and its start as in Contention.
type wait struct {
	thread  uint64
	startNs int64
}

// Holder returns what held the lock for which a thread waited from a time on, in nanoseconds since the sync time; nil if it is
// not known, and for a wait that is not the longest of its row. It is called after Reports.
func (p *Part) Holder(process, thread uint64, startNs int64) *Holder {
	of := p.processes.Get(process)
	if of == nil {
		return nil
	}
	return of.held[wait{thread, startNs}]
}

// close ends what is open at the end of the recording.
func (p *process) close(end uint64) (count, nanos int64) {
	for _, open := range p.open.Close(end) {
		c, one := open.Of, p.trace.Between(open.From, open.To)
		count, nanos = count+1, nanos+one
		p.add(c, one, true)
		if q := p.queues.open[c.on().key()]; q != nil {
			q.unfinished = true
		}
		p.queues.end(c, open.To, one)
	}
	return count, nanos
}

// row makes the row of a group.
func (p *process) row(g *blocked.Group[contention]) Row {
	row := Row{
		Method: g.Method(), Stack: g.Names, Place: g.Place, Native: g.Mark != 0, Count: g.Count, Unfinished: g.Unfinished,
		TotalNs: g.Total, MeanNs: g.Total / g.Count, MaxNs: g.Longest.Nanos, Threads: int64(len(g.Threads)), Waiters: g.Peak, Request: g.RequestID(),
	}
	row.Longest = p.contention(&g.Detail, g.Longest.Nanos, g.Longest.Unfinished)
	if thread, ok := row.Longest.OwnerThreadID.Get(); ok {
		row.Holder = &Holder{ThreadID: thread, Method: row.Longest.Owner, Place: row.Longest.ownerPlace}
		if p.held == nil {
			p.held = map[wait]*Holder{}
		}
		p.held[wait{g.Detail.thread.ID, row.Longest.StartNs}] = row.Holder
	}
	return row
}

// contention describes a wait.
func (p *process) contention(c *contention, nanos int64, unfinished bool) *Contention {
	one := &Contention{
		ThreadID: int64(c.thread.ID), StartNs: p.trace.Nanos(c.From), DurationNs: nanos, Unfinished: unfinished,
		Object: hexadecimal(c.Object), Lock: hexadecimal(c.Lock), Request: p.served.RequestID(c.owned()),
	}
	p.describeOwner(one, c.owner, c.From)
	return one
}

// hexadecimal returns an address, "" if it is unknown.
func hexadecimal(address uint64) string {
	if address == 0 {
		return ""
	}
	return "0x" + strconv.FormatUint(address, 16)
}

// owner returns the method that held the lock in the longest wait, "" if it is not known.
func (r *Row) owner() string {
	if r.Longest == nil {
		return ""
	}
	return r.Longest.Owner
}
