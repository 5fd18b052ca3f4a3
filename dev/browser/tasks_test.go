package browser

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tracetest"
)

// actions are clicks, keys and taps of a user, which are counted. A text that is typed into a
// field with the key that ends it is one action, and so are two letters that open a page.
type actions struct {
	p *page
	n int
}

// first is an expression: the first element of a selector whose text begins with a text.
func first(selector, text string) string {
	return "[...document.querySelectorAll(" + quoted(selector) + ")].find(e => e.textContent.startsWith(" + quoted(text) + "))"
}

// at returns the middle of an element on the screen.
func (a *actions) at(t *testing.T, selector, text string) (x, y float64) {
	t.Helper()
	var b box
	a.p.evaluate(t, "(r => ({Left: r.left, Top: r.top, Width: r.width, Height: r.height}))("+first(selector, text)+".getBoundingClientRect())", &b)
	return b.Left + b.Width/2, b.Top + b.Height/2
}

// click clicks the first element whose text begins with a text.
func (a *actions) click(t *testing.T, selector, text string) {
	t.Helper()
	x, y := a.at(t, selector, text)
	a.p.run(t, chromedp.MouseClickXY(x, y))
	a.p.frame(t)
	a.n++
}

// tap touches the first element whose text begins with a text; the page scrolls to it.
func (a *actions) tap(t *testing.T, selector, text string) {
	t.Helper()
	a.p.evaluate(t, "("+first(selector, text)+".scrollIntoView({block: 'center'}), 0)", new(int))
	x, y := a.at(t, selector, text)
	a.p.run(t, input.DispatchTouchEvent(input.TouchStart, []*input.TouchPoint{{X: x, Y: y}}), input.DispatchTouchEvent(input.TouchEnd, []*input.TouchPoint{}))
	a.p.frame(t)
	a.n++
}

// key types keys: letters that open a page, or what is typed into a field.
func (a *actions) key(t *testing.T, keys string) {
	t.Helper()
	a.p.run(t, chromedp.KeyEvent(keys))
	a.p.frame(t)
	a.n++
}

// file chooses a file, for which a click, a key or a tap has asked.
func (a *actions) file(t *testing.T, path string) {
	t.Helper()
	a.p.run(t, chromedp.SetUploadFiles("input[type=file]", []string{path}, chromedp.ByQuery))
	a.p.waitFor(t, "the other trace", "document.querySelector('table[aria-label=Changes]') !== null")
	a.p.frame(t)
	a.n++
}

