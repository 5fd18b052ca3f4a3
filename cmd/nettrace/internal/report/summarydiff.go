package report

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strconv"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/jsontext"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/summaryfile"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/summary"
)

// sides are the lines of a row: two summaries, and the difference.
var sides = [3]string{"before", "after", "change"}

// diffColumn is a column of two summaries.
type diffColumn struct {
	key, title string // of JSON, and of text
	number     bool   // the name is a number
	time       bool   // it has nanoseconds
	measured   bool   // it has no value without durations
	extra      bool   // a narrow terminal leaves it out
}

// diffTables are the totals, which have one row without a name, and the tables. The first
// figure orders the rows.
var diffTables = [...]struct {
	key, title     string
	names, figures []diffColumn
}{
	{figures: []diffColumn{
		{key: "files", title: "files"}, {key: "notRead", title: "not read"}, {key: "partial", title: "in part"},
		{key: "events", title: "events"}, {key: "lost", title: "lost"},
	}},
	{
		"durations", "Durations", []diffColumn{{key: "kind", title: "kind"}, {key: "key", title: "of"}},
		[]diffColumn{
			{key: "totalNs", title: "sum", time: true}, {key: "count", title: "count"},
			{key: "p50Ns", title: "p50", time: true, measured: true}, {key: "p95Ns", title: "p95", time: true, measured: true},
			{key: "p99Ns", title: "p99", time: true, measured: true}, {key: "maxNs", title: "longest", time: true, measured: true},
			{key: "unfinished", title: "unfinished", extra: true}, {key: "unknown", title: "no duration", extra: true},
		},
	},
	{
		"events", "Events", []diffColumn{{key: "provider", title: "provider"}, {key: "id", title: "id", number: true}, {key: "name", title: "name"}},
		[]diffColumn{{key: "count", title: "count"}, {key: "bytes", title: "bytes"}},
	},
}

// The indices of diffTables.
const (
	diffTotals = iota
	diffDurations
	diffEvents
)

// figures are the numbers of a row of one summary, in the order of the columns.
type figures [8]int64

// durationCount is the index of the number of durations.
const durationCount = 1

// rowName identifies a row.
type rowName struct {
	table int
	names [3]string
}

// diffRow is what two summaries have under one name.
type diffRow struct {
	names   [3]string
	figures [2]figures
}

// figure returns a figure of one side, and whether it is known. A sum that is saturated has
// no difference.
func (r *diffRow) figure(c *diffColumn, side, at int) (n int64, known bool) {
	if side < len(r.figures) {
		return r.figures[side][at], !c.measured || r.figures[side][durationCount] > 0
	}
	before, ok := r.figure(c, 0, at)
	after, both := r.figure(c, 1, at)
	return after - before, ok && both && max(before, after) != math.MaxInt64
}

// difference has the figures of two summaries.
type difference struct {
	files [2]string
	rows  [len(diffTables)][]*diffRow
	at    map[rowName]*diffRow
}

// summaryDiff prints the figures of two summaries.
func (o *options) summaryDiff(p *run.Program, files []string) error {
	if o.live.Given() > 0 || len(files) != 1 {
		return errors.New("--diff takes one summary beside OTHER, the newer one")
	}
	if err := o.live.check(files); err != nil {
		return err
	}
	if err := summaryfile.CheckPair(o.page.diff, files[0]); err != nil {
		return err
	}
	diff := difference{files: [2]string{o.page.diff, files[0]}, at: map[rowName]*diffRow{}}
	var both [2]*summary.Summary
	for side, name := range diff.files {
		s, err := summaryfile.Open(name)
		if err != nil {
			return err
		}
		summaryfile.Warn(p, name, s)
		both[side] = s
	}
	diff.compare(both)
	var text []byte
	if o.format.IsJSON() {
		text = diff.json()
	} else {
		d := o.document(p)
		diff.print(d)
		text = d.text
	}
	_, err := p.Stdout.Write(text)
	return exit.WriteError(err)
}

