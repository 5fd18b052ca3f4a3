// Package alloc is the part alloc of a report: what the program allocated, where
// and how fast.
//
//	part := alloc.New()
//	t, err := analysis.Read(ctx, r, analysis.Options{Parts: []analysis.Part{part}})
//	for _, report := range part.Reports(t) {
//		for _, row := range report.Rows.([]alloc.Row) {
//			use(row.Type, row.Site, row.Bytes)
//		}
//	}
//
// # Estimates
//
// The runtime logs a selection of the allocations, in one of three ways. If a trace has several
// kinds of events, only those of the last one in this order count.
//
// AllocationTick is logged about every 100 kB of each heap. Its amount is all that
// was allocated in that heap since the event before, and is attributed to the type
// and the stack of the last object. The sum of all is exact to one event of each
// heap; the parts of it are estimates.
//
// GCSampledObjectAllocation is logged for each type now and then, with the number and the bytes of
// its objects since the event before. What a type allocated after its last event is
// missing: bytes and objects are a lower bound, without a standard error.
//
// AllocationSampled (.NET 10) is logged for an object of s bytes with the
// probability p = 1 - exp(-s/102400). The event represents s/p bytes and 1/p
// objects.
//
// # Standard errors
//
// A standard error is that of the selection: the true value is within two standard
// errors of the estimate in 95 of 100 cases. That of sampled objects is the root
// of the sum of (s/p)²(1-p): for small objects it is the estimate divided by the
// root of the number of samples; for objects that are much larger than 100 kB it
// is near 0, because all of them are sampled. That of AllocationTick is the root
// of the sum of (amount-s)²(1-q), where q is the row's part of the events of its
// heap.
package alloc

import (
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/internal/processes"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/model"
)

// Name is the name of the part.
const Name = "alloc"

// Part makes the reports about allocations. Use New to create one.
type Part struct {
	trace     *analysis.Trace
	served    *model.Served
	processes processes.Table[process]
}

// New returns a Part.
func New() *Part { return &Part{} }

// Name returns "alloc".
func (p *Part) Name() string { return Name }

// Begin implements analysis.Part.
func (p *Part) Begin(t *analysis.Trace) { p.trace, p.served = t, t.Served() }

// routes are the events of the part.
var routes = map[clr.Kind]struct {
	source Source
	read   func(*codec.Event) allocation
}{
	clr.KindGCAllocationTick:  {Tick, tick},
	clr.KindAllocationSampled: {Sampled, sampled},
}

// Handler implements analysis.Part.
func (p *Part) Handler(m *codec.Metadata) analysis.Handler {
	switch clr.KindOf(m) {
	case clr.KindBulkType:
		return p.types
	case clr.KindGCSampledObjectAllocationHigh, clr.KindGCSampledObjectAllocationLow:
		return p.object
	}
	route, ok := routes[clr.KindOf(m)]
	if !ok {
		return nil
	}
	return func(ev *codec.Event) {
		a := route.read(ev)
		if a.bytes == 0 {
			return
		}
		p.process(p.trace.Process(ev)).add(route.source, ev, &a)
	}
}

// types keeps the names of types, which come before the objects.
func (p *Part) types(ev *codec.Event) {
	of := p.process(p.trace.Process(ev))
	for row := range clr.BulkType(ev).Rows() {
		if int64(len(of.types)) < p.trace.Limits().Rows {
			of.types[row.ID] = slices.Clone(row.Name)
		}
	}
}

// object adds a GCSampledObjectAllocation.
func (p *Part) object(ev *codec.Event) {
	id, a := objects(ev)
	if a.objects == 0 {
		return
	}
	of := p.process(p.trace.Process(ev))
	a.typ = of.types[id]
	of.add(Objects, ev, &a)
}

// process returns the state of a process.
func (p *Part) process(id uint64) *process {
	if one := p.processes.Get(id); one != nil {
		return one
	}
	return p.processes.Put(id, &process{trace: p.trace, served: p.served, id: id, sources: map[Source]*source{}, types: map[uint64][]byte{}})
}

// Lost implements analysis.Part: no event depends on another one.
func (p *Part) Lost(analysis.Thread) {}

// Reports implements analysis.Part. Rows is []Row, Totals is *Totals.
func (p *Part) Reports(t *analysis.Trace) []analysis.Report {
	var list []analysis.Report
	for one := range p.processes.All() {
		if len(one.sources) > 0 {
			list = append(list, one.report(t))
		}
	}
	if list == nil {
		list = append(list, analysis.NotRecordedReport(Name, ticks, samples))
	}
	return list
}

// Shares returns the allocations of the requests of a process, in estimated bytes, and how many are left
// out because of Limits.Rows; after the last event.
func (p *Part) Shares(process uint64) (list []model.Share, leftOut int64) {
	of := p.processes.Get(process)
	if of == nil || of.best() == nil {
		return nil, 0
	}
	s := of.best()
	for _, share := range s.sole.All(p.served) {
		list = append(list, share)
	}
	return list, s.sole.LeftOut
}

// The events that the part needs: one of them.
var (
	ticks   = analysis.Missing("allocations (AllocationTick, one for each 100 kB)", clr.RuntimeProvider, 0x1, 5)
	samples = analysis.Missing("sampled allocations (AllocationSampled, .NET 10, with numbers of objects)", clr.RuntimeProvider, 0x80000000000, 4)
)