// TestTasks: users find what they look for with few actions: with the mouse, with the keyboard,
// and by touch on a phone.
func TestTasks(t *testing.T) {
	cpu, requests := reported(t, "roslyn-net10-cpu.v4"), reportOf(t, truthFile(t, "aspnet-async"))
	alloc, gc, locks := reportOf(t, truthFile(t, "alloc-truth-tick")), reported(t, "net10-mix-gc.v4"), reportOf(t, truthFile(t, "wait-truth"))
	older, newer := changedReports(t)
	heap := truthFile(t, "heap-leak-dump2")
	const flags = "from=2s to=2.5s thread=4523\r"
	for _, task := range []struct {
		name, report      string
		most              int
		mouse, key, touch func(*testing.T, *actions)
		answer            func(*testing.T, *page)
	}{
		{"hottest own method and its caller", cpu, 2,
			func(t *testing.T, a *actions) { a.click(t, ".summary h2 label", ""); a.click(t, ".methods button", "") },
			func(t *testing.T, a *actions) { a.key(t, "2"); a.key(t, "j") },
			func(t *testing.T, a *actions) { a.tap(t, ".summary h2 label", ""); a.tap(t, ".methods button", "") }, hottestAnswer},
		{"slowest request and its time", requests, 3,
			func(t *testing.T, a *actions) {
				a.click(t, ".longest button", "Slowest request")
				a.p.atSlowest(t)
				a.click(t, "section.row button", "Samples of its time and threads")
			},
			func(t *testing.T, a *actions) { a.key(t, "gr"); a.key(t, "\r"); a.p.atSlowest(t); a.key(t, "1") },
			func(t *testing.T, a *actions) {
				a.tap(t, ".longest button", "Slowest request")
				a.p.atSlowest(t)
				a.tap(t, "section.row button", "Samples of its time and threads")
			}, atWaits},
		{"type that allocates most and where", alloc, 2,
			func(t *testing.T, a *actions) { a.click(t, ".longest button", "Allocates most") },
			func(t *testing.T, a *actions) { a.key(t, "ga") },
			func(t *testing.T, a *actions) { a.tap(t, ".longest button", "Allocates most") },
			func(t *testing.T, p *page) {
				expect.Contains(t, "row", p.text(t, "section.row"), "typeSystem.Byte[]", "siteProgram.SiteBytes(int)", "41.90 MB")
			}},
		{"longest pause and its reason", gc, 2,
			func(t *testing.T, a *actions) { a.click(t, ".longest button", "Longest pauses of a collection") },
			func(t *testing.T, a *actions) { a.key(t, "gg") },
			func(t *testing.T, a *actions) { a.tap(t, ".longest button", "Longest pauses of a collection") }, pauseAnswer},
		{"holder of the most contended lock", locks, 2,
			func(t *testing.T, a *actions) { a.click(t, ".longest button", "Most contended lock") },
			func(t *testing.T, a *actions) { a.key(t, "gl") },
			func(t *testing.T, a *actions) { a.tap(t, ".longest button", "Most contended lock") }, holderAnswer},
		{"a thread from 2.0 to 2.5 s", cpu, 3,
			func(t *testing.T, a *actions) {
				a.click(t, "nav a", "Top")
				b := a.p.place(t, ".timeline canvas")
				x := func(at float64) float64 { return b.Left + namesOfThreads + at/24.28*(b.Width-namesOfThreads) }
				a.p.drag(t, x(2), x(2.5), b.Top+60)
				a.n++
				a.click(t, ".threads button", "4523")
			},
			func(t *testing.T, a *actions) { a.key(t, ":"); a.key(t, flags); a.key(t, "2") },
			func(t *testing.T, a *actions) {
				a.tap(t, "#flags", "")
				a.n-- // the keyboard of the phone opens
				a.key(t, flags)
				a.tap(t, ".menu-button", "")
				a.tap(t, "nav a", "Top")
			}, threadAnswer},
		{"what became slower", newer, 3,
			func(t *testing.T, a *actions) { a.click(t, "#compare", ""); a.file(t, older) },
			func(t *testing.T, a *actions) { a.key(t, "="); a.file(t, older) },
			func(t *testing.T, a *actions) { a.tap(t, "#compare", ""); a.file(t, older) },
			func(t *testing.T, p *page) {
				var row []string
				p.evaluate(t, "[...document.querySelector('main tbody tr').cells].map(c => c.textContent)", &row)
				expect.Contains(t, "first row", strings.Join(row, " "), "Slower")
				expect.Contains(t, "command", p.text(t, "#command"), "top --diff older.nettrace")
			}},
		{"what keeps the most memory", reportOf(t, heap), 2,
			func(t *testing.T, a *actions) { a.click(t, ".lead button", "What keeps the memory") },
			func(t *testing.T, a *actions) { a.key(t, "gh") },
			func(t *testing.T, a *actions) { a.tap(t, ".lead button", "What keeps the memory") },
			func(t *testing.T, p *page) {
				p.dumpShown(t)
				most := slices.MaxFunc(heapOf(t, heap).Types, func(a, b heapRow) int { return int(a.RetainedBytes - b.RetainedBytes) })
				expect.Contains(t, "details", p.text(t, "section.row"), "Keeps most memory"+most.Type)
			}},
	} {
		for _, by := range []struct {
			name string
			do   func(*testing.T, *actions)
		}{{"mouse", task.mouse}, {"keyboard", task.key}, {"touch", task.touch}} {
			t.Run(task.name+"/"+by.name, func(t *testing.T) {
				a := actions{p: open(t, task.report+"#/summary")}
				if by.name == "touch" {
					a.p.run(t, chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch))
				} else {
					a.p.run(t, chromedp.EmulateViewport(1280, 800))
				}
				a.p.frame(t)
				by.do(t, &a)
				task.answer(t, a.p)
				expect.AtMost(t, "actions", a.n, task.most)
			})
		}
	}
}

// hottestAnswer checks that the details have the own method with the most time, and its
// callers with the one of the most samples first.
func hottestAnswer(t *testing.T, p *page) {
	t.Helper()
	trace := traceOnce(t, "roslyn-net10-cpu.v4")
	var want top
	expect.NoError(t, json.Unmarshal([]byte(command(t, "top", "--json", "--limit", "1", "--just-my-code", trace)), &want))
	expect.Equal(t, "method", p.text(t, "aside .name"), want.Rows[0].Name)
	expect.Contains(t, "details", p.text(t, "aside"), "Callers")
	calls := callsOf(t, trace, "--callers", "^"+escapedExpression(want.Rows[0].Name)+"$", "--just-my-code")
	var caller string
	p.evaluate(t, "document.querySelector('aside .near button').title", &caller)
	expect.Equal(t, "first caller", caller, calls[0].Calls[0].Name)
	expect.AtLeast(t, "width of the details", p.place(t, "aside").Width, 180)
}

