package gc

import (
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
)

// Row is a collection, or a pause without one. Unknown Numbers are not in JSON.
type Row struct {
	Number     analysis.Number `json:"number,omitzero"`     // the runtime counts collections from 1
	Generation analysis.Number `json:"generation,omitzero"` // the highest one that was collected
	Reason     string          `json:"reason,omitempty"`    // as in the runtime's enumeration: "AllocSmall"
	Type       Type            `json:"type"`                // Blocking, Background, ...
	Induced    bool            `json:"induced"`             // the program asked for it
	InducedBy  string          `json:"inducedBy,omitempty"` // the method that asked for an induced collection
	Stack      []string        `json:"stack,omitempty"`     // of that call, leaf first
	Unfinished bool            `json:"unfinished"`          // the end is not in the trace: times are those up to the end of the recording

	StartNs      int64           `json:"startNs"`               // GCStart, since the trace's sync time
	SuspensionNs analysis.Number `json:"suspensionNs,omitzero"` // part of PauseNs until all threads were stopped
	PauseStartNs analysis.Number `json:"pauseStartNs,omitzero"` // start of the first pause, since the trace's sync time
	PauseNs      analysis.Number `json:"pauseNs,omitzero"`      // sum of the pauses
	ResumeNs     analysis.Number `json:"resumeNs,omitzero"`     // part of PauseNs in which threads were woken
	DurationNs   analysis.Number `json:"durationNs,omitzero"`   // GCStart to GCEnd
	Pauses       []Pause         `json:"pauses,omitempty"`      // if there are several

	HeapBeforeBytes    analysis.Number `json:"heapBeforeBytes,omitzero"`    // size of the heap before the collection
	HeapAfterBytes     analysis.Number `json:"heapAfterBytes,omitzero"`     // size of the heap after the collection
	PromotedBytes      analysis.Number `json:"promotedBytes,omitzero"`      // size of the objects that survived
	FragmentationBytes analysis.Number `json:"fragmentationBytes,omitzero"` // free space between objects after the collection
	// PinnedObjects is the number of objects that the collection could not move, and
	// PinnedBytes their size: known if the trace has PinObjectAtGCTime events.
	PinnedObjects analysis.Number `json:"pinnedObjects,omitzero"`
	PinnedBytes   analysis.Number `json:"pinnedBytes,omitzero"` // see PinnedObjects
	// AllocatedBytes is an estimate of what was allocated since the collection
	// before. It can be negative. If the trace has no AllocationTick events, that of
	// a background collection and those of server GC are unknown.
	AllocatedBytes      analysis.Number `json:"allocatedBytes,omitzero"`
	AllocationTickBytes analysis.Number `json:"allocationTickBytes,omitzero"` // of the AllocationTick events since the start of the collection before
	Generations         []Generation    `json:"generations,omitempty"`        // gen0, gen1, gen2, large, pinned
}

