package view

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
)

// dumpEvents are the ids of the events that only heap dumps have: GCBulkRootEdge,
// GCBulkRootConditionalWeakTableElementEdge, GCBulkNode, GCBulkEdge and
// GCBulkRootStaticVar.
var dumpEvents = map[uint32]bool{16: true, 17: true, 18: true, 19: true, 38: true}

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
	if m.Provider != analysis.RuntimeProvider || !dumpEvents[m.EventID] {
		return nil
	}
	return func(*codec.Event) { d.Found = true }
}

// Lost does nothing.
func (d *HeapDump) Lost(analysis.Thread) {}

// Reports returns nothing.
func (d *HeapDump) Reports(*analysis.Trace) []analysis.Report { return nil }
