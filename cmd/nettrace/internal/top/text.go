package top

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

// head describes what was measured: how much, when, and what is missing or
// estimated.
func (d *topData) head(b []byte, o *options) []byte {
	threads := map[int]bool{}
	for s := range d.Samples(d.kind) {
		threads[s.Thread] = true
	}
	b = fmt.Appendf(b, "%s: %s %s, %s of %s", display.Printable(calltree.ProcessName(d.Profile, d.kind)), samples.Amount(d.sum, d.kind), d.kind,
		display.Counted(d.samples, "sample"), display.Counted(int64(len(threads)), "thread"))
	if d.kind == profile.Wall || d.kind == profile.CPUApprox {
		b = fmt.Appendf(b, ", each every %s (median)", display.Milliseconds(float64(d.Interval)/1e9))
	}
	if d.kind == profile.CPUApprox {
		b = append(b, "\ncpu~ is wall time in managed code, an approximation"...)
	}
	if text := d.WindowText(); text != "" {
		b = fmt.Appendf(b, "\ntimes %s of a recording %s", text, d.RecordingText())
	}
	shown := []profile.Type{d.kind}
	for _, text := range []string{d.NotSampledText(shown), d.UnfinishedText(shown), d.CutText(shown)} {
		if text != "" {
			b = append(append(b, '\n'), text...)
		}
	}
	if others := d.others(); others != "" && o.Kind == "" {
		b = append(append(b, "\nother types: "...), others...)
	}
	return append(b, '\n')
}

// others are the types that are not shown.
func (d *topData) others() string {
	var names []string
	for _, name := range profile.TypeNames() {
		if types := profile.TypesByName(name); !slices.Contains(types, d.kind) && slices.ContainsFunc(types, func(t profile.Type) bool { return slices.Contains(d.Kinds, t) }) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// signed is a change for people.
func signed(v int64, t profile.Type) string {
	if v > 0 {
		return "+" + samples.Amount(v, t)
	}
	return samples.Amount(v, t)
}

// column appends text right-aligned, in characters.
func column(b []byte, text string, width int) []byte {
	b = display.AppendSpaces(b, width-len([]rune(text)))
	return append(append(b, text...), ' ', ' ')
}

// topText lists rows.
func topText(d *topData, o *options) []byte {
	b := d.head(nil, o)
	b = column(b, "self", 10)
	b = column(b, "", 7)
	b = column(b, "total", 10)
	b = column(b, "", 7)
	b = append(append(b, o.by...), '\n')
	for _, row := range d.rows[:o.shown(len(d.rows))] {
		b = column(b, samples.Amount(row.self, d.kind), 10)
		b = column(b, display.Percent(row.self, d.sum), 7)
		b = column(b, samples.Amount(row.total, d.kind), 10)
		b = column(b, display.Percent(row.total, d.sum), 7)
		b = append(display.AppendPrintable(b, row.name.Text), '\n')
	}
	return appendRest(b, len(d.rows), o)
}

// appendRest tells of rows that are not shown.
func appendRest(b []byte, rows int, o *options) []byte {
	if rest := rows - o.shown(rows); rest > 0 {
		b = fmt.Appendf(b, "%s more (--limit 0 shows all)\n", display.Counted(int64(rest), "row"))
	}
	return b
}

// change is a row of two files.
type change struct{ now, was topRow }

// changes puts the rows of two files side by side, the greatest changes first.
func changes(after, before *topData, by string) []change {
	at := map[calltree.Name]int{}
	var list []change
	for _, row := range after.rows {
		at[row.name] = len(list)
		list = append(list, change{now: row, was: topRow{name: row.name}})
	}
	for _, row := range before.rows {
		i, ok := at[row.name]
		if !ok {
			i = len(list)
			list = append(list, change{now: topRow{name: row.name}})
		}
		list[i].was = row
	}
	slices.SortStableFunc(list, func(a, b change) int {
		self, total := cmp.Compare(b.self(), a.self()), cmp.Compare(b.total(), a.total())
		if by == "total" {
			self, total = total, self
		}
		return cmp.Or(self, total, strings.Compare(a.now.name.Text, b.now.name.Text))
	})
	return list
}

func (c *change) self() int64  { return abs(c.now.self - c.was.self) }
func (c *change) total() int64 { return abs(c.now.total - c.was.total) }

func abs(v int64) int64 { return max(v, -v) }

// topDiffText lists changes.
func topDiffText(after, before *topData, o *options) []byte {
	b := append([]byte("before: "), before.head(nil, o)...)
	b = append(append(b, "after:  "...), after.head(nil, o)...)
	for _, title := range []string{"self", "change", "total", "change"} {
		b = column(b, title, 10)
	}
	b = append(append(b, o.by...), '\n')
	list := changes(after, before, o.sort)
	for _, c := range list[:o.shown(len(list))] {
		b = column(b, samples.Amount(c.now.self, after.kind), 10)
		b = column(b, signed(c.now.self-c.was.self, after.kind), 10)
		b = column(b, samples.Amount(c.now.total, after.kind), 10)
		b = column(b, signed(c.now.total-c.was.total, after.kind), 10)
		b = append(display.AppendPrintable(b, c.now.name.Text), '\n')
	}
	return appendRest(b, len(list), o)
}