// Table declares the rows.
var Table = analysis.Table[Row]{
	Fields: []analysis.Field[Row]{
		{Key: "number", Doc: "number of the collection since the process started, from 1; a pause without a collection can have one too", Head: "number", Of: func(r *Row) any { return r.Number }},
		{Key: "generation", Doc: "the highest one that was collected", Head: "gen", Of: func(r *Row) any { return r.Generation }},
		{Key: "reason", Doc: "as in the runtime's enumeration", Head: "reason", Form: analysis.Cut, Blank: true, Of: func(r *Row) any { return r.Reason }},
		{Key: "type", Doc: "blocking, background, backgroundRanBlocking, foreground or pauseWithoutCollection", Head: "type", Form: analysis.Cut, Blank: true, Of: func(r *Row) any { return string(r.Type) }, Show: func(r *Row) any { return r.typeText() }},
		{Key: "induced", Doc: "the program asked for it", Of: func(r *Row) any { return r.Induced }},
		{Key: "inducedBy", Doc: "the method that asked for an induced collection", Head: "induced by", Form: analysis.Method, Blank: true, Of: func(r *Row) any { return r.InducedBy }},
		{Key: "stack", Doc: "of that call, the innermost method first"},
		{Key: "unfinished", Doc: "the end is not in the trace", Of: func(r *Row) any { return r.Unfinished }},
		{Key: "startNs", Doc: "start of the collection", Head: "start s", Form: analysis.Seconds, Of: func(r *Row) any { return r.StartNs }},
		{Key: "suspensionNs", Doc: "part of pause_ns until all threads were stopped", Head: "suspend", Form: analysis.Million, Wide: true, Of: func(r *Row) any { return r.SuspensionNs }},
		{Key: "pauseStartNs", Doc: "start of the first pause", Of: func(r *Row) any { return r.PauseStartNs }},
		{Key: "pauseNs", Doc: "sum of the pauses", Head: "pause", Form: analysis.Million, Of: func(r *Row) any { return r.PauseNs }},
		{Key: "resumeNs", Doc: "part of the pause in which threads were woken", Head: "resume", Form: analysis.Million, Wide: true, Of: func(r *Row) any { return r.ResumeNs }},
		{Key: "durationNs", Doc: "from the start to the end of the collection", Head: "duration", Form: analysis.Million, Of: func(r *Row) any { return r.DurationNs }},
		{Key: "pauses", Doc: "each pause, if there are several"},
		{Key: "heapBeforeBytes", Doc: "size of the heap before", Head: "before", Form: analysis.Million, Wide: true, Of: func(r *Row) any { return r.HeapBeforeBytes }},
		{Key: "heapAfterBytes", Doc: "size of the heap after", Head: "after", Form: analysis.Million, Of: func(r *Row) any { return r.HeapAfterBytes }},
		{Key: "promotedBytes", Doc: "size of the objects that survived", Head: "promoted", Form: analysis.Million, Wide: true, Of: func(r *Row) any { return r.PromotedBytes }},
		{Key: "fragmentationBytes", Doc: "free space between objects after", Head: "free", Form: analysis.Million, Wide: true, Of: func(r *Row) any { return r.FragmentationBytes }},
		{Key: "pinnedObjects", Doc: "objects that could not be moved", Head: "pinned", Wide: true, Of: func(r *Row) any { return r.PinnedObjects }},
		{Key: "pinnedBytes", Doc: "size of these objects", Of: func(r *Row) any { return r.PinnedBytes }},
		{Key: "allocatedBytes", Doc: "estimate of what was allocated since the collection before", Head: "alloc", Form: analysis.Million, Wide: true, Of: func(r *Row) any { return r.AllocatedBytes }},
		{Key: "allocationTickBytes", Doc: "of the AllocationTick events since the start of the collection before", Of: func(r *Row) any { return r.AllocationTickBytes }},
		{Key: "generations", Doc: "sizes of gen0, gen1, gen2, large and pinned"},
	},
	Text:    "number generation type reason startNs suspensionNs pauseNs resumeNs durationNs heapBeforeBytes heapAfterBytes promotedBytes fragmentationBytes allocatedBytes pinnedObjects inducedBy",
	Query:   "number generation type reason induced unfinished pauseNs suspensionNs durationNs heapBeforeBytes heapAfterBytes promotedBytes fragmentationBytes allocatedBytes pinnedObjects",
	Page:    "number generation startNs pauseNs reason type durationNs suspensionNs heapBeforeBytes heapAfterBytes promotedBytes allocatedBytes induced",
	Longest: &analysis.Longest{Key: "pauseNs", Name: "Longest pauses of a collection", Why: []string{"reason", "generation", "type"}},
}

// Pause is one of several pauses of a collection.
type Pause struct {
	StartNs      int64           `json:"startNs"`               // since the trace's sync time
	PauseNs      int64           `json:"pauseNs"`               // its length
	SuspensionNs analysis.Number `json:"suspensionNs,omitzero"` // part of it until all threads were stopped
	ResumeNs     analysis.Number `json:"resumeNs,omitzero"`     // part of it in which threads were woken
}

