package browser

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// eventList is what the page Events shows.
type eventList struct {
	Matched int
	Events  []any
}

// eventLines returns the events that "nettrace events" prints for the flags of a query.
func eventLines(t *testing.T, trace, query string) (list []any) {
	t.Helper()
	args := []string{"events", "--format", "ndjson", "--fields", "--stacks", trace}
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	for name, of := range values {
		for _, value := range of {
			args = append(args, "--"+name, value)
		}
	}
	for line := range strings.Lines(command(t, args...)) {
		var event map[string]any
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatal(err)
		}
		if event["type"] == "event" {
			list = append(list, event)
		}
	}
	return list
}

// Test10: the first and the last 1,000 events, and those of a filter, equal those of
// "nettrace events", in the page of a server and in a report.
func Test10Events(t *testing.T) {
	trace := traceFile(t, "net10-mix-gc.v4")
	address, _ := serve(t, trace)
	for kind, address := range map[string]string{"served": address, "report": reportOf(t, trace, "--events")} {
		p := open(t, address)
		for _, query := range []string{"", "provider=*Runtime&event=10,GC*&from=1s&to=2500ms", "event=0x1-3&level=warning", "keyword=0x1&thread=0-99999", "provider=m[ij]cro?oft-w*&event=gc*[^sS],!x"} {
			t.Run(kind+" "+query, func(t *testing.T) {
				want := eventLines(t, trace, query)
				expect.AtLeast(t, "events", len(want), 1)
				for _, after := range []int{0, max(0, len(want)-1000)} {
					var got eventList
					p.await(t, fmt.Sprintf("nettrace.events(%s, %d, 1000)", quoted("#/events?"+query), after), &got)
					expect.Equal(t, "matched", got.Matched, len(want))
					expect.Equal(t, "events", text(t, got.Events), text(t, want[after:min(len(want), after+1000)]))
				}
			})
		}
	}
}

// TestEventsRows: the table shows the rows where it is scrolled to, and the fields and
// the stack of the selected event.
func TestEventsRows(t *testing.T) {
	trace := traceFile(t, "net10-mix-gc.v4")
	address, _ := serve(t, trace, "--page", "events", "--provider", "*Runtime", "--event", "GCAllocationTick*")
	p := open(t, address)
	p.waitFor(t, "rows", "document.querySelectorAll('main tbody tr td').length > 5")
	expect.Contains(t, "number", p.text(t, "#matched"), " events")
	var times, printed []string
	p.evaluate(t, "[...document.querySelectorAll('main tbody td:first-child')].map(td => td.textContent).filter(text => text).slice(0, 20)", &times)
	for line := range strings.Lines(command(t, "events", "--provider", "*Runtime", "--event", "GCAllocationTick*", "--limit", strconv.Itoa(len(times)), trace)) {
		at, _, _ := strings.Cut(strings.TrimLeft(line, " +"), " s ")
		printed = append(printed, at+" s")
	}
	expect.Slices(t, "times", times, printed)
	p.run(t, chromedp.Click("main tbody tr[aria-rowindex='3']", chromedp.ByQuery))
	p.waitFor(t, "frames", "document.querySelectorAll('.frames li').length > 1")
	expect.Contains(t, "selected event", p.text(t, "section.row"), "GCAllocationTick", "TypeName", "AllocationAmount")
	expect.Contains(t, "command", p.text(t, "#command"), "nettrace events --provider '*Runtime' --event 'GCAllocationTick*'")
	p.evaluate(t, "(document.querySelector('main .table').scrollTop = 1e9, 0)", new(int))
	p.waitFor(t, "the last row", "!!document.querySelector('main tbody tr:last-child td')?.textContent.endsWith(' s')")
	var rows, last int
	p.evaluate(t, "Number(document.querySelector('main table').getAttribute('aria-rowcount'))", &rows)
	p.evaluate(t, "Number(document.querySelector('main tbody tr:last-child').getAttribute('aria-rowindex'))", &last)
	expect.Equal(t, "last row", last, rows)
}

// TestCopyEarly: a copy of the events has all of them, also when it begins before the
// table has its first rows.
func TestCopyEarly(t *testing.T) {
	address, _ := serve(t, traceFile(t, "net10-mix-gc.v4"), "--provider", "*Runtime", "--event", "GCAllocationTick*")
	p := open(t, address)
	p.evaluate(t, `(() => {
		const answered = fetch, held = new Promise(answer => window.answer = answer)
		window.fetch = (url, options) => String(url).startsWith('/api/events') ? held.then(() => answered(url, options)) : answered(url, options)
		navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve() }
		return 0
	})()`, new(int))
	p.run(t, chromedp.Click("//nav//a[starts-with(text(),'Events')]"))
	p.run(t, chromedp.Click("//main//button[text()='Copy TSV']"))
	p.evaluate(t, "(answer(), 0)", new(int))
	p.waitFor(t, "the copy", "document.querySelector('.copies [role=status]').textContent === 'copied'")
	p.waitFor(t, "rows", "document.querySelectorAll('main tbody tr td').length > 5")
	var rows, lines int
	p.evaluate(t, "Number(document.querySelector('main table').getAttribute('aria-rowcount'))", &rows)
	p.evaluate(t, "copied.split('\\n').length - 1", &lines)
	expect.Equal(t, "copied lines", lines, rows)
}

