package report

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/alloc"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// allocView prints the part alloc.
var allocView = view{
	name:  alloc.Name,
	short: "Print what the program in a trace allocated, by type and method",
	long: "report alloc prints what the program allocated by type, by method (the innermost one outside of\n" +
		"System.Private.CoreLib) and over time. Sizes are in MB of 1,000,000 bytes.\n\n" +
		"  heap      small; large (objects of 85,000 bytes or more); pinned\n" +
		"  MB        estimated from the events\n" +
		"  +-        its standard error: the true value is within two of them in 95 of 100 cases\n" +
		"  objects   estimated; AllocationTick does not have it\n" +
		"  largest   size of the largest object that has an event, in bytes\n\n" +
		"The runtime logs a selection: AllocationTick for each 100 kB of a heap, which is attributed to the\n" +
		"last object; GCSampledObjectAllocation for each type now and then, from the start of the process\n" +
		"on, whose sums are lower bounds; or AllocationSampled (.NET 10) for objects that it selects by size.\n" +
		"Of a trace with several kinds the last of these is used. The total of AllocationTick is exact to\n" +
		"100 kB for each heap.",
	records: []string{clr.RuntimeProvider + ":0x1:5"},
	summary: allocSummary,
	totals:  allocTotals,
	tables:  allocTables,
}

func allocSummary(r *analysis.Report) string {
	t := r.Totals.(*alloc.Totals)
	text := megabytes(t.Bytes)
	if rate, ok := t.BytesPerSecond.Get(); ok {
		text += ", " + megabytes(rate) + "/s"
	}
	if rows := r.Rows.([]alloc.Row); len(rows) > 0 {
		text += fmt.Sprintf(", most (%.0f %%) %s", analysis.Percent(rows[0].Bytes, t.Bytes), dash(rows[0].Type))
		if rows[0].Site != "" {
			text += " by " + rows[0].Site
		}
	}
	return text
}

// allocTotals lists the totals.
func allocTotals(r *analysis.Report) []property {
	t := r.Totals.(*alloc.Totals)
	text := megabytes(t.Bytes)
	if e, ok := t.StandardErrorBytes.Get(); ok {
		text += " +- " + megabytes(e)
	}
	if t.LowerBound {
		text = "at least " + text
	}
	if rate, ok := t.BytesPerSecond.Get(); ok {
		text += fmt.Sprintf(", %s/s in %s", megabytes(rate), milliseconds(t.ObservedNs))
	}
	list := []property{{"allocated", text}}
	if objects, ok := t.Objects.Get(); ok {
		list = append(list, property{"objects", display.Grouped(objects)})
	}
	for _, h := range t.Heaps {
		list = append(list, property{dash(string(h.Heap)) + " heap", megabytes(h.Bytes) + ", " + display.Counted(h.Events, "event")})
	}
	list = append(list, property{"based on", display.Grouped(t.Events) + " " + string(t.Source)})
	for _, c := range []struct {
		count int64
		text  string
	}{
		{t.Ignored, "events of other kinds about allocations, not counted"},
		{t.LeftOutEvents, "events without a row because of the limit, which the total counts"},
	} {
		if c.count > 0 {
			list = append(list, property{"note", c.text + ": " + display.Grouped(c.count)})
		}
	}
	return list
}

// byType is the title of the table without methods.
const byType = "By type"

// allocTables lists the types, the methods, the large objects and the rate.
func allocTables(r *analysis.Report) []table {
	t, rows := r.Totals.(*alloc.Totals), r.Rows.([]alloc.Row)
	var large []alloc.Row
	for _, row := range rows {
		if row.Heap == alloc.Large {
			large = append(large, row)
		}
	}
	return []table{
		allocTable(byType, t.Types, t), allocTable("By method", rows, t), allocTable("Large objects by method", large, t), rateTable(t),
	}
}

// allocTable lists rows.
func allocTable(title string, rows []alloc.Row, t *alloc.Totals) table {
	fields := alloc.Table.Select(alloc.Table.Text)
	share := analysis.Field[alloc.Row]{Head: "%", Of: func(r *alloc.Row) any { return analysis.Percent(r.Bytes, t.Bytes) }}
	fields = slices.Insert(fields, 1, share)
	if title == byType {
		fields = fields[:len(fields)-1]
	}
	return listing(title, fields, rows)
}

// rateTable lists the intervals.
func rateTable(t *alloc.Totals) table {
	list := table{title: "Over time", columns: []terminal.Column{
		{Title: "start s", Right: true}, {Title: "length ms", Right: true}, {Title: "MB", Right: true}, {Title: "MB/s", Right: true},
	}}
	for _, i := range t.Intervals {
		rate := analysis.Number{}
		if i.DurationNs > 0 {
			rate = analysis.Known(int64(float64(i.Bytes) / float64(i.DurationNs) * 1e9))
		}
		list.rows = append(list.rows, []string{
			strconv.FormatFloat(float64(i.StartNs)/1e9, 'f', 3, 64), millionths(analysis.Known(i.DurationNs)),
			millionths(analysis.Known(i.Bytes)), millionths(rate),
		})
	}
	return list
}
