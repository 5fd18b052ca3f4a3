package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/summaryfile"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/summary"
)

// summary prints a summary of many traces.
func (o *options) summary(p *run.Program, name string, more bool) error {
	s, err := summaryfile.Open(name)
	if err != nil {
		return err
	}
	defer summaryfile.Warn(p, name, s)
	if o.format.IsJSON() {
		line, err := json.Marshal(s)
		if err == nil {
			_, err = p.Stdout.Write(append(line, '\n'))
		}
		return exit.WriteError(err)
	}
	d := o.document(p)
	if more {
		d.line("")
	}
	d.heading(name)
	d.properties([]property{
		{"files", display.Grouped(s.Files)},
		{"not read", fmt.Sprintf("%s, %s in part", display.Counted(int64(len(s.Failures)), "file"), display.Grouped(partial(s)))},
		{"events", display.Grouped(eventSum(s))},
		{"lost", display.Counted(s.Lost, "event")},
	})
	for _, t := range []table{durationTable(s), eventTable(s), failureTable(s)} {
		d.table(t)
	}
	_, err = p.Stdout.Write(d.text)
	return exit.WriteError(err)
}

// partial returns the number of files that were read in part.
func partial(s *summary.Summary) (n int64) {
	for _, f := range s.Failures {
		if f.Partial {
			n++
		}
	}
	return n
}

func eventSum(s *summary.Summary) (n int64) {
	for _, e := range s.Events {
		n += e.Count
	}
	return n
}

// durationTable lists the distributions, those of the largest sum first within a kind.
func durationTable(s *summary.Summary) table {
	t := table{title: "Durations", columns: []terminal.Column{
		{Title: "kind"}, right("count"), right("sum"), right("p50"), right("p95"), right("p99"), right("longest"), extra("unfinished"), extra("no duration"),
		{Title: "of", Overflow: terminal.Break},
	}}
	list := slices.Clone(s.Durations)
	slices.SortStableFunc(list, func(a, b summary.Durations) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(b.TotalNs, a.TotalNs))
	})
	for i := range list {
		r := &list[i]
		total := milliseconds(r.TotalNs)
		if r.TotalNs == math.MaxInt64 { // it is saturated
			total = "at least " + total
		}
		row := []string{r.Kind, display.Grouped(r.Count), total}
		for _, q := range []float64{0.5, 0.95, 0.99, 1} {
			text := "-"
			if nanos, ok := r.Quantile(q); ok {
				text = milliseconds(nanos)
			}
			row = append(row, text)
		}
		t.rows = append(t.rows, append(row, display.Grouped(r.Unfinished), display.Grouped(r.Unknown), r.Key))
	}
	return t
}

// eventTable lists the types of events, the most frequent one first.
func eventTable(s *summary.Summary) table {
	t := table{title: "Events", columns: []terminal.Column{
		right("count"), right("bytes"), {Title: "provider"}, right("id"), {Title: "name", Overflow: terminal.Break},
	}}
	list := slices.Clone(s.Events)
	slices.SortStableFunc(list, func(a, b summary.Event) int { return cmp.Compare(b.Count, a.Count) })
	for _, e := range list {
		t.rows = append(t.rows, []string{display.Grouped(e.Count), display.Grouped(e.Bytes), e.Provider, strconv.FormatInt(e.ID, 10), e.Name})
	}
	return t
}

// failureTable lists the files that were not read to their ends.
func failureTable(s *summary.Summary) table {
	t := table{title: "Files that were not read, or only in part", columns: []terminal.Column{
		{Title: "file"}, {Title: "read"}, {Title: "reason", Overflow: terminal.Break},
	}}
	for _, f := range s.Failures {
		read := "nothing"
		if f.Partial {
			read = "in part"
		}
		t.rows = append(t.rows, []string{f.File, read, f.Error})
	}
	return t
}
