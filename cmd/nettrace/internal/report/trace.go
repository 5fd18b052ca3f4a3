package report

import (
	"fmt"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/trace"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// traceView prints the part trace.
var traceView = view{
	name:  trace.Name,
	short: "Print what a trace lacks: lost events, truncated stacks, names, providers",
	long: "report trace prints how far the other parts can be trusted:\n\n" +
		"  lost          events that the writer dropped, with the time from the thread's last event before\n" +
		"                them to its next one\n" +
		"  truncated     stacks of 100 frames: the runtime writes no more, and the outer frames are missing\n" +
		"  rundown       names the methods that were compiled before the recording or ahead of time\n" +
		"  samples       how often the sampler sampled each thread (median), and what was requested\n" +
		"  no events     which events the trace does not have, and the provider, keywords and level that\n" +
		"                record them: none happened, or they were not recorded",
	records: []string{clr.RuntimeProvider + ":0x1:4"},
	summary: traceSummary,
	totals:  traceTotals,
	tables:  traceTables,
}

func traceSummary(r *analysis.Report) string {
	t := r.Totals.(*trace.Totals)
	text := fmt.Sprintf("%s in %s, lost %s", display.Counted(t.Events, "event"), milliseconds(t.ObservedNs), display.Grouped(t.Lost))
	if t.Stacks > 0 {
		text += ", stacks truncated " + display.Percent(t.TruncatedStacks, t.Stacks)
		if !t.Rundown {
			text += ", no rundown"
		}
	}
	if t.HeapDump {
		text += ", with a heap dump, which nettrace heap shows"
	}
	return text
}

// traceTotals lists the totals.
func traceTotals(r *analysis.Report) []property {
	t := r.Totals.(*trace.Totals)
	lost := display.Grouped(t.Lost)
	if t.Lost > 0 {
		lost += fmt.Sprintf(", %.1f %% of all", t.LostPercent)
	}
	list := []property{{"events", display.Grouped(t.Events) + " in " + milliseconds(t.ObservedNs)}, {"lost", lost}}
	if t.Stacks > 0 {
		list = append(list, property{"stacks", fmt.Sprintf("%s, truncated %s (%s)",
			display.Grouped(t.Stacks), display.Grouped(t.TruncatedStacks), display.Percent(t.TruncatedStacks, t.Stacks))})
	}
	rundown := "no: methods that were compiled before the recording have no names"
	if t.Rundown {
		rundown = "yes"
	}
	list = append(list, property{"rundown", rundown})
	if t.HeapDump {
		list = append(list, property{"heap dump", "yes: nettrace heap shows its types, roots and paths"})
	}
	if t.Samples > 0 {
		text := display.Grouped(t.Samples) + " of " + display.Counted(t.SampledThreads, "thread")
		if interval, ok := t.SamplingIntervalNs.Get(); ok {
			text += ", each thread every " + milliseconds(interval) + " (median)"
		}
		if interval, ok := t.ExpectedSamplingIntervalNs.Get(); ok {
			text += ", expected every " + milliseconds(interval)
		}
		if !t.SamplingIntervalNs.IsZero() {
			text += "; collect --sampling-interval changes it for a command"
		}
		list = append(list, property{"samples", text})
	}
	for _, c := range []struct {
		count int64
		text  string
	}{
		{t.LostWithoutTime, "lost events without a known time, not listed"},
		{t.RowsLeftOut, "losses left out because of the limit"},
		{t.OutOfOrder, "events out of order"},
	} {
		if c.count > 0 {
			list = append(list, property{"note", c.text + ": " + display.Grouped(c.count)})
		}
	}
	return list
}

// traceTables lists the losses and the providers.
func traceTables(r *analysis.Report) []table {
	losses := listing("Lost events", trace.Table.Select(trace.Table.Text), r.Rows.([]trace.Row))
	providers := table{title: "Events by provider", columns: []terminal.Column{right("events"), {Title: "provider", Overflow: terminal.Cut}}}
	for _, p := range r.Totals.(*trace.Totals).Providers {
		providers.rows = append(providers.rows, []string{display.Grouped(p.Events), p.Provider})
	}
	return []table{losses, providers}
}
