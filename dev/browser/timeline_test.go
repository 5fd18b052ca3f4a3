package browser

import (
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tracetest"
)

// TestTimelineDrag: a drag inside the range moves it, a drag of an end moves that
// end, and Back undoes a drag.
func TestTimelineDrag(t *testing.T) {
	p := open(t, reported(t, "net10-mix-cpu.v4")+"#/flame?type=wall&from=1s&to=2s")
	p.frame(t)
	b := p.place(t, ".timeline canvas")
	var head struct{ StartNs, EndNs float64 }
	p.evaluate(t, "nettrace.head()", &head)
	x := func(seconds float64) float64 {
		return b.Left + namesOfThreads + (seconds*1e9-head.StartNs)/(head.EndNs-head.StartNs)*(b.Width-namesOfThreads)
	}
	near := func(what string, got time.Duration, want float64) {
		t.Helper()
		if d := got.Seconds() - want; d < -0.02 || d > 0.02 {
			t.Errorf("%s is %v, want %.2f s within 0.02 s", what, got, want)
		}
	}
	p.drag(t, x(1.5), x(2.5), b.Top+60)
	near("from after a drag inside", p.duration(t, "from"), 2)
	near("to after a drag inside", p.duration(t, "to"), 3)
	expect.Equal(t, "length", p.duration(t, "to")-p.duration(t, "from"), time.Second)
	p.drag(t, x(3), x(4), b.Top+60)
	near("from after a drag of the end", p.duration(t, "from"), 2)
	near("to after a drag of the end", p.duration(t, "to"), 4)
	p.run(t, chromedp.NavigateBack())
	p.frame(t)
	near("to after Back", p.duration(t, "to"), 3)
}

// TestTimelineZoom: Ctrl+wheel zooms at the pointer, Shift+wheel pans, a double click
// zooms to the range; the zoom is in the address and filters nothing.
func TestTimelineZoom(t *testing.T) {
	p := open(t, reported(t, "net10-mix-cpu.v4")+"#/flame?type=wall&from=1s&to=2s")
	p.frame(t)
	before := p.text(t, "header .muted")
	b := p.place(t, ".timeline canvas")
	wheel := func(modifiers input.Modifier) {
		p.run(t, chromedp.MouseEvent(input.MouseWheel, b.Left+500, b.Top+60, func(e *input.DispatchMouseEventParams) *input.DispatchMouseEventParams {
			return e.WithDeltaX(0.01).WithDeltaY(-100).WithModifiers(modifiers) // 0 would be left out
		}))
		p.frame(t)
	}
	zoom := func() string {
		_, values := p.address(t)
		return values.Get("zoom")
	}
	wheel(0)
	expect.Equal(t, "zoom after the wheel alone", zoom(), "")
	wheel(2) // Ctrl
	first := zoom()
	expect.NotZero(t, "zoom after Ctrl+wheel", first)
	wheel(8) // Shift
	if second := zoom(); second == first || second == "" {
		t.Errorf("the zoom after Shift+wheel is %q, after Ctrl+wheel it was %q", second, first)
	}
	p.keys(t, "0")
	p.visit(t, "#/flame?type=wall&from=1s&to=2s")
	var head struct{ StartNs, EndNs float64 }
	p.evaluate(t, "nettrace.head()", &head)
	at := b.Left + namesOfThreads + (1.5e9-head.StartNs)/(head.EndNs-head.StartNs)*(b.Width-namesOfThreads)
	p.run(t, chromedp.MouseClickXY(at, b.Top+60, chromedp.ClickCount(2)))
	p.frame(t)
	expect.Equal(t, "zoom after a double click", zoom(), "1s,2s")
	expect.Equal(t, "head", p.text(t, "header .muted"), before)
}

// TestTimeUnits: an axis has times in the unit that its steps need, and long times have hours.
func TestTimeUnits(t *testing.T) {
	p := open(t, reported(t, "net10-mix-cpu.v4"))
	for zoom, want := range map[string]string{"1s,2s": "1.2 s", "1s,1.0005s": "1000.1 ms", "1s,1.000002s": "1000000.5 µs"} {
		p.visit(t, "#/time?type=wall&zoom="+zoom)
		var times []string
		p.evaluate(t, "[...document.querySelectorAll('.axis span')].map(e => e.textContent)", &times)
		if !slices.Contains(times, want) {
			t.Errorf("the axis of %s has %q, want %s in it", zoom, times, want)
		}
	}
	m := tracetest.New(wire.V4)
	for _, at := range []uint64{0, 259_140_000_000} {
		m.Add(tracetest.Event{At: at, Thread: 1, ID: 3, Version: 1, Payload: []any{uint16(0)}})
	}
	p = open(t, reportOf(t, written(t, m))+"#/summary")
	p.frame(t)
	expect.Contains(t, "first line", p.text(t, ".lead"), "71 h 59 min")
}
