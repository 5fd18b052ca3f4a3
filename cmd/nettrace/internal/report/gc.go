package report

import (
	"fmt"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/gc"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// gcView prints the part gc.
var gcView = view{
	name:  gc.Name,
	short: "Print the garbage collections of a trace",
	long: "report gc prints a line for each garbage collection, and the totals. Times are in milliseconds,\n" +
		"sizes in MB of 1,000,000 bytes; a value that the trace does not have is a dash.\n\n" +
		"  type      blocking; background (beside the program, but for two pauses); background, ran blocking;\n" +
		"            foreground (blocking, during a background collection); no collection (a pause only)\n" +
		"  start s   seconds since the beginning of the trace\n" +
		"  before    size of the heap at the start of the collection, after: at its end\n" +
		"  promoted  bytes that survived it\n" +
		"  suspend   until all threads were stopped, part of the pause\n" +
		"  number    the runtime's number of the collection, from 1 at the start of the process; a pause\n" +
		"            without a collection has one too\n" +
		"  pause     from the first to the last thread that was held; the sum of those of the collection:\n" +
		"            a background one has two\n" +
		"  resume    in which threads were woken, part of the pause\n" +
		"  duration  from the start to the end of the collection; of a background one longer than its pauses\n" +
		"  free      space between objects after the collection\n" +
		"  pinned    objects that the collection could not move; PinObjectAtGCTime events show their types\n" +
		"  alloc     allocated since the collection before: an estimate from sizes; the total is exact if the\n" +
		"            trace has AllocationTick events\n\n" +
		"The pause of the totals is the union of the pauses: no instant counts twice.",
	records: []string{clr.RuntimeProvider + ":0x1:4"},
	summary: gcSummary,
	totals:  gcTotals,
	tables:  gcTables,
}

func gcSummary(r *analysis.Report) string {
	t := r.Totals.(*gc.Totals)
	if t.Count == 0 {
		return "no collection"
	}
	text := display.Counted(t.Count, "collection")
	if t.Paused != nil {
		text += fmt.Sprintf(", paused %.1f %% of the time (%s)", t.PausePercent, milliseconds(t.PauseNs))
	}
	if t.Pauses != nil {
		text += ", longest pause " + milliseconds(t.Pauses.MaxNs)
	}
	if peak, ok := t.PeakHeapBytes.Get(); ok {
		text += ", peak heap " + megabytes(peak)
	}
	return text
}

// gcTotals lists the totals.
func gcTotals(r *analysis.Report) []property {
	t := r.Totals.(*gc.Totals)
	list := []property{
		{"collections", fmt.Sprintf("%d: generation 0 %d, 1 %d, 2 %d; background %d, ran blocking %d; foreground %d; induced %d",
			t.Count, t.CountByGeneration[0], t.CountByGeneration[1], t.CountByGeneration[2],
			t.Background, t.BackgroundRanBlocking, t.Foreground, t.Induced)},
	}
	if t.Paused != nil {
		list = append(list, property{"paused", fmt.Sprintf("%s, %.2f %% of %s; %s without waking threads",
			milliseconds(t.PauseNs), t.PausePercent, milliseconds(t.ObservedNs), milliseconds(t.RuntimePauseNs))})
	}
	if p := t.Pauses; p != nil {
		list = append(list, property{"pauses", fmt.Sprintf("%d: mean %s, median %s, p95 %s, p99 %s, longest %s",
			p.Count, milliseconds(p.MeanNs), milliseconds(p.P50Ns), milliseconds(p.P95Ns), milliseconds(p.P99Ns), milliseconds(p.MaxNs))})
	}
	if longest, ok := t.MaxSuspension.Get(); ok {
		list = append(list, property{"suspend", "longest " + milliseconds(longest)})
	}
	if bytes, ok := t.AllocatedBytes.Get(); ok {
		text := megabytes(bytes)
		if rate, ok := t.AllocatedBytesPerSecond.Get(); ok {
			text += ", " + megabytes(rate) + "/s"
		}
		if t.AllocatedEstimated {
			text += " (estimated from heap sizes"
			if t.AllocatedUnknown > 0 {
				text += ", without " + display.Counted(t.AllocatedUnknown, "collection")
			}
			text += ")"
		}
		list = append(list, property{"allocated", text})
	}
	if bytes, ok := t.PromotedBytes.Get(); ok {
		list = append(list, property{"promoted", megabytes(bytes)})
	}
	if bytes, ok := t.PeakHeapBytes.Get(); ok {
		list = append(list, property{"peak heap", megabytes(bytes)})
	}
	if objects, ok := t.MaxPinnedObjects.Get(); ok {
		list = append(list, property{"pinned", "at most " + display.Counted(objects, "object") + " in one collection"})
	}
	if heaps, ok := t.Heaps.Get(); ok && heaps > 1 {
		list = append(list, property{"heaps", fmt.Sprintf("%d (server GC)", heaps)})
	}
	return append(list, gcRemarks(t)...)
}

// gcRemarks lists what is unusual in the events.
func gcRemarks(t *gc.Totals) []property {
	var list []property
	var paused gc.Paused
	if t.Paused != nil {
		paused = *t.Paused
	}
	for _, c := range []struct {
		count int64
		text  string
	}{
		{paused.PausesWithoutCollection, "pauses without a collection"},
		{t.Unfinished, "unfinished collections"},
		{t.BeganBefore, "collections that began before the trace, not listed"},
		{t.NumbersMissing, "missing numbers between the first and the last collection"},
		{t.HistoriesUnmatched, "heap histories without a collection"},
		{t.PinnedLeftOut, "pinned objects whose type is left out because of the limit"},
		{t.RowsLeftOut, "collections left out because of the limit, which the totals do not count"},
		{paused.OtherSuspensions, "other suspensions, " + milliseconds(paused.OtherSuspensionsNs) + " in all, such as those of the sample profiler, not counted"},
	} {
		if c.count > 0 {
			list = append(list, property{"note", c.text + ": " + display.Grouped(c.count)})
		}
	}
	return list
}

// gcTables lists the collections, and the sizes by generation.
func gcTables(r *analysis.Report) []table {
	sizes := table{title: "Heap before and after by generation, sizes in MB", columns: []terminal.Column{
		right("number"), right("gen 0"), right("gen 1"), right("gen 2"), right("large"), extra("pinned"),
	}}
	for _, row := range r.Rows.([]gc.Row) {
		if len(row.Generations) > 0 {
			line := []string{dash(row.Number.String())}
			for _, g := range row.Generations {
				line = append(line, millionths(g.BeforeBytes)+" > "+millionths(g.AfterBytes))
			}
			sizes.rows = append(sizes.rows, line)
		}
	}
	collections := listing("Collections, times in ms, sizes in MB", gc.Table.Select(gc.Table.Text), r.Rows.([]gc.Row))
	return []table{collections, sizes, pinnedTable(r.Totals.(*gc.Totals))}
}

// pinnedTable lists the types of pinned objects.
func pinnedTable(t *gc.Totals) table {
	list := table{title: "Pinned objects by type, most in one collection", columns: []terminal.Column{
		right("objects"), right("bytes"), {Title: "type", Overflow: terminal.Cut},
	}}
	for _, p := range t.PinnedTypes {
		list.rows = append(list.rows, []string{display.Grouped(p.Objects), display.Grouped(p.Bytes), p.Type})
	}
	return list
}
