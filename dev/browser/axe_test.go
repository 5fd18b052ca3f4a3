package browser

import (
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/machine"
)

// violations is an expression: the violations of impact serious or critical that
// axe finds with some rules, all without rules.
const violations = `(async rules => {
  const run = rules.length ? { runOnly: { type: 'rule', values: rules } } : {}
  const found = await axe.run(document, { ...run, resultTypes: ['violations'], elementRef: false })
  return JSON.stringify(found.violations.filter(v => v.impact === 'serious' || v.impact === 'critical').flatMap(v => v.nodes.slice(0, 3).map(n => v.id + ' ' + n.html.slice(0, 150) + ' ' + (n.any[0]?.message ?? ''))))
})`

// loadAxe loads axe-core into the page.
func (p *page) loadAxe(t *testing.T) {
	t.Helper()
	script, err := os.ReadFile(machine.Package(t, "axe-core", "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	p.run(t, chromedp.Evaluate(string(script), nil))
}

// axe returns what axe finds on the page as it is now.
func (p *page) axe(t *testing.T, rules string) string {
	t.Helper()
	var text string
	err := chromedp.Run(p.ctx, chromedp.Evaluate(violations+"("+rules+")", &text, awaited))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(text, `","`, "\n")
}

// Test25: axe-core finds no violation of impact serious or critical on each page in
// both themes. The themes differ in colours only, so the dark one is checked with
// the rules of colours.
func Test25Axe(t *testing.T) {
	p := open(t, reported(t, "net10-mix-cpu.v4")+"#/top?type=wall&method=Program.Main(string%5B%5D)")
	p.loadAxe(t)
	for _, name := range p.pages(t) {
		t.Run(name, func(t *testing.T) {
			p.visit(t, "#/"+name+"?type=wall&method=Program.Main(string%5B%5D)")
			p.evaluate(t, "(document.documentElement.dataset.theme='light', 0)", new(int))
			expect.Equal(t, "light", p.axe(t, "[]"), "[]")
			p.evaluate(t, "(document.documentElement.dataset.theme='dark', 0)", new(int))
			expect.Equal(t, "dark", p.axe(t, "['color-contrast']"), "[]")
		})
	}
	for name, show := range map[string]func(){"keys": func() { p.keys(t, "?") }, "menu": func() { p.menu(t) }} {
		t.Run(name, func(t *testing.T) {
			p.visit(t, "#/flame?type=wall&state=running")
			show()
			expect.Equal(t, "dark", p.axe(t, "[]"), "[]")
			p.keys(t, "\x1b")
		})
	}
}

// pages returns the names of the pages of the navigation.
func (p *page) pages(t *testing.T) []string {
	t.Helper()
	var names []string
	p.evaluate(t, "[...document.querySelectorAll('nav a')].map(a => a.getAttribute('href').slice(2).split('?')[0])", &names)
	expect.AtLeast(t, "pages", len(names), 14)
	return names
}
