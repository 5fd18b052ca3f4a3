package columns

import (
	"fmt"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/gc"
	"github.com/nettrace-go/nettrace/analysis/requests"
	"github.com/nettrace-go/nettrace/analysis/spans"
)

// LeftOut counts what is not in the tables that were read: rows above the limits, and values
// of fields that the type of their column cannot express.
type LeftOut struct {
	Stacks        int64 // events without their stack
	Names         int64 // events about methods and modules
	Losses        int64 // rows of the table lost
	Collections   int64 // rows of the table gc
	Requests      int64 // rows of the table requests
	Spans         int64 // starts and stops of the table spans
	CounterValues int64 // rows of the table counters
	Clock         int64 // 1 if the clock of the trace is impossible: the columns time are null

	Fields LeftOutFields // of the events of the types whose tables were read
}

// LeftOutFields counts values of the fields of events.
type LeftOutFields struct {
	Columns  int64 // fields without a column: a table has columns for at most 1,000
	Times    int64 // times before 1678 or after 2261, which are null
	Decimals int64 // Decimals of 16 bytes, which are null
	Unsigned int64 // numbers of unsigned fields from 1<<63 on, which are less by 1<<64
}

// LeftOut counts what is not in the tables that were read.
func (t *Trace) LeftOut() LeftOut {
	left := LeftOut{CounterValues: t.counters.LeftOut}
	if t.sync() == noSync {
		left.Clock = 1
	}
	if t.analysis != nil {
		left.Stacks, left.Names, left.Losses = t.noStacks, t.analysis.LeftOut.Names, t.analysis.LossesLeftOut
	}
	left.Collections = totalOf(t.gc, func(totals *gc.Totals) int64 { return totals.RowsLeftOut })
	left.Requests = totalOf(t.requests, func(totals *requests.Totals) int64 { return totals.RowsLeftOut })
	left.Spans = totalOf(t.spans, func(totals *spans.Totals) int64 { return totals.LeftOut })
	for _, fields := range t.fields {
		left.Fields.add(fields)
	}
	return left
}

// add adds the numbers of another table.
func (f *LeftOutFields) add(o LeftOutFields) {
	f.Columns += o.Columns
	f.Times += o.Times
	f.Decimals += o.Decimals
	f.Unsigned += o.Unsigned
}

// totalOf adds up a number of the totals of all processes.
func totalOf[T any](reports []analysis.Report, number func(totals *T) int64) (sum int64) {
	for _, report := range reports {
		if totals, ok := report.Totals.(*T); ok {
			sum += number(totals)
		}
	}
	return sum
}

// Warnings returns a text for each number that is not 0.
func (l LeftOut) Warnings() (list []string) {
	const limit = " left out, because there are too many"
	for _, one := range []struct {
		count int64
		what  string
	}{
		{l.Stacks, "stacks of events" + limit},
		{l.Names, "names of methods" + limit},
		{l.Losses, "losses" + limit},
		{l.Collections, "collections" + limit},
		{l.Requests, "requests" + limit},
		{l.Spans, "starts and stops of spans" + limit},
		{l.CounterValues, "values of counters" + limit},
		{l.Clock, "clock of the trace is impossible (no sync time or tick frequency, or times before 1678 or after 2261): the columns time are null"},
		{l.Fields.Columns, "fields of events have no column: a table has columns for 1,000 fields at most"},
		{l.Fields.Times, "times of fields are null: they are before 1678 or after 2261"},
		{l.Fields.Decimals, "values of fields are null: they are Decimals of 16 bytes"},
		{l.Fields.Unsigned, "values of unsigned fields from 2^63 on are negative: add 2^64"},
	} {
		if one.count > 0 {
			list = append(list, fmt.Sprintf("%d %s", one.count, one.what))
		}
	}
	return list
}
