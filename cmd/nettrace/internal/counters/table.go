package counters

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"
	"github.com/vbauerster/mpb/v8/cwriter"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
)

// counterTable shows the last values: once at the end, and on a terminal
// whenever new ones have come.
type counterTable struct {
	w       *watcher
	dst     io.Writer
	screen  *cwriter.Writer // nil when it is none, or a file is shown
	changed bool
	drawn   time.Time
}

// tableEvery is the least time between two drawings.
const tableEvery = 100 * time.Millisecond

// tableWidth is that of a table nobody looks at.
const tableWidth = 120

func newCounterTable(w *watcher, dst io.Writer) *counterTable {
	t := &counterTable{w: w, dst: dst, changed: true}
	if w.session.ID != "" && terminal.IsTerminal(dst) {
		t.screen = cwriter.New(dst)
	}
	return t
}

func (t *counterTable) value(*counters.Message) error {
	t.changed = true
	return nil
}

// pause draws. What comes in between is drawn with what comes next.
func (t *counterTable) pause() error {
	if t.screen == nil || !t.changed || time.Since(t.drawn) < tableEvery {
		return nil
	}
	width, height, err := t.screen.GetTermSize()
	if err != nil || width < 1 || height < 3 {
		width, height = tableWidth, 24
	}
	return t.draw(width, height-1)
}

// draw shows as many lines as the screen has.
func (t *counterTable) draw(width, height int) error {
	lines := t.lines(width)
	for _, notice := range t.w.notices {
		lines = append(lines, runewidth.Truncate("! "+notice, width, "…"))
	}
	if len(lines) > height {
		more := len(lines) - height + 1
		lines = append(lines[:height-1], runewidth.Truncate(fmt.Sprintf("... %s more: choose with --counters", display.Counted(int64(more), "line")), width, "…"))
	}
	for _, line := range lines {
		_, _ = t.screen.WriteString(line + "\n")
	}
	t.changed, t.drawn = false, time.Now()
	return t.screen.Flush(len(lines))
}

// end draws the table whole.
func (t *counterTable) end() error {
	if t.screen != nil {
		if !t.changed {
			return nil
		}
		return t.draw(tableWidth, math.MaxInt32)
	}
	for _, line := range t.lines(tableWidth) {
		if _, err := io.WriteString(t.dst, line+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// Columns of numbers.
var tableColumns = [...]string{"VALUE", "A SECOND", "MIN", "MAX"}

const tableColumn = 13

// lines are the table: a heading for each source, a line for each series.
func (t *counterTable) lines(width int) []string {
	all := t.w.latest.Series()
	var lines []string
	if t.w.title != "" {
		lines = append(lines, t.w.title)
	}
	if len(all) == 0 {
		return append(lines, t.w.nothing())
	}
	name := max(20, width-len(tableColumns)*tableColumn)
	var last *counters.Series
	for i, s := range all {
		if last == nil || last.Last.Provider != s.Last.Provider || last.Last.Source != s.Last.Source {
			lines = append(lines, heading(&s.Last, name, i == 0))
			last = nil
		}
		lines = append(lines, seriesLines(s, last, name)...)
		last = s
	}
	return lines
}

// heading names a source and the interval in force.
func heading(v *counters.Value, width int, first bool) string {
	text := display.Printable(v.Provider)
	if v.Version != "" {
		text += " " + display.Printable(v.Version)
	}
	text += " (" + v.Source.String()
	if v.Asked > 0 {
		text += ", every " + secondsText(v.Asked) + " s"
	}
	line := wide(text+")", width)
	if first {
		for _, title := range tableColumns {
			line += fmt.Sprintf("%*s", tableColumn, title)
		}
	}
	return strings.TrimRight(line, " ")
}

// seriesLines have the name and the numbers. Tags have a line of their own, and
// the name stands before them once.
func seriesLines(s, before *counters.Series, width int) []string {
	v := &s.Last
	label := "  " + display.Printable(displayName(v))
	if v.Unit != "" {
		label += " (" + display.Printable(v.Unit) + ")"
	}
	var lines []string
	if v.Tags != "" {
		if before == nil || before.Last.Name != v.Name || before.Last.ID != v.ID {
			lines = append(lines, label)
		}
		label = "    " + display.Printable(v.Tags)
	}
	if s.Ended {
		label += " (ended)"
	}
	return append(lines, wide(label, width)+numbersText(s))
}

// numbersText are the columns of numbers, or what a histogram has.
func numbersText(s *counters.Series) string {
	if s.Last.Type == counters.Histogram {
		return "  " + histogramText(&s.Last)
	}
	text := ""
	for _, n := range [...]counters.Number{s.Value, s.Last.Rate(), s.Min, s.Max} {
		text += fmt.Sprintf("%*s", tableColumn, cellText(n))
	}
	return strings.TrimRight(text, " ")
}

func displayName(v *counters.Value) string {
	if v.Display != "" {
		return v.Display
	}
	return v.Name
}

func histogramText(v *counters.Value) string {
	var words []string
	for _, x := range statistics(v) {
		words = append(words, x.name+"="+cellText(counters.Number{Float64: x.value, Valid: true}))
	}
	return strings.Join(words, " ")
}

// cellText is a number as people read it: six digits at most behind a comma,
// thousands apart.
func cellText(n counters.Number) string {
	x := n.Float64
	switch {
	case !n.Valid:
		return ""
	case x == math.Trunc(x) && math.Abs(x) < 1e15:
		return display.Grouped(int64(x))
	case math.Abs(x) >= 1e5 && math.Abs(x) < 1e15:
		return display.Grouped(int64(math.Round(x)))
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// wide makes text as wide as a column.
func wide(text string, width int) string {
	return runewidth.FillRight(runewidth.Truncate(text, width, "…"), width)
}
