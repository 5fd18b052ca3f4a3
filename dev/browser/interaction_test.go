package browser

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// box is the place of an element in the window.
type box struct{ Left, Top, Width, Height float64 }

// place returns the place of an element.
func (p *page) place(t *testing.T, selector string) box {
	t.Helper()
	var b box
	p.evaluate(t, "(r => ({Left: r.left, Top: r.top, Width: r.width, Height: r.height}))(document.querySelector("+quoted(selector)+").getBoundingClientRect())", &b)
	return b
}

// address returns the page and the flags in the address.
func (p *page) address(t *testing.T) (string, url.Values) {
	t.Helper()
	var hash string
	p.evaluate(t, "location.hash", &hash)
	name, query, _ := strings.Cut(strings.TrimPrefix(hash, "#/"), "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	return name, values
}

// duration returns a flag in the address as a time.
func (p *page) duration(t *testing.T, flag string) time.Duration {
	t.Helper()
	_, values := p.address(t)
	d, err := time.ParseDuration(values.Get(flag))
	if err != nil {
		t.Fatalf("--%s: %v", flag, err)
	}
	return d
}

// drag moves the mouse with its button down.
func (p *page) drag(t *testing.T, fromX, toX, y float64) {
	t.Helper()
	p.run(t, chromedp.MouseEvent("mousePressed", fromX, y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
	for i := range 5 {
		p.run(t, chromedp.MouseEvent("mouseMoved", fromX+(toX-fromX)*float64(i+1)/5, y, chromedp.ButtonLeft))
	}
	p.run(t, chromedp.MouseEvent("mouseReleased", toX, y, chromedp.ButtonLeft, chromedp.ClickCount(1)))
	p.frame(t)
}

// keys types keys.
func (p *page) keys(t *testing.T, keys ...string) {
	t.Helper()
	for _, key := range keys {
		p.run(t, chromedp.KeyEvent(key))
	}
	p.frame(t)
}

// namesOfThreads is the width of the timeline's names in px.
const namesOfThreads = 150

// Test13: a drag from 25 % to 50 % of the timeline sets from and to within one
// pixel.
func Test13Drag(t *testing.T) {
	p := open(t, reported(t, "net10-mix-cpu.v4")+"#/flame")
	p.frame(t)
	var head struct {
		StartNs, EndNs float64
	}
	p.evaluate(t, "nettrace.head()", &head)
	b := p.place(t, ".timeline canvas")
	width := b.Width - namesOfThreads
	p.drag(t, b.Left+namesOfThreads+width/4, b.Left+namesOfThreads+width/2, b.Top+10)
	pixel := (head.EndNs - head.StartNs) / width
	for flag, part := range map[string]float64{"from": 0.25, "to": 0.5} {
		want := head.StartNs + part*(head.EndNs-head.StartNs)
		got := float64(p.duration(t, flag))
		if got < want-pixel || got > want+pixel {
			t.Errorf("--%s is %.0f ns, want %.0f within %.0f", flag, got, want, pixel)
		}
	}
	expect.Contains(t, "command", p.text(t, "#command"), "--from ", "--to ")
}

// Test14: Esc clears the selection, Back restores the filter, reload keeps all.
func Test14History(t *testing.T) {
	p := open(t, reported(t, "net10-mix-cpu.v4")+"#/top?type=wall")
	p.frame(t)
	var before, after int
	p.evaluate(t, "history.length", &before)
	p.keys(t, "\x1b")
	p.frame(t)
	p.evaluate(t, "history.length", &after)
	expect.Equal(t, "entries of the history after Esc without a selection", after, before)
	p.keys(t, "j")
	_, values := p.address(t)
	expect.Equal(t, "just-my-code", values.Has("just-my-code"), true)
	p.run(t, chromedp.NavigateBack())
	p.frame(t)
	_, values = p.address(t)
	expect.Equal(t, "just-my-code after Back", values.Has("just-my-code"), false)
	p.run(t, chromedp.Click("tbody tr[aria-rowindex='2']", chromedp.ByQuery))
	p.frame(t)
	name := p.text(t, "aside .name")
	p.run(t, chromedp.Reload(), chromedp.WaitVisible("#command", chromedp.ByQuery))
	p.frame(t)
	expect.Equal(t, "selection after reload", p.text(t, "aside .name"), name)
	p.keys(t, "\x1b")
	expect.Equal(t, "selection after Esc", p.text(t, "#live"), "")
	_, values = p.address(t)
	expect.Equal(t, "method after Esc", values.Get("method"), "")
	p.visit(t, "#/flame?type=wall")
	expect.Equal(t, "details without a selection", p.text(t, "aside .content > p"), "Select a method.")
	p.run(t, chromedp.NavigateBack())
	p.frame(t)
	p.run(t, chromedp.NavigateBack())
	p.frame(t)
	expect.Equal(t, "selection after Back", p.text(t, "aside .name"), name)
}

// Test15: a double click zooms; the ancestors stay.
func Test15Zoom(t *testing.T) {
	p := open(t, reported(t, "net10-mix-cpu.v4")+"#/flame?type=wall")
	p.frame(t)
	b := p.place(t, ".flame canvas")
	p.run(t, chromedp.MouseClickXY(b.Left+40, b.Top+50))
	p.frame(t)
	selected := p.text(t, "aside .name")
	p.run(t, chromedp.MouseClickXY(b.Left+40, b.Top+50, chromedp.ClickCount(2)))
	p.frame(t)
	_, values := p.address(t)
	expect.NotZero(t, "root", values.Get("root"))
	p.run(t, chromedp.MouseEvent("mouseMoved", b.Left+b.Width-40, b.Top+50))
	p.frame(t)
	expect.Contains(t, "the zoomed box reaches the right edge", p.text(t, "#hover"), selected)
	p.run(t, chromedp.MouseEvent("mouseMoved", b.Left+b.Width-40, b.Top+10))
	p.frame(t)
	expect.Contains(t, "the ancestor above it", p.text(t, "#hover"), "all")
}

// TestLeafUpZoom: a double click on a box of a leaf-up graph zooms to it, Backspace zooms out.
func TestLeafUpZoom(t *testing.T) {
	p := open(t, reported(t, "net10-mix-cpu.v4")+"#/flame?type=wall&up=1")
	p.frame(t)
	b := p.place(t, ".flame canvas")
	hover := func(x, y float64) string {
		p.run(t, chromedp.MouseEvent("mouseMoved", b.Left+x, b.Top+y))
		p.frame(t)
		return p.text(t, "#hover")
	}
	zoom := func() {
		p.run(t, chromedp.MouseClickXY(b.Left+40, b.Top+30, chromedp.ClickCount(2)))
		p.frame(t)
	}
	zoom() // opens a row of several frames
	box := hover(40, 30)
	if right := hover(b.Width-40, 30); right == box {
		t.Fatalf("the first box is as wide as the graph: %s", box)
	}
	zoom()
	expect.Equal(t, "the zoomed box at the right edge", hover(b.Width-40, 30), box)
	expect.Contains(t, "the ancestor above it", hover(b.Width-40, 10), "all")
	_, values := p.address(t)
	if !strings.HasSuffix(values.Get("root"), "^1") {
		t.Errorf("root is %q, want a node and ^1", values.Get("root"))
	}
	p.keys(t, kb.Backspace)
	expect.Equal(t, "the box after Backspace", hover(40, 30), box)
	_, values = p.address(t)
	expect.Equal(t, "root after Backspace", values.Get("root"), "")
}

// Test17: Alt+click removes a box; its chip restores it.
func Test17Ignore(t *testing.T) {
	p := open(t, reported(t, "net10-mix-cpu.v4")+"#/flame?type=wall")
	p.frame(t)
	before := p.text(t, "header .muted")
	b := p.place(t, ".flame canvas")
	p.run(t, chromedp.MouseClickXY(b.Left+40, b.Top+30, chromedp.ButtonModifiers(1)))
	p.frame(t)
	_, values := p.address(t)
	expect.NotZero(t, "ignore", values.Get("ignore"))
	if after := p.text(t, "header .muted"); after == before {
		t.Errorf("the head is still %s", after)
	}
	p.run(t, chromedp.Click("button[aria-label^='Remove ignore']", chromedp.ByQuery))
	p.frame(t)
	expect.Equal(t, "head", p.text(t, "header .muted"), before)
}

// Test18: the selection is the same in the pages of the profile.
func Test18Selection(t *testing.T) {
	p := open(t, reported(t, "net10-mix-cpu.v4")+"#/flame?type=wall&state=running")
	p.frame(t)
	b := p.place(t, ".flame canvas")
	p.run(t, chromedp.MouseClickXY(b.Left+40, b.Top+50))
	p.frame(t)
	name, live := p.text(t, "aside .name"), p.text(t, "#live")
	expect.Contains(t, "sentence", live, "depth 2")
	short, _, _ := strings.Cut(name, "(")
	short = short[strings.LastIndexByte(short, '.')+1:]
	for _, page := range []struct{ key, selector, want string }{
		{"2", "tr.selected", short}, {"3", "tr.selected", short}, {"4", "aside .name", name}, {"1", "aside .name", name},
	} {
		p.keys(t, page.key)
		expect.Contains(t, "selection on page "+page.key, p.text(t, page.selector), page.want)
		expect.Equal(t, "sentence on page "+page.key, p.text(t, "#live"), live)
	}
}

// Test22: the address, opened again, gives the same picture.
func Test22Address(t *testing.T) {
	report := reported(t, "net10-mix-cpu.v4")
	p := open(t, report+"#/flame?type=wall&state=running")
	p.frame(t)
	p.keys(t, "j", "r")
	var address string
	p.evaluate(t, "location.href", &address)
	other := open(t, address)
	other.frame(t)
	picture := func(p *page) string {
		var data string
		p.evaluate(t, "document.querySelector('.flame canvas').toDataURL() + document.querySelector('.timeline canvas').toDataURL()", &data)
		return data
	}
	a, b := picture(p), picture(other)
	expect.AtLeast(t, "length of the picture", len(a), 5000)
	if a != b {
		t.Error("the pictures differ")
	}
}

// Test26: the sentence of the live region has the numbers of the details.
func Test26Live(t *testing.T) {
	p := open(t, reported(t, "net10-mix-cpu.v4")+"#/top?type=wall&state=running")
	p.frame(t)
	p.run(t, chromedp.Click("tbody tr[aria-rowindex='2']", chromedp.ByQuery))
	p.frame(t)
	var facts []string
	p.evaluate(t, "[...document.querySelectorAll('aside dd')].map(d => d.firstChild.textContent.trim())", &facts)
	expect.Contains(t, "sentence", p.text(t, "#live"), p.text(t, "aside .name"), "self "+facts[0], "total "+facts[1])
}

// Test32: a trace with 500 threads shows at most 15 tracks at first.
func Test32Threads(t *testing.T) {
	p := open(t, reported(t, "net10-mix-locks.v4")+"#/flame?type=wait")
	p.frame(t)
	tracks := func() int {
		var n int
		p.evaluate(t, "document.querySelectorAll('.threads li').length", &n)
		return n
	}
	expect.Equal(t, "tracks at first", tracks(), 15)
	text := p.text(t, ".timeline .more")
	var more int
	if _, err := fmt.Sscanf(text, "%d threads", &more); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	p.run(t, chromedp.Click(".timeline .more", chromedp.ByQuery))
	p.frame(t)
	expect.Equal(t, "all tracks", tracks(), 15+more)
}

// Test19: a click on the mark of a collection selects its time on page gc.
func Test19Mark(t *testing.T) {
	p := open(t, reported(t, "net10-mix-gc.v4")+"#/gc")
	p.frame(t)
	var head struct {
		StartNs, EndNs float64
		Marks          []struct {
			Kind         string
			FromNs, ToNs float64
		}
	}
	p.evaluate(t, "nettrace.head()", &head)
	longest := head.Marks[0]
	for _, m := range head.Marks {
		if m.Kind == "pause" && m.ToNs-m.FromNs > longest.ToNs-longest.FromNs {
			longest = m
		}
	}
	b := p.place(t, ".timeline canvas")
	x := b.Left + namesOfThreads + ((longest.FromNs+longest.ToNs)/2-head.StartNs)/(head.EndNs-head.StartNs)*(b.Width-namesOfThreads)
	p.run(t, chromedp.MouseClickXY(x, b.Top+32)) // in the row of collections
	p.frame(t)
	name, _ := p.address(t)
	expect.Equal(t, "page", name, "gc")
	expect.Equal(t, "from", p.duration(t, "from"), time.Duration(longest.FromNs))
	expect.Equal(t, "to", p.duration(t, "to"), time.Duration(longest.ToNs))
	var rows int
	p.evaluate(t, "document.querySelectorAll('main tbody tr').length", &rows)
	expect.Equal(t, "rows of the range", rows, 1)
	p.visit(t, "#/gc")
	p.evaluate(t, "(document.querySelector('.longest button').click(), 0)", new(int))
	p.frame(t)
	expect.Equal(t, "from of the longest pauses", p.duration(t, "from"), time.Duration(longest.FromNs))
	expect.Equal(t, "to of the longest pauses", p.duration(t, "to"), time.Duration(longest.ToNs))
}

// TestTimeOrder: the page shows one thread, and its command names it.
func TestTimeOrder(t *testing.T) {
	p := open(t, reported(t, "net10-mix-cpu.v4")+"#/time?type=wall&state=running&from=4s&to=5s")
	p.frame(t)
	b := p.place(t, ".flame canvas")
	p.run(t, chromedp.MouseEvent("mouseMoved", b.Left+b.Width/2, b.Top+10))
	p.frame(t)
	expect.Contains(t, "the box at the root", p.text(t, "#hover"), "total ")
	expect.Contains(t, "command", p.text(t, "#command"), "--from 4s --to 5s --thread ")
	var tooltip string
	p.evaluate(t, "document.querySelector('.flame canvas').title", &tooltip)
	expect.Contains(t, "tooltip", tooltip, p.text(t, "#hover"), " of the whole trace")
	p.run(t, chromedp.MouseClickXY(b.Left+b.Width/2, b.Top+10, chromedp.ClickCount(2)))
	p.frame(t)
	_, values := p.address(t)
	from, to, _ := strings.Cut(values.Get("zoom"), ",")
	begin, err := time.ParseDuration(from)
	expect.NoError(t, err)
	end, err := time.ParseDuration(to)
	expect.NoError(t, err)
	if begin < 4*time.Second || end > 5*time.Second || end-begin >= time.Second {
		t.Errorf("the time of the box is %v to %v, want a part of 4s to 5s", begin, end)
	}
	p.keys(t, kb.Backspace)
	_, values = p.address(t)
	expect.Equal(t, "zoom after Backspace", values.Get("zoom"), "")
}

// TestTableScroll: a table stays where it is scrolled to while its rows are made again.
func TestTableScroll(t *testing.T) {
	p := open(t, reported(t, "net10-mix-cpu.v4")+"#/top?type=wall")
	p.frame(t)
	p.evaluate(t, "(document.querySelector('main .table').scrollTop = 300, 0)", new(int))
	p.frame(t)
	p.frame(t)
	var top float64
	p.evaluate(t, "document.querySelector('main .table').scrollTop", &top)
	expect.Equal(t, "scrollTop", top, 300)
}

// TestFirstDrawing: the first time that a table is drawn it has the columns that fit into it.
func TestFirstDrawing(t *testing.T) {
	p := open(t, reportOf(t, traceFile(t, "net10-mix-cpu.v4"), "--diff", traceFile(t, "aspnet-net10.v4"))+"#/summary?type=wall")
	const heads = "[...document.querySelectorAll('main table[aria-label=Changes] th')].map(c => c.textContent).join()"
	var first, last string
	p.await(t, `new Promise(done => {
		const look = () => { const found = `+heads+`; if (found) done(found); else requestAnimationFrame(look) }
		location.hash = "#/top?type=wall"
		look()
	})`, &first)
	p.frame(t)
	p.evaluate(t, heads, &last)
	expect.Contains(t, "columns", last, ",in")
	expect.Equal(t, "columns of the first drawing", first, last)
}
