package columns

import (
	"fmt"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/gc"
	"github.com/nettrace-go/nettrace/analysis/requests"
)

// LeftOut counts what is not in the tables that were read, because of the limits.
type LeftOut struct {
	Stacks        int64 // events without their stack
	Names         int64 // events about methods and modules
	Losses        int64 // rows of the table lost
	Collections   int64 // rows of the table gc
	Requests      int64 // rows of the table requests
	CounterValues int64 // rows of the table counters
}

// LeftOut counts what the limits leave out of the tables that were read.
func (t *Trace) LeftOut() LeftOut {
	left := LeftOut{CounterValues: t.counters.LeftOut}
	if t.analysis != nil {
		left.Stacks, left.Names, left.Losses = t.analysis.LeftOut.Stacks, t.analysis.LeftOut.Names, t.analysis.LossesLeftOut
	}
	left.Collections = totalOf(t.gc, func(totals *gc.Totals) int64 { return totals.RowsLeftOut })
	left.Requests = totalOf(t.requests, func(totals *requests.Totals) int64 { return totals.RowsLeftOut })
	return left
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
	for _, one := range []struct {
		count int64
		what  string
	}{
		{l.Stacks, "stacks of events"},
		{l.Names, "names of methods"},
		{l.Losses, "losses"},
		{l.Collections, "collections"},
		{l.Requests, "requests"},
		{l.CounterValues, "values of counters"},
	} {
		if one.count > 0 {
			list = append(list, fmt.Sprintf("%d %s left out, because there are too many", one.count, one.what))
		}
	}
	return list
}
