package browser

import (
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestChart: the chart of a counter shows the value that is nearest to the pointer.
func TestChart(t *testing.T) {
	p := open(t, reported(t, "azmcp-net10-counters.v4")+"#/counters")
	p.frame(t)
	var last, count string
	p.evaluate(t, "String(nettrace.head().counters[0].values.length)", &count)
	expect.Contains(t, "chart without the pointer", p.text(t, ".chart p"), count+" values from ")
	b := p.place(t, ".chart canvas")
	p.run(t, chromedp.MouseEvent("mouseMoved", b.Left+b.Width-10, b.Top+50))
	p.frame(t)
	p.evaluate(t, "document.querySelector('tbody tr.selected td.right').textContent", &last)
	expect.Contains(t, "chart at its end", p.text(t, ".chart p"), ": "+last+" at ")
}