// Generation has the sizes of one generation, of all heaps together.
type Generation struct {
	Name               string          `json:"name"`                        // "gen0", "gen1", "gen2", "large" or "pinned"
	BeforeBytes        analysis.Number `json:"beforeBytes,omitzero"`        // size before the collection
	AfterBytes         analysis.Number `json:"afterBytes,omitzero"`         // size after it
	PromotedBytes      analysis.Number `json:"promotedBytes,omitzero"`      // size of the objects that survived
	FragmentationBytes analysis.Number `json:"fragmentationBytes,omitzero"` // free space between objects after it
}

// Type is the type of a collection.
type Type string

// The types of collections.
const (
	Blocking           Type = "blocking"
	Background         Type = "background"            // beside the program, but for two pauses
	BackgroundBlocking Type = "backgroundRanBlocking" // a background collection that ran in one pause
	Foreground         Type = "foreground"            // blocking, during a background collection
	NoCollection       Type = "pauseWithoutCollection"
)

var generationNames = [generations]string{"gen0", "gen1", "gen2", "large", "pinned"}

// report makes the report of a runtime after the last event.
func (r *runtime) report(t *analysis.Trace) analysis.Report {
	r.close()
	rows := make([]Row, len(r.rows))
	names := namer{t: t, known: map[analysis.StackID]named{}}
	for i, c := range r.rows {
		rows[i] = r.row(c, &names)
	}
	report := analysis.NewReport(Name, r.key.process)
	totals := r.totals(rows)
	report.Rows, report.Totals = rows, totals
	report.Findings = analysis.Findings(rules, rows, totals)
	if totals.Paused == nil {
		report.NotRecorded = append(report.NotRecorded, suspensions)
	}
	if !r.hasTicks {
		report.NotRecorded = append(report.NotRecorded, allocations)
	}
	return report
}

// close ends what is open at the end of the recording.
func (r *runtime) close() {
	_, end := r.trace.Bounds(r.key.process)
	for _, c := range r.open {
		c.unfinished = true
	}
	for _, s := range r.suspending.Close(func(analysis.Thread) uint64 { return end }) {
		if s.IsPause() {
			r.finish(s.Suspension, s.Of)
		}
	}
	r.settle(len(r.rows))
	slices.SortStableFunc(r.rows, func(a, b *collection) int {
		switch {
		case a.start < b.start:
			return -1
		case a.start > b.start:
			return 1
		}
		return 0
	})
}

// row makes the row of a collection.
func (r *runtime) row(c *collection, names *namer) Row {
	row := Row{Type: c.typ(), StartNs: r.trace.Nanos(c.start), Unfinished: c.unfinished}
	if c.hasNumber {
		row.Number = analysis.Known(int64(c.number))
	}
	r.setPauses(&row, c)
	if c.none {
		return row
	}
	row.Generation, row.Reason = analysis.Known(int64(c.generation)), reasonName(c.reason)
	if row.Induced = slices.Contains(inducedReasons, c.reason); row.Induced && c.trigger.stack != 0 {
		n := names.of(c.trigger)
		row.InducedBy, row.Stack = n.caller, n.stack
	}
	if c.ended {
		row.DurationNs = analysis.Known(r.trace.Between(c.start, c.end))
	}
	row.AllocatedBytes = c.allocated
	if c.hasTicks {
		row.AllocationTickBytes = analysis.Known(c.ticks[0] + c.ticks[1] + c.ticks[2])
	}
	row.setSizes(c)
	row.setPinned(c)
	return row
}

// typ returns the type of a collection.
func (c *collection) typ() Type {
	switch {
	case c.none:
		return NoCollection
	case c.kind == foreground:
		return Foreground
	case c.kind != background:
		return Blocking
	case c.history.global && c.history.mechanisms&concurrent == 0, !c.history.global && c.endedWithin:
		return BackgroundBlocking
	}
	return Background
}

