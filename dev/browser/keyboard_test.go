package browser

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// Test24: keys alone lead from the first page to the deepest frame of the hot
// path, to its callers and back.
func Test24Keyboard(t *testing.T) {
	p := open(t, reported(t, "net10-mix-cpu.v4"))
	p.frame(t)
	deepest, depth := "", 0
	for calls := callsOf(t, traceFile(t, "net10-mix-cpu.v4"), "--tree", "--type", "wall", "--state", "running,native"); len(calls) > 0; depth++ {
		deepest, calls = calls[0].Name, calls[0].Calls
	}
	p.keys(t, "3")
	p.keys(t, "*")
	expect.Equal(t, "details", p.text(t, "aside .name"), deepest)
	var level int
	p.evaluate(t, "Number(document.activeElement.getAttribute('aria-level'))", &level)
	expect.Equal(t, "level of the focused row", level, depth)
	p.keys(t, "c")
	short, _, _ := strings.Cut(deepest, "(")
	expect.Contains(t, "first row of the callers", p.text(t, "main tbody tr"), short)
	p.keys(t, kb.Backspace)
	expect.Contains(t, "selected row after going back", p.text(t, "tr.selected"), short)
	p.evaluate(t, "Number(document.querySelector('tr.selected').getAttribute('aria-level'))", &level)
	expect.Equal(t, "level of the selected row", level, depth)
}

// Test27: Tab visits the parts of the page in the order of the specification; the
// flame graph is one stop.
func Test27Tab(t *testing.T) {
	p := open(t, reported(t, "net10-mix-cpu.v4")+"#/flame?type=wall&method=Program.Main(string%5B%5D)")
	p.frame(t)
	p.evaluate(t, "(document.querySelector('.skip').focus(), 0)", new(int))
	const part = "(e => e.matches('.skip') ? 'skip' : e.closest('header, nav, .filters, .timeline, main, aside, footer')?.className.split(' ')[0] ||" +
		" e.closest('header, nav, main, aside, footer')?.tagName.toLowerCase() || 'none')(document.activeElement)"
	var parts []string
	flames := 0
	for range 120 {
		var at struct {
			Part  string
			Flame bool
		}
		p.evaluate(t, "{Part: "+part+", Flame: !!document.activeElement.closest('.flame')}", &at)
		if len(parts) == 0 || parts[len(parts)-1] != at.Part {
			parts = append(parts, at.Part)
		}
		if at.Flame {
			flames++
		}
		if at.Part == "footer" {
			break
		}
		p.run(t, chromedp.KeyEvent("\t"))
	}
	expect.Equal(t, "order", strings.Join(parts, " "), "skip nav header filters timeline main aside footer")
	expect.Equal(t, "stops in the flame graph", flames, 1)
}

// TestRangeKeys: the ends of the range are sliders, and [ and ] set them at the
// cursor.
func TestRangeKeys(t *testing.T) {
	p := open(t, reported(t, "net10-mix-cpu.v4")+"#/flame?type=wall&from=1s&to=2s")
	p.frame(t)
	p.evaluate(t, "(document.querySelector('.end').focus(), 0)", new(int))
	p.keys(t, kb.ArrowRight)
	expect.AtLeast(t, "from after an arrow", p.duration(t, "from"), time.Second+1)
	var value string
	p.evaluate(t, "document.querySelector('.end').getAttribute('aria-valuetext')", &value)
	expect.Contains(t, "value", value, "1.00", " s")
	p.keys(t, kb.Home)
	p.visit(t, "#/flame?type=wall&zoom=1s,3s")
	p.keys(t, "[")
	expect.Equal(t, "from at the cursor", p.duration(t, "from"), 2*time.Second)
	p.visit(t, "#/flame?type=wall&zoom=1s,2s")
	p.keys(t, "]")
	expect.Equal(t, "to at the cursor", p.duration(t, "to"), 1500*time.Millisecond)
}

// TestSplitter: the keyboard changes the width of the details, which the browser
// remembers.
func TestSplitter(t *testing.T) {
	p := open(t, reported(t, "net10-mix-gc.v4")+"#/flame")
	p.frame(t)
	before := p.place(t, "aside").Width
	p.evaluate(t, "(document.querySelector('.splitter.across').focus(), 0)", new(int))
	p.keys(t, kb.ArrowLeft, kb.ArrowLeft)
	expect.Equal(t, "width", p.place(t, "aside").Width, before+32)
	p.run(t, chromedp.Reload(), chromedp.WaitVisible("#command", chromedp.ByQuery))
	p.frame(t)
	expect.Equal(t, "width after reload", p.place(t, "aside").Width, before+32)
	p.evaluate(t, "(localStorage.clear(), 0)", new(int))
}
