package interactive

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// numbered is content with a head and rows that have numbers.
type numbered struct {
	page *Page
	head []string
	rows int
}

func (n *numbered) Head(s terminal.Screen) []string { return n.head }

func (n *numbered) Rows(s terminal.Screen) []string {
	var rows []string
	for i := range n.rows {
		if row := fmt.Sprintf("row %d of a long name", i+1); n.page.Matches(row) {
			rows = append(rows, s.Shorten(row, 0))
		}
	}
	return rows
}

// newNumbered returns a page with rows, shown on a screen of 80 columns and 8 lines: two of
// the head, five rows, and the last line.
func newNumbered(rows int) *Page {
	p := NewPage("test")
	p.Content = &numbered{page: p, head: []string{"title", "columns"}, rows: rows}
	p.Bindings = []Binding{{Keys: []string{"x"}, Help: "do it", Do: func() { p.Say("done") }}}
	lines(p)
	return p
}

// lines returns the lines of the page.
func lines(p *Page) []string { return p.Lines(terminal.Screen{Width: 80}, 8) }

// press presses keys, of which each is followed by the drawing of the page.
func press(p *Page, keys ...string) []string {
	for _, key := range keys {
		p.Key(key)
		lines(p)
	}
	return lines(p)
}

func TestMove(t *testing.T) {
	for _, c := range []struct {
		name string
		keys []string
		want string // the first row on the screen
	}{
		{"begin", nil, "row 1 "},
		{"down", []string{"down", "j"}, "row 3 "},
		{"up at the begin", []string{"up", "k"}, "row 1 "},
		{"up", []string{"down", "down", "up"}, "row 2 "},
		{"screen", []string{"pgdn"}, "row 5 "},
		{"screens", []string{"pgdn", "pgdn", "pgup"}, "row 5 "},
		{"end", []string{"end"}, "row 16 "},
		{"beyond the end", []string{"G", "down", "pgdn"}, "row 16 "},
		{"begin again", []string{"G", "g"}, "row 1 "},
		{"home", []string{"end", "home"}, "row 1 "},
	} {
		t.Run(c.name, func(t *testing.T) {
			expect.Contains(t, "first row", press(newNumbered(20), c.keys...)[2], c.want)
		})
	}
}

// TestLayout: the head stays, the screen is full, and the last line has the rows.
func TestLayout(t *testing.T) {
	for _, c := range []struct {
		name          string
		rows, height  int
		first, second string
		last          string
	}{
		{"all rows", 3, 8, "title", "columns", "rows 1-3 of 3 "},
		{"more rows", 20, 8, "title", "columns", "rows 1-5 of 20 "},
		{"none", 0, 8, "title", "columns", "no rows "},
		{"low", 20, 6, "title", "columns", "rows 1-3 of 20"},
		{"lower", 20, 5, "columns", "row 1 of", "rows 1-3 of 20"},
		{"lowest", 20, 3, "columns", "row 1 of", "rows 1-1 of 20"},
		{"two lines", 20, 2, "columns", "20 rows", "20 rows"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := newNumbered(c.rows).Lines(terminal.Screen{Width: 80}, c.height)
			expect.Len(t, "lines", got, c.height)
			expect.Contains(t, "first line", got[0], c.first)
			expect.Contains(t, "second line", got[1], c.second)
			expect.Contains(t, "last line", got[len(got)-1], c.last)
		})
	}
}

func TestFilter(t *testing.T) {
	for _, c := range []struct {
		name string
		keys string // separated by spaces
		want string // in the last line
		rows int
	}{
		{"prompt", "/ R", "/R_", 20},
		{"applied", "/ R o w space 1 $ backspace enter", "rows 1-5 of 11", 11},
		{"canceled", "/ 1 esc", "rows 1-5 of 20", 20},
		{"wrong", "/ ( enter", "/(_  error parsing regexp: missing closing )", 20},
		{"corrected", "/ ( enter backspace 2 enter", "rows 1-3 of 3", 3},
		{"removed", "/ 2 enter / ctrl-u enter", "rows 1-5 of 20", 20},
		{"edited", "/ 2 enter / 0 enter", "rows 1-1 of 1", 1},
		{"nothing", "f4 z enter", "no rows", 0},
		{"keys are text", "/ q ? backspace backspace", "/_", 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newNumbered(20)
			got := press(p, strings.Fields(c.keys)...)
			expect.Contains(t, "last line", got[7], c.want)
			expect.Len(t, "rows", p.Content.Rows(terminal.Screen{}), c.rows)
			expect.Equal(t, "has quit", p.HasQuit(), false)
		})
	}
}

