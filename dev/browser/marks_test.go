package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestMarks: the timeline has rows for exceptions and waits for locks. A click on a mark sets
// the range to it and selects its row.
func TestMarks(t *testing.T) {
	for _, c := range []struct{ trace, part, option, sentence, cell string }{
		{"net10-mix-cpu.v4", "exceptions", "exceptions", "exceptions: 148", "MyEx"},
		{"net10-mix-locks.v4", "locks", "lock", "locks: 654 waits, 730.74 ms", "Mix.Locks"},
	} {
		t.Run(c.part, func(t *testing.T) {
			p := open(t, reported(t, c.trace)+"#/flame")
			p.frame(t)
			var lanes []string
			p.evaluate(t, "[...document.querySelectorAll('.lanes li[aria-label]')].map(l => l.getAttribute('aria-label'))", &lanes)
			expect.Contains(t, "rows of marks", strings.Join(lanes, "\n"), c.sentence)
			var lane struct{ Left, Top, Width float64 }
			p.evaluate(t, `(l => ({Left: l.left, Top: l.top, Width: 0}))([...document.querySelectorAll('.lanes li')].find(l => l.textContent === `+quoted(c.part)+`).getBoundingClientRect())`, &lane)
			// The first mark of the row.
			var at float64
			p.evaluate(t, `(() => { const c = document.querySelector('.timeline canvas'), b = c.getBoundingClientRect(), y = `+number(int64(lane.Top))+` + 8 - b.top
				const row = c.getContext('2d').getImageData(0, Math.round(y), c.width, 1).data, page = [row[4 * 151], row[4 * 151 + 1], row[4 * 151 + 2]]
				for (let x = 152; x < c.width; x++) if (Math.abs(row[4 * x] - row[4 * x + 2]) > 60) return b.left + x + 0.5
				return -1 })()`, &at)
			expect.AtLeast(t, "x of a mark", at, 0)
			p.run(t, chromedp.MouseEvent("mouseMoved", at, lane.Top+8))
			p.frame(t)
			expect.Contains(t, "status line", p.text(t, "#hover"), c.part+" ", c.cell)
			p.run(t, chromedp.MouseClickXY(at, lane.Top+8))
			p.frame(t)
			name, values := p.address(t)
			expect.Equal(t, "page", name, c.part)
			expect.NotZero(t, "from", values.Get("from"))
			expect.Contains(t, "selected row", p.text(t, "section.row"), c.cell)
		})
	}
}

// TestRepaired: the details say how many stacks of a method are repaired, on what evidence.
func TestRepaired(t *testing.T) {
	p := open(t, reported(t, "roslyn-net10-cpu.v4")+"#/top?type=wall")
	p.evaluate(t, "(location.hash = '#/top?type=wall&method=' + encodeURIComponent(nettrace.top('#/top?type=wall').rows.sort((a, b) => b.total - a.total)[0].name), 0)", new(int))
	p.frame(t)
	expect.Contains(t, "details", p.text(t, "aside"), " repaired: the runtime truncated them at 100 frames.", " at the root, each after at least ", " equal frames of another stack")
}