// escapedExpression returns a regular expression for a text.
func escapedExpression(text string) string {
	return strings.NewReplacer("(", `\(`, ")", `\)`, "[", `\[`, "]", `\]`, ".", `\.`, "+", `\+`).Replace(text)
}

// pauseAnswer checks that the details have the collection with the longest pauses, and why
// it ran.
func pauseAnswer(t *testing.T, p *page) {
	t.Helper()
	var rows []struct {
		Number, PauseNs int64
		Reason          string
	}
	p.evaluate(t, "nettrace.head().parts.gc.flatMap(r => r.rows)", &rows)
	want := rows[0]
	for _, r := range rows {
		if r.PauseNs > want.PauseNs {
			want = r
		}
	}
	expect.Contains(t, "details", p.text(t, "section.row"), "reason"+want.Reason, "number"+strconv.FormatInt(want.Number, 10))
}

// holderAnswer checks that the details have the lock for which threads waited longest, and the
// thread that held it.
func holderAnswer(t *testing.T, p *page) {
	t.Helper()
	var rows []struct {
		TotalNs int64
		Method  string
		Holder  struct{ ThreadID int64 }
	}
	p.evaluate(t, "nettrace.head().parts.locks.flatMap(r => r.rows)", &rows)
	want := rows[0]
	for _, r := range rows {
		if r.TotalNs > want.TotalNs {
			want = r
		}
	}
	expect.NotZero(t, "holder", want.Holder.ThreadID)
	expect.Contains(t, "details", p.text(t, "section.row"), "method"+want.Method, "thread id "+strconv.FormatInt(want.Holder.ThreadID, 10))
}

// threadAnswer checks that the first row is what the thread did most in the range, which a
// drag sets to a pixel.
func threadAnswer(t *testing.T, p *page) {
	t.Helper()
	var wrong []string
	p.evaluate(t, "[...document.querySelectorAll('.error')].map(e => e.textContent)", &wrong)
	expect.Slices(t, "errors", wrong, nil)
	from, to := p.duration(t, "from"), p.duration(t, "to")
	expect.AtMost(t, "ns from 2.0 s", (from - 2*time.Second).Abs(), 40*time.Millisecond)
	expect.AtMost(t, "ns from 2.5 s", (to - 2500*time.Millisecond).Abs(), 40*time.Millisecond)
	var want top
	expect.NoError(t, json.Unmarshal([]byte(command(t, "top", "--json", "--limit", "1", "--from", from.String(), "--to", to.String(), "--thread", "4523", traceOnce(t, "roslyn-net10-cpu.v4"))), &want))
	var names []string
	p.evaluate(t, "[...document.querySelectorAll('main tbody tr[aria-rowindex=\"2\"] td')].map(c => c.title)", &names)
	if !slices.Contains(names, want.Rows[0].Name) {
		t.Errorf("the first row has %q, want %q", names, want.Rows[0].Name)
	}
}

// changedReports writes the reports of two traces of a process, in the second of which one
// method takes three times as long. It returns the file of the first, and the address of the second.
func changedReports(t *testing.T) (older, newer string) {
	t.Helper()
	dir := t.TempDir()
	for name, slower := range map[string]int{"older": 100, "newer": 300} {
		path := filepath.Join(dir, name+".nettrace")
		expect.NoError(t, os.WriteFile(path, workTrace(slower).Trace().Bytes(), 0o666))
		command(t, "report", "--force", "-o", filepath.Join(dir, name+".html"), path)
	}
	return filepath.Join(dir, "older.html"), "file://" + filepath.Join(dir, "newer.html")
}

// workTrace makes a trace of a thread that runs two methods for 100 ms each, and another one for some ms.
func workTrace(slower int) *tracetest.Trace {
	m := tracetest.New(wire.V4)
	at := uint64(0)
	for i, work := range []struct {
		name string
		ms   int
	}{{"Same", 100}, {"Other", 100}, {"Slower", slower}} {
		start := uint64(0x1000 * (i + 1))
		m.Add(tracetest.Event{At: 1, Thread: 1, ID: 143, Version: 2, Payload: []any{
			uint64(i + 1), uint64(1), start, uint32(0x100), uint32(0x06000001 + i), uint32(0), text16("Work"), text16(work.name), text16("void ()"), uint16(0), uint64(0)}})
		for range work.ms {
			at++
			m.Add(tracetest.Event{At: 1000 * at, Thread: 1, Provider: "Microsoft-DotNETCore-SampleProfiler", Version: 1, Stack: []uint64{start + 0x10}, Payload: []any{uint32(2)}})
		}
	}
	return m
}
