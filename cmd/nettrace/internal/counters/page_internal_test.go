package counters

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// played returns the page of a process that sent the counters of a trace.
func played(t *testing.T) *page {
	t.Helper()
	w := newWatcher(&options{}, counters.MetersSession{})
	w.any, w.title = true, "process 7 (shop)"
	p := newPage(w.title, false)
	sink := &pageSink{w: w, history: map[counters.Key][]float64{}, show: p.show}
	w.out = sink
	expect.NoError(t, w.read(codec.NewReader(bytes.NewReader(testfile.Plain(t, "net10-counters.v4")), input.ReaderOptions(false))))
	expect.NoError(t, sink.end())
	return p
}

// press presses keys and returns the text of the screen.
func press(p *page, keys ...string) string {
	for _, key := range keys {
		p.Key(key)
	}
	return strings.Join(p.Lines(terminal.Screen{Width: 120}, 40), "\n")
}

func TestPageKeys(t *testing.T) {
	for _, c := range []struct {
		name string
		keys string
		want []string
	}{
		{"begin", "", []string{"nettrace counters: process 7 (shop)", "sort source", "NAME", "A SECOND", "LAST VALUES", "Corners.Meter", "  corners.latency (s)", "▁", "! "}},
		{"sort by name", ">", []string{"sort name", "Corners-Counters/"}},
		{"sort by value", "> >", []string{"sort value"}},
		{"sort by rate", "<", []string{"sort a second"}},
		{"in a circle", "> > > >", []string{"sort source"}},
		{"filter", "/ L A T E N enter", []string{"rows that match /LATEN", "corners.latency (s)"}},
		{"filter of tags", "/ r o u t e = enter", []string{"route=/é"}},
		{"filter without rows", "/ q q q q enter", []string{"no rows"}},
		{"filter removed", "/ q q q q enter =", []string{"sort source\n", "corners.latency"}},
		{"pause", "space", []string{"PAUSED"}},
		{"help", "?", []string{"Keys of nettrace counters", "sort by the previous or next of source, name, value, a second"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := played(t)
			expect.Contains(t, "screen", press(p, strings.Fields(c.keys)...), c.want...)
			expect.Equal(t, "has quit", p.HasQuit(), false)
		})
	}
}

// TestPageOrder: the rows of each order are in it.
func TestPageOrder(t *testing.T) {
	p := played(t)
	for _, c := range []struct {
		sort string
		less func(a, b *counters.Series) bool
	}{
		{"name", func(a, b *counters.Series) bool {
			return strings.ToLower(fullName(&a.Last)) <= strings.ToLower(fullName(&b.Last))
		}},
		{"value", func(a, b *counters.Series) bool { return compare(a.Value, b.Value) >= 0 }},
		{"a second", func(a, b *counters.Series) bool { return compare(a.Last.Rate(), b.Last.Rate()) >= 0 }},
	} {
		t.Run(c.sort, func(t *testing.T) {
			p.sort = c.sort
			kept := p.kept()
			expect.AtLeast(t, "series", len(kept), 20)
			for i := range kept[1:] {
				expect.Equal(t, fmt.Sprint("order of row ", i), c.less(&kept[i], &kept[i+1]), true)
			}
		})
	}
}

// TestPageWidths: no line is wider than the screen, and wide screens have more columns.
func TestPageWidths(t *testing.T) {
	p := played(t)
	for _, c := range []struct {
		width int
		full  bool
	}{{40, false}, {80, false}, {120, true}, {200, true}} {
		t.Run(fmt.Sprint(c.width), func(t *testing.T) {
			lines := p.Lines(terminal.Screen{Width: c.width}, 24)
			if c.width >= 80 {
				for _, line := range lines {
					expect.AtMost(t, "columns of "+line, terminal.Columns(line), c.width)
				}
			}
			expect.Equal(t, "MIN is a column", strings.Contains(strings.Join(lines, "\n"), " MIN "), c.full)
		})
	}
}

// TestPagePaused: a paused page keeps its values.
func TestPagePaused(t *testing.T) {
	p := played(t)
	p.Key("space")
	p.show(values{nothing: "other"})
	expect.Contains(t, "screen", press(p), "corners.latency")
	p.Key("space")
	p.show(values{nothing: "other"})
	expect.Contains(t, "screen", press(p), "other", "no rows")
}

// TestPageNames: control characters of names do not reach the terminal.
func TestPageNames(t *testing.T) {
	p := newPage("process 7", false)
	one := counters.Series{Last: counters.Value{Provider: "P\x1b[2J", Name: "n\r\n\u202e日本", Tags: "a=\x07", Unit: "\t"}}
	p.show(values{series: []counters.Series{one}, notices: []string{"notice"}})
	for _, sort := range pageSorts {
		p.sort = sort
		text := press(p)
		expect.Lacks(t, "screen", text, "\x1b", "\r", "\u202e", "\x07", "\t")
		expect.Contains(t, "screen", text, `\u{1b}[2J`, `日本`)
	}
}

func TestSparkline(t *testing.T) {
	for want, past := range map[string][]float64{
		"":         {},
		"▁":        {0},
		"▅▅":       {7, 7},
		"▁█":       {1, 2},
		"▁▂▃▄▅▆▇█": {0, 1, 2, 3, 4, 5, 6, 7},
		"▁ █":      {-1, math.NaN(), 1},
		"  ":       {math.NaN(), math.NaN()},
		"▁▁█":      {0, 0, 1e300},
	} {
		t.Run(want, func(t *testing.T) { expect.Equal(t, "line", sparkline(past), want) })
	}
}

// TestHistory: the line of values is bounded in length and in number.
func TestHistory(t *testing.T) {
	s := &pageSink{history: map[counters.Key][]float64{}}
	for i := range historySize + 10 {
		expect.NoError(t, s.value(&counters.Message{Value: counters.Value{Name: "a", Type: counters.Gauge, Value: counters.Number{Float64: float64(i), Valid: true}}}))
	}
	for i := range maxHistories + 10 {
		expect.NoError(t, s.value(&counters.Message{Value: counters.Value{Name: fmt.Sprint("b", i)}}))
	}
	key := (&counters.Value{Name: "a"}).Key()
	expect.Len(t, "values", s.history[key], historySize)
	expect.Equal(t, "last value", s.history[key][historySize-1], float64(historySize+9))
	expect.Equal(t, "series", len(s.history), maxHistories)
}