// TestHelp: the help has every key, scrolls, and a key closes it.
func TestHelp(t *testing.T) {
	p := newNumbered(20)
	text := strings.Join(press(p, "?"), "\n")
	expect.Contains(t, "help", text, "Keys of nettrace test", "do it", "closes the help")
	first := press(p, "down")[2]
	expect.Lacks(t, "first line after a move", first, "do it")
	all := p.KeysHelp()
	for _, list := range [][]Binding{p.Bindings, p.common(), p.movement()} {
		for _, b := range list {
			for _, key := range b.Keys {
				expect.Contains(t, "help", all, " "+key+" ")
			}
		}
	}
	p.Key("esc")
	for _, key := range closeHelp {
		p.Key("?")
		expect.Contains(t, "last line after "+key, press(p, key)[7], "rows 1-5")
	}
	expect.Equal(t, "has quit", p.HasQuit(), false)
}

func TestQuit(t *testing.T) {
	for _, c := range []struct {
		name string
		keys string
		end  bool // the process ends after the keys
		more string
		want bool
	}{
		{"q", "q", false, "", true},
		{"f10", "f10", false, "", true},
		{"ctrl-c", "ctrl-c", false, "", true},
		{"ctrl-c in a prompt", "/ ctrl-c", false, "", true},
		{"ctrl-c in the help", "? ctrl-c", false, "", true},
		{"other keys", "x down esc nothing", false, "", false},
		{"end", "", true, "", true},
		{"end while paused", "space", true, "", false},
		{"end while paused and continued", "space", true, "space", true},
		{"end while paused and quit", "p", true, "q", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newNumbered(20)
			press(p, strings.Fields(c.keys)...)
			if c.end {
				p.End("the process has ended")
				expect.Contains(t, "last line", lines(p)[7], "the process has ended")
			}
			press(p, strings.Fields(c.more)...)
			expect.Equal(t, "has quit", p.HasQuit(), c.want)
			expect.Equal(t, "the user has quit", p.UserQuit(), c.want && !c.end)
		})
	}
}

func TestPause(t *testing.T) {
	p := newNumbered(20)
	calls := 0
	p.OnPause = func() { calls++ }
	expect.Contains(t, "last line", press(p, "space")[7], "PAUSED")
	expect.Equal(t, "paused", p.Paused, true)
	expect.Lacks(t, "last line", press(p, "Z")[7], "PAUSED")
	expect.Equal(t, "calls", calls, 2)
}

// TestMessage: a message is shown until the next key. An unknown key says so.
func TestMessage(t *testing.T) {
	p := newNumbered(20)
	expect.Contains(t, "last line", press(p, "x")[7], "done")
	expect.Contains(t, "last line", press(p, "down")[7], "rows 2-6")
	expect.Contains(t, "last line", press(p, "ä")[7], "ä has no meaning here: ? lists the keys")
}

// TestAsk: an error keeps the prompt with the text.
func TestAsk(t *testing.T) {
	p := newNumbered(20)
	got := ""
	p.Ask("--thread ", "7", func(text string) error {
		if text != "78" {
			return errors.New("no thread\x1b[2J")
		}
		got = text
		return nil
	})
	expect.Equal(t, "last line", lines(p)[7], "--thread 7_")
	expect.Equal(t, "last line", press(p, "enter")[7], `--thread 7_  no thread\u{1b}[2J`)
	press(p, "8", "enter")
	expect.Equal(t, "text", got, "78")
}

// TestLongPrompt: the end of a long text is visible, and text has no control characters.
func TestLongPrompt(t *testing.T) {
	p := newNumbered(20)
	p.Ask("/", strings.Repeat("日本", 100)+"end", func(string) error { return nil })
	got := lines(p)[7]
	expect.Contains(t, "last line", got, "end_")
	expect.AtMost(t, "columns", terminal.Columns(got), 80)
	for range 2000 {
		p.Key("a")
	}
	expect.AtMost(t, "bytes of the text", len(p.prompt.text), maxText+4)
}

// TestSideways: lines are not shortened after a move to the right.
func TestSideways(t *testing.T) {
	p := newNumbered(20)
	narrow := func() string { return p.Lines(terminal.Screen{Width: 12}, 8)[2] }
	expect.Contains(t, "row", narrow(), "…")
	p.Key("right")
	expect.Equal(t, "row", narrow(), "row 1 of a long name")
	p.Key("left")
	p.Key("left")
	expect.Contains(t, "row", narrow(), "…")
	p.Wide = true
	expect.Equal(t, "row", narrow(), "row 1 of a long name")
}

// TestFewerRows: the window stays within rows that become fewer.
func TestFewerRows(t *testing.T) {
	p := newNumbered(20)
	press(p, "end")
	p.Content.(*numbered).rows = 6
	expect.Contains(t, "last line", lines(p)[7], "rows 2-6 of 6")
}

// TestSidewaysBound: the last columns of the widest line stay on the screen.
func TestSidewaysBound(t *testing.T) {
	p := newNumbered(1)
	for range 9 {
		p.Key("right")
		p.Lines(terminal.Screen{Width: 10}, 8)
	}
	expect.Equal(t, "columns left of the screen", p.left, len("row 1 of a long name")-10)
}
