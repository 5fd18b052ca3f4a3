package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// menu opens the menu of the box below the root box, and returns its method.
func (p *page) menu(t *testing.T) string {
	t.Helper()
	b := p.place(t, ".flame canvas")
	p.run(t, chromedp.MouseClickXY(b.Left+40, b.Top+30, chromedp.ButtonRight))
	p.frame(t)
	return p.text(t, "aside .name")
}

// choose clicks an item of the menu.
func (p *page) choose(t *testing.T, item string) {
	t.Helper()
	p.evaluate(t, "([...document.querySelectorAll('[role=menuitem]')].find(b => b.firstChild.textContent === "+quoted(item)+").click(), 0)", new(int))
	p.frame(t)
}

// TestMenu: each item of the menu does what its name says.
func TestMenu(t *testing.T) {
	p := open(t, reported(t, "net10-mix-cpu.v4"))
	for _, c := range []struct{ item, flag string }{{"Focus", "focus"}, {"Hide method", "hide"}, {"Ignore", "ignore"}, {"Only", "only"}} {
		t.Run(c.item, func(t *testing.T) {
			p.visit(t, "#/flame?type=wall&state=running")
			name := p.menu(t)
			p.choose(t, c.item)
			_, values := p.address(t)
			expect.Contains(t, c.flag, unquoted(values.Get(c.flag)), "^"+name+"$")
		})
	}
	t.Run("Hide module", func(t *testing.T) {
		p.visit(t, "#/flame?type=wall&state=running&hide=Program")
		p.menu(t)
		module := p.text(t, "aside .muted")
		p.choose(t, "Hide module")
		var left int
		p.evaluate(t, "nettrace.top(location.hash).rows.filter(r => r.module === "+quoted(module)+").length", &left)
		expect.Equal(t, "methods of "+module, left, 0)
	})
	for _, item := range []string{"Callers", "Callees"} {
		t.Run(item, func(t *testing.T) {
			p.visit(t, "#/flame?type=wall&state=running")
			name := p.menu(t)
			p.choose(t, item)
			expect.Contains(t, "first row of the tree", p.text(t, "main tbody tr"), strings.SplitN(name, "(", 2)[0])
			expect.Contains(t, "command", p.text(t, "#command"), "top --"+strings.ToLower(item))
		})
	}
}

// unquoted returns a regular expression without its backslashes.
func unquoted(expression string) string {
	return strings.ReplaceAll(strings.ReplaceAll(expression, `\x2C`, ","), `\`, "")
}

// TestMenuKeys: the Menu key opens the menu, arrows move in it, and Esc closes it.
func TestMenuKeys(t *testing.T) {
	p := open(t, reported(t, "net10-mix-cpu.v4")+"#/flame?type=wall&state=running")
	p.frame(t)
	p.run(t, chromedp.Focus(".flame", chromedp.ByQuery))
	p.keys(t, kb.ArrowDown, kb.ArrowDown, kb.ContextMenu)
	focused := func() string {
		var text string
		p.evaluate(t, "document.activeElement.textContent", &text)
		return text
	}
	expect.Equal(t, "focused item", focused(), "Focusf")
	p.keys(t, kb.ArrowUp)
	expect.Equal(t, "focused item after ArrowUp", focused(), "Copy stack")
	p.keys(t, kb.Escape)
	var open int
	p.evaluate(t, "document.querySelectorAll('[role=menu]').length", &open)
	expect.Equal(t, "open menus", open, 0)
	var class string
	p.evaluate(t, "document.activeElement.className", &class)
	expect.Equal(t, "focus after Esc", class, "flame")
}

// TestAround: callers and callees equal those of "nettrace top".
func TestAround(t *testing.T) {
	trace := traceFile(t, "net10-mix-cpu.v4")
	p := open(t, reportOf(t, trace))
	for _, side := range []string{"callers", "callees"} {
		for _, expression := range []string{`^Mix\.Run`, `Task`, `\.Wait`} {
			t.Run(side+" "+expression, func(t *testing.T) {
				want := callsOf(t, trace, "--type", "wall", "--"+side, expression)
				var got []call
				p.evaluate(t, "nettrace.around('#/tree?type=wall&"+side+"='+encodeURIComponent("+quoted(expression)+"))", &got)
				expect.AtLeast(t, "calls", len(got), 1)
				expect.Equal(t, "calls", text(t, sorted(got)), text(t, sorted(want)))
			})
		}
	}
}

// TestHelp: ? lists each key, and the setting turns single letters off.
func TestHelp(t *testing.T) {
	p := open(t, reported(t, "net10-mix-cpu.v4")+"#/top?type=wall")
	p.frame(t)
	p.keys(t, "?")
	shown := p.text(t, "dialog")
	expect.Contains(t, "keys", shown, "just-my-code", "set --from at the cursor", "its callers", "Ctrl+wheel")
	p.run(t, chromedp.Click("dialog input", chromedp.ByQuery))
	p.keys(t, kb.Escape)
	p.keys(t, "j")
	_, values := p.address(t)
	expect.Equal(t, "just-my-code with single letters off", values.Has("just-my-code"), false)
	p.keys(t, "?")
	p.run(t, chromedp.Click("dialog input", chromedp.ByQuery))
	p.keys(t, kb.Escape)
	p.keys(t, "j")
	_, values = p.address(t)
	expect.Equal(t, "just-my-code with single letters on", values.Has("just-my-code"), true)
}