// Test21: three selected events give a flame graph of three stacks.
func Test21EventProfile(t *testing.T) {
	trace := traceFile(t, "net10-mix-gc.v4")
	served, _ := serve(t, trace)
	for kind, address := range map[string]string{"served": strings.Replace(served, "#/summary?", "#/events?provider=*Runtime&event=10&", 1),
		"report": reportOf(t, trace, "--events") + "#/events?provider=*Runtime&event=10"} {
		t.Run(kind, func(t *testing.T) {
			p := open(t, address)
			p.waitFor(t, "rows", "document.querySelectorAll('main tbody tr td').length > 5")
			for _, row := range []string{"3", "5", "8"} {
				b := p.place(t, "main tbody tr[aria-rowindex='"+row+"'] td")
				p.run(t, chromedp.MouseClickXY(b.Left+5, b.Top+5, chromedp.ButtonModifiers(2))) // Ctrl
				p.frame(t)
			}
			p.frame(t)
			p.run(t, chromedp.Click(".events .options button", chromedp.ByQuery))
			p.waitFor(t, "three stacks", "/ 3 samples /.test(document.querySelector('header').textContent)")
			name, _ := p.address(t)
			expect.Equal(t, "page", name, "flame")
			expect.Contains(t, "command", p.text(t, "#command"), "nettrace top --tree --type event --from ")
		})
	}
}

// TestEventProfile: the profile of the events that --provider and --event choose has the
// numbers of "nettrace top".
func TestEventProfile(t *testing.T) {
	trace := traceFile(t, "net10-mix-gc.v4")
	address, _ := serve(t, trace, "--page", "top", "--provider", "*Runtime", "--event", "10")
	p := open(t, address)
	p.waitFor(t, "rows", "document.querySelectorAll('main tbody tr td').length > 5")
	var want top
	if err := json.Unmarshal([]byte(command(t, "top", "--json", "--limit", "0", "--provider", "*Runtime", "--event", "10", trace)), &want); err != nil {
		t.Fatal(err)
	}
	expect.Contains(t, "command", p.text(t, "#command"), "nettrace top --type event --provider '*Runtime' --event 10 ")
	expect.Contains(t, "header", p.text(t, "header"), fmt.Sprintf(" %s samples", grouped(want.Samples)))
	expect.Contains(t, "first row", p.text(t, "main tbody tr td:first-child"), grouped(want.Rows[0].Self))
}

// TestWithoutEvents: a report without events says how to write them.
func TestWithoutEvents(t *testing.T) {
	p := open(t, reportOf(t, traceFile(t, "net10-mix-gc.v4"))+"#/events")
	expect.Contains(t, "page", p.text(t, "main"), "nettrace report --events -o report.html net10-mix-gc.v4.nettrace")
}

// grouped returns a number with commas between thousands.
func grouped(n int64) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return grouped(n/1000) + fmt.Sprintf(",%03d", n%1000)
}

// TestEventHelpers: the profile of events in a report has the frames of the runtime's
// helpers with --runtime-helpers only, as that of "nettrace top".
func TestEventHelpers(t *testing.T) {
	trace := traceFile(t, "net10-mix-cpu.v4")
	p := open(t, reportOf(t, trace, "--events"))
	for _, flag := range []string{"", "--runtime-helpers"} {
		t.Run("flag "+flag, func(t *testing.T) {
			args := append([]string{"top", "--json", "--limit", "1", "--provider", "*Runtime", "--event", "ExceptionThrown*"}, strings.Fields(flag)...)
			var want top
			if err := json.Unmarshal([]byte(command(t, append(args, trace)...)), &want); err != nil {
				t.Fatal(err)
			}
			p.visit(t, "#/top?type=event&provider=*Runtime&event=ExceptionThrown*&"+strings.TrimPrefix(flag, "--")+"=")
			p.waitFor(t, "the rows", "document.querySelector('main tbody tr td:nth-child(6)') !== null")
			var name string
			p.evaluate(t, "document.querySelector('main tbody tr td:nth-child(6)').title", &name)
			expect.Equal(t, "first method", name, want.Rows[0].Name)
			expect.Equal(t, "its self", p.text(t, "main tbody tr td:first-child"), grouped(want.Rows[0].Self))
		})
	}
}
