package browser

import (
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestSummary: the first line says what the process did, and everything is above the fold.
func TestSummary(t *testing.T) {
	for _, c := range []struct{ name, report, lead, longest string }{
		{"samples", reported(t, "roslyn-net10-cpu.v4"), "24.28 s: 3 of 10 threads worked; those with samples were idle or waiting for 0 % of their time", "Longest pauses of a collection: 187.44 msAllocSmall, generation 2, backgroundRanBlocking"},
		{"requests", reportOf(t, truthFile(t, "aspnet-async")), "1.39 s: 14 of 28 threads worked; those with samples were idle or waiting for 87.5 % of their time", "Slowest request: 151.82 msPOST, /"},
		{"allocations", reportOf(t, truthFile(t, "alloc-truth-tick")), "0.11 s: no samples of threads; it has gc, alloc", "Allocates most: System.Byte[], 69.01 MB41.90 MB in Program.SiteBytes(int)"},
		{"counters", reported(t, "net10-counters.v4"), "4.63 s: no samples of threads; it has threads, spans, counters", ""},
		{"heap", reportOf(t, truthFile(t, "heap-leak-dump2")), "a dump of the heap What keeps the memory", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := open(t, c.report+"#/summary")
			p.run(t, chromedp.EmulateViewport(1280, 800))
			p.frame(t)
			expect.Contains(t, "first line", p.text(t, ".lead"), c.lead)
			expect.Contains(t, "longest", p.text(t, ".summary"), c.longest)
			var hidden float64
			p.evaluate(t, "(m => m.scrollHeight - m.clientHeight)(document.getElementById('main'))", &hidden)
			expect.Equal(t, "px below the fold", hidden, 0)
		})
	}
}