// compare sets the rows of both summaries, those with the greatest change per file first.
func (d *difference) compare(both [2]*summary.Summary) {
	for side, s := range both {
		d.row(diffTotals, "", "", "").figures[side] = figures{s.Files, int64(len(s.Failures)), partial(s), eventSum(s), s.Lost}
		for i := range s.Durations {
			of := &s.Durations[i]
			list := &d.row(diffDurations, of.Kind, of.Key, "").figures[side]
			*list = figures{0: of.TotalNs, durationCount: of.Count, 6: of.Unfinished, 7: of.Unknown}
			for k, q := range [...]float64{0.5, 0.95, 0.99, 1} {
				list[durationCount+1+k], _ = of.Quantile(q)
			}
		}
		for i := range s.Events {
			of := &s.Events[i]
			d.row(diffEvents, of.Provider, number(of.ID), of.Name).figures[side] = figures{of.Count, of.Bytes}
		}
	}
	perFile := func(r *diffRow, side int) float64 {
		return float64(r.figures[side][0]) / float64(max(both[side].Files, 1))
	}
	change := func(r *diffRow) float64 { return math.Abs(perFile(r, 1) - perFile(r, 0)) }
	for _, rows := range d.rows {
		slices.SortStableFunc(rows, func(a, b *diffRow) int { return cmp.Compare(change(b), change(a)) })
	}
}

// row returns the row of a table with a name.
func (d *difference) row(table int, names ...string) *diffRow {
	name := rowName{table, [3]string(names)}
	r := d.at[name]
	if r == nil {
		r = &diffRow{names: name.names}
		d.at[name] = r
		d.rows[table] = append(d.rows[table], r)
	}
	return r
}

// print adds the tables to a document.
func (d *difference) print(to *document) {
	to.heading(d.files[0] + " and " + d.files[1])
	for i, rows := range d.rows {
		var changed []*diffRow
		for _, r := range rows {
			if i == diffTotals || r.figures[0] != r.figures[1] {
				changed = append(changed, r)
			}
		}
		to.table(diffText(i, changed))
		if len(changed) == 0 && !to.markdown {
			to.line("")
		}
		if i == diffTotals && rows[0].figures[0][0] != rows[0].figures[1][0] {
			to.note("the numbers of files differ: rows are ordered by their change per file")
		}
		if n := len(rows) - len(changed); n > 0 {
			to.note(diffTables[i].title + ": " + display.Counted(int64(n), "row") + " without a change")
		}
	}
}

// diffText returns rows as a table, with a line for each side.
func diffText(of int, rows []*diffRow) table {
	layout := &diffTables[of]
	t := table{title: layout.title, columns: []terminal.Column{{}}}
	for _, c := range layout.figures {
		t.columns = append(t.columns, terminal.Column{Title: c.title, Right: true, Extra: c.extra})
	}
	for _, c := range layout.names {
		t.columns = append(t.columns, terminal.Column{Title: c.title, Right: c.number})
	}
	if of != diffTotals {
		t.columns[len(t.columns)-1].Overflow = terminal.Break
	}
	for _, r := range rows {
		names := r.names // the lines below have none
		for side, title := range sides {
			line := []string{title}
			for at := range layout.figures {
				line = append(line, layout.figures[at].text(r, side, at))
			}
			t.rows = append(t.rows, append(line, names[:len(layout.names)]...))
			names = [3]string{}
		}
	}
	return t
}

// text returns a figure of one side; a change has its sign.
func (c *diffColumn) text(r *diffRow, side, at int) string {
	n, known := r.figure(c, side, at)
	if !known {
		return "-"
	}
	text := display.Grouped(n)
	if c.time {
		text = milliseconds(n)
	}
	switch {
	case n == math.MaxInt64:
		text = "at least " + text
	case n > 0 && sides[side] == "change":
		text = "+" + text
	}
	return text
}

// json returns an object on one line. Figures that are not known have no key.
func (d *difference) json() []byte {
	var j jsontext.Builder
	j.Open('{')
	for i, rows := range d.rows {
		if i != diffTotals {
			j.Key(diffTables[i].key).Open('[')
		}
		for _, r := range rows {
			if i != diffTotals {
				j.Open('{')
			}
			d.jsonRow(&j, i, r)
			if i != diffTotals {
				j.Close('}')
			}
		}
		if i != diffTotals {
			j.Close(']')
		}
	}
	j.Close('}')
	return append(j.Bytes, '\n')
}

// jsonRow adds the keys of a row.
func (d *difference) jsonRow(j *jsontext.Builder, of int, r *diffRow) {
	layout := &diffTables[of]
	for at, c := range layout.names {
		j.Key(c.key)
		if n, err := strconv.ParseInt(r.names[at], 10, 64); err == nil && c.number {
			j.Number(n)
			continue
		}
		j.Text(r.names[at])
	}
	for side, title := range sides {
		j.Key(title).Open('{')
		if of == diffTotals && side < len(d.files) {
			j.Key("file").Text(d.files[side])
		}
		for at := range layout.figures {
			c := &layout.figures[at]
			if n, known := r.figure(c, side, at); known {
				j.Key(c.key).Number(n)
			}
		}
		j.Close('}')
	}
}
