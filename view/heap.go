package view

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// dumpEvents are the events that only heap dumps have.
var dumpEvents = map[clr.Kind]bool{
	clr.KindGCBulkRootEdge: true, clr.KindGCBulkRootConditionalWeakTableElementEdge: true, clr.KindGCBulkNode: true,
	clr.KindGCBulkEdge: true, clr.KindGCBulkRootStaticVar: true,
}

// HeapDump finds out whether a trace has a heap dump, for analysis.Read.
type HeapDump struct {
	// Found reports whether the trace has an event of a dump.
	Found bool
}

// Name returns "heap".
func (d *HeapDump) Name() string { return "heap" }

// Begin prepares for a trace.
func (d *HeapDump) Begin(*analysis.Trace) { d.Found = false }

// Handler returns the function for the events of dumps.
func (d *HeapDump) Handler(m *codec.Metadata) analysis.Handler {
	if !dumpEvents[clr.KindOf(m)] {
		return nil
	}
	return func(*codec.Event) { d.Found = true }
}

// Lost does nothing.
func (d *HeapDump) Lost(analysis.Thread) {}

// Reports returns nothing.
func (d *HeapDump) Reports(*analysis.Trace) []analysis.Report { return nil }
