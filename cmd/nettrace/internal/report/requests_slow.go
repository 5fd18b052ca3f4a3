package report

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/requests"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
)

// mostSlow is the number of slow requests that are printed.
const mostSlow = 10

// slowRequests returns the tables of the slowest requests of both directions and
// of their time lines.
func slowRequests(rows []requests.Row) (slow, times table) {
	found := slowest(rows)
	slow = listing("Slowest requests, times in ms", requests.Table.Select(requests.Table.Text), found)
	slow.columns = slices.Insert(slow.columns, 0, right("nr"))
	times = table{title: "Time lines of the slowest requests, times in ms", columns: []terminal.Column{
		right("nr"), right("after"), right("duration"), {Title: "what"}, {Title: "detail", Overflow: terminal.Cut},
	}}
	for i, row := range found {
		nr := strconv.Itoa(i + 1)
		slow.rows[i] = slices.Insert(slow.rows[i], 0, nr)
		for _, m := range row.Timeline {
			times.rows = append(times.rows, []string{
				nr, millionths(analysis.Known(m.StartNs - row.StartNs.Or(0))), millionths(m.DurationNs), phaseName(m.Kind), m.Text,
			})
		}
		if row.TimelineLeftOut > 0 {
			times.rows = append(times.rows, []string{nr, "", "", "left out", strconv.FormatInt(row.TimelineLeftOut, 10)})
		}
	}
	return slow, times
}

// slowest returns the slowest completed requests, the slowest first.
func slowest(rows []requests.Row) []requests.Row {
	var list []*requests.Row
	for i := range rows {
		if rows[i].State == requests.Completed {
			list = append(list, &rows[i])
		}
	}
	slices.SortStableFunc(list, func(a, b *requests.Row) int { return cmp.Compare(b.DurationNs.Or(0), a.DurationNs.Or(0)) })
	var found []requests.Row
	for _, row := range list[:min(len(list), mostSlow)] {
		found = append(found, *row)
	}
	return found
}