// setPauses sets the times of the pauses of a collection.
func (r *runtime) setPauses(row *Row, c *collection) {
	for i, p := range c.pauses {
		if i == 0 {
			row.PauseStartNs = analysis.Known(r.trace.Nanos(p.from))
		}
		one := Pause{StartNs: r.trace.Nanos(p.from), PauseNs: r.trace.Between(p.from, p.to)}
		if p.suspended != 0 {
			one.SuspensionNs = analysis.Known(r.trace.Between(p.from, p.suspended))
		}
		if p.restarted != 0 {
			one.ResumeNs = analysis.Known(r.trace.Between(p.restarted, p.to))
			row.ResumeNs = row.ResumeNs.Add(one.ResumeNs.Or(0))
		}
		if suspension, ok := one.SuspensionNs.Get(); ok {
			row.SuspensionNs = row.SuspensionNs.Add(suspension)
		}
		row.PauseNs = row.PauseNs.Add(one.PauseNs)
		row.Unfinished = row.Unfinished || p.unfinished
		if len(c.pauses) > 1 {
			row.Pauses = append(row.Pauses, one)
		}
	}
}

// setSizes sets the sizes of the heap.
func (row *Row) setSizes(c *collection) {
	h := &c.history
	known := h.complete()
	for g, name := range generationNames {
		size := Generation{Name: name}
		if known {
			size.BeforeBytes, size.FragmentationBytes = analysis.Known(h.before[g]), analysis.Known(h.fragmentation[g])
			row.HeapBeforeBytes = row.HeapBeforeBytes.Add(h.before[g])
			row.FragmentationBytes = row.FragmentationBytes.Add(h.fragmentation[g])
		}
		if c.stats {
			size.AfterBytes, size.PromotedBytes = analysis.Known(c.after[g]), analysis.Known(c.promoted[g])
			row.HeapAfterBytes = row.HeapAfterBytes.Add(c.after[g])
			row.PromotedBytes = row.PromotedBytes.Add(c.promoted[g])
		}
		if known || c.stats {
			row.Generations = append(row.Generations, size)
		}
	}
}

// inducedReasons are the reasons of collections that the program asked for:
// Induced, InducedNoForce, InducedCompacting and InducedAggressive.
var inducedReasons = []uint32{1, 7, 10, 17}

// reasonName names the reason of a collection.
func reasonName(reason uint32) string {
	e, _ := clr.Lookup(clr.RuntimeProvider, 1, 2)
	return e.Map("Reason").Text(uint64(reason))
}

// namer names the stacks of triggers.
type namer struct {
	t     *analysis.Trace
	known map[analysis.StackID]named
}

type named struct {
	caller string
	stack  []string
}

// of returns the names of a stack, and the first method with a name that is not
// one of the class GC.
func (n *namer) of(tr trigger) named {
	if have, ok := n.known[tr.stack]; ok {
		return have
	}
	frames := n.t.Frames(tr.stack, tr.ticks)
	names := analysis.Names(frames)
	have := named{stack: names}
	i := slices.IndexFunc(frames, func(f symbols.Frame) bool { return f.Symbol != nil && f.Symbol.TypeName() != "System.GC" })
	if i >= 0 {
		have.caller = names[i]
	}
	n.known[tr.stack] = have
	return have
}

// typeTexts are the types of collections as text has them.
var typeTexts = map[Type]string{
	Blocking: "blocking", Background: "background", BackgroundBlocking: "background, ran blocking",
	Foreground: "foreground", NoCollection: "no collection",
}

// typeText returns the type as text has it.
func (row *Row) typeText() string {
	if row.Unfinished {
		return typeTexts[row.Type] + ", unfinished"
	}
	return typeTexts[row.Type]
}
