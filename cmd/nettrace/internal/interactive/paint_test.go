package interactive

import (
	"context"
	"errors"
	"testing"

	"github.com/gdamore/tcell/v2"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// simulated returns a screen without a terminal.
func simulated(t *testing.T, charset string, width, height int) tcell.SimulationScreen {
	t.Helper()
	s := tcell.NewSimulationScreen(charset)
	expect.NoError(t, s.Init())
	t.Cleanup(s.Fini)
	s.SetSize(width, height)
	return s
}

// row returns the text of a row of a screen, with its columns that are empty at the end as
// spaces.
func row(s tcell.Screen, y int) string {
	width, _ := s.Size()
	text := ""
	for x := 0; x < width; {
		cluster, _, columns := s.Get(x, y)
		text += cluster
		x += max(columns, 1)
	}
	return text
}

// TestPut: no line leaves its row or writes half a character.
func TestPut(t *testing.T) {
	for _, c := range []struct {
		name, line string
		x          int
		want       string
	}{
		{"short", "abc", 0, "abc     "},
		{"long", "abcdefghij", 0, "abcdefgh"},
		{"moved", "abcdefghij", -4, "efghij  "},
		{"wide", "日本語", 0, "日本語  "},
		{"half of a wide one at the end", "a日本語中", 0, "a日本語 "},
		{"half of a wide one at the begin", "日本", -1, " 本     "},
		{"combining", "e\u0301a", 0, "e\u0301a      "},
		{"combining first", "\u0301a", 0, "a       "},
		{"emoji of several code points", "👩‍💻x", 0, "👩‍💻x     "},
		{"colours", "\x1b[31mred\x1b[0m ok", 0, "red ok  "},
		{"colour without an end", "a\x1b[31", 0, "a       "},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := simulated(t, "UTF-8", 8, 2)
			put(s, c.x, 0, c.line)
			s.Show()
			expect.Equal(t, "row", row(s, 0), c.want)
			expect.Equal(t, "next row", row(s, 1), "        ")
		})
	}
}

// TestPaint paints a page on screens of several sizes.
func TestPaint(t *testing.T) {
	for _, c := range []struct {
		name          string
		width, height int
		first, last   string
	}{
		{"usual", 40, 8, "title                                   ", "rows 1-5 of 20  ? he…ace pause  / filter"},
		{"narrow", 5, 8, "title", "ro…er"},
		{"one line", 40, 1, "20 rows  ? help  q q…ace pause  / filter", "20 rows  ? help  q q…ace pause  / filter"},
		{"one column", 1, 8, "t", "…"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := simulated(t, "UTF-8", c.width, c.height)
			newNumbered(20).paint(s, false)
			expect.Equal(t, "first row", row(s, 0), c.first)
			expect.Equal(t, "last row", row(s, c.height-1), c.last)
		})
	}
}

// TestStyles: only a screen with colours has them.
func TestStyles(t *testing.T) {
	for _, colors := range []bool{false, true} {
		s := simulated(t, "UTF-8", 40, 8)
		p := newNumbered(20)
		p.Say("message")
		p.paint(s, colors)
		_, style, _ := s.Get(0, 7)
		foreground, _, _ := style.Decompose()
		expect.Equal(t, "the message has a colour", foreground != tcell.ColorDefault, colors)
	}
}

// TestKeyName: the names of keys, as the tables of bindings have them.
func TestKeyName(t *testing.T) {
	for _, c := range []struct {
		want string
		key  tcell.Key
		r    rune
		mod  tcell.ModMask
	}{
		{"a", tcell.KeyRune, 'a', 0},
		{"G", tcell.KeyRune, 'G', tcell.ModShift},
		{"space", tcell.KeyRune, ' ', 0},
		{"日", tcell.KeyRune, '日', 0},
		{"", tcell.KeyRune, 'a', tcell.ModAlt},
		{"up", tcell.KeyUp, 0, 0},
		{"pgdn", tcell.KeyPgDn, 0, 0},
		{"ctrl-c", tcell.KeyCtrlC, 0, tcell.ModCtrl},
		{"backspace", tcell.KeyBackspace2, 0, 0},
		{"", tcell.KeyF12, 0, 0},
	} {
		t.Run(c.want, func(t *testing.T) {
			expect.Equal(t, "name", keyName(tcell.NewEventKey(c.key, c.r, c.mod)), c.want)
		})
	}
}

// TestLoop: the loop handles keys, posts and the end of the context.
func TestLoop(t *testing.T) {
	for _, c := range []struct {
		name  string
		run   func(p *Page, s tcell.SimulationScreen, stop func())
		final string
	}{
		{"key", func(_ *Page, s tcell.SimulationScreen, _ func()) { s.InjectKey(tcell.KeyRune, 'q', 0) }, ""},
		{"context", func(_ *Page, _ tcell.SimulationScreen, stop func()) { stop() }, ""},
		{"post", func(p *Page, _ tcell.SimulationScreen, _ func()) { p.Post(func() { p.End("over") }) }, "over"},
		{"resize", func(_ *Page, s tcell.SimulationScreen, _ func()) {
			s.SetSize(20, 5)
			s.InjectKey(tcell.KeyF10, 0, 0)
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := simulated(t, "UTF-8", 40, 8)
			p := newNumbered(20)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			go c.run(p, s, stop)
			width, _ := p.loop(ctx, s, false)
			expect.AtLeast(t, "width", width, 20)
			expect.Equal(t, "final message", p.final, c.final)
		})
	}
}

// TestDeadline: the end of a time limit is the last message.
func TestDeadline(t *testing.T) {
	s := simulated(t, "UTF-8", 40, 8)
	p := newNumbered(20)
	ctx, cancel := context.WithTimeoutCause(t.Context(), 0, errors.New("the time is over"))
	defer cancel()
	p.loop(ctx, s, false)
	expect.Equal(t, "final message", p.final, "the time is over")
}

// TestPanic: a panic in a goroutine of the page reaches the goroutine that restores the
// terminal.
func TestPanic(t *testing.T) {
	s := simulated(t, "UTF-8", 40, 8)
	p := newNumbered(20)
	defer func() { expect.Contains(t, "panic", recover().(string), "broken", "paint_test.go") }()
	p.Go(func() { panic("broken") })
	p.loop(t.Context(), s, false)
	t.Error("the loop ended without the panic")
}

// TestPostAfterEnd: a post after the page has ended returns.
func TestPostAfterEnd(t *testing.T) {
	p := newNumbered(20)
	close(p.done)
	p.Post(func() { t.Error("called") })
}

// TestCheck: a file and a pipe are no terminal.
func TestCheck(t *testing.T) {
	expect.Equal(t, "error", Check(nil), ErrNoTerminal)
}
