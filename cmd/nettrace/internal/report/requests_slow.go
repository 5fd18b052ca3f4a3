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
	slow = table{title: "Slowest requests, times in ms", columns: []terminal.Column{
		right("nr"), right("start s"), right("duration"), {Title: "direction"}, {Title: "request", Overflow: terminal.Cut}, {Title: "status"},
		{Title: "queue", Right: true, Extra: true}, {Title: "failure", Overflow: terminal.Cut},
	}}
	times = table{title: "Time lines of the slowest requests, times in ms", columns: []terminal.Column{
		right("nr"), right("after"), right("duration"), {Title: "what"}, {Title: "detail", Overflow: terminal.Cut},
	}}
	for i, row := range slowest(rows) {
		nr := strconv.Itoa(i + 1)
		slow.rows = append(slow.rows, []string{
			nr, strconv.FormatFloat(float64(row.StartNs.Or(0))/1e9, 'f', 6, 64), millionths(row.DurationNs), string(row.Direction),
			requestName(row.Method, row.Origin, row.Path), dash(row.Status.String()), millionths(row.QueueNs), row.Failure,
		})
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
func slowest(rows []requests.Row) []*requests.Row {
	var list []*requests.Row
	for i := range rows {
		if rows[i].State == requests.Completed {
			list = append(list, &rows[i])
		}
	}
	slices.SortStableFunc(list, func(a, b *requests.Row) int { return cmp.Compare(b.DurationNs.Or(0), a.DurationNs.Or(0)) })
	return list[:min(len(list), mostSlow)]
}
