package browser

import (
	"bytes"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/chromedp/chromedp"

	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
	"github.com/nettrace-go/nettrace/internal/tracetest"
)

// withoutSamples are the shared traces without samples.
var withoutSamples = []string{
	"azmcp-net10-counters.v4", "net10-burst-dropped.v4", "net10-counters.v4", "net10-empty.v4",
	"net10-http.v4", "net10-start-suspended.v4", "net10-tpl-activities.v4", "net10-types.v4",
	"onecollect-overflow.v6", "perfview-net5-arraytypes.v5", "perfview-net6-checkpoints.v4", "perfview-netcore2.1-linux-x64.v3",
	"perfview-netcore2.1-tracelogging.v3",
}

// Test30: each shared trace without samples opens on the summary, and its pages of
// the profile show the reason.
func Test30NoSamples(t *testing.T) {
	names := withoutSamples
	if tier.Nightly {
		names = slices.DeleteFunc(shared.Traces(t), func(name string) bool { return len(typesOf(t, traceFile(t, name))) > 0 })
		expect.Equal(t, "shared traces without samples", strings.Join(withoutSamples, " "), strings.Join(names, " "))
	}
	p := open(t, reported(t, names[0]))
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			p.run(t, chromedp.Navigate(reported(t, name)), chromedp.WaitVisible("#command", chromedp.ByQuery))
			p.frame(t)
			var types int
			p.evaluate(t, "nettrace.head().types.length", &types)
			expect.Equal(t, "types of samples", types, 0)
			expect.Contains(t, "summary", p.text(t, "main"), "Findings", "the trace has no events")
			p.keys(t, "1")
			expect.Contains(t, "flame graph", p.text(t, "main .why"), "Microsoft-DotNETCore-SampleProfiler")
		})
	}
}

// TestNothing: a filter that matches nothing names the flag that removed the last
// samples, and a button removes it.
func TestNothing(t *testing.T) {
	p := open(t, reported(t, "net10-mix-cpu.v4")+"#/top?type=wall&state=running&focus=Program&ignore=Main&group=module")
	p.frame(t)
	expect.Contains(t, "page", p.text(t, "main .why"), "No samples: ", "ignore Main", "removes the last ones")
	p.run(t, chromedp.Click("main .why button", chromedp.ByQuery))
	p.frame(t)
	_, values := p.address(t)
	expect.Equal(t, "ignore", values.Has("ignore"), false)
	expect.Equal(t, "focus", values.Get("focus"), "Program")
	expect.Contains(t, "rows", p.text(t, "main tbody"), "Corners")
}

// TestNoType: without a type and states, the page shows what the printed command prints: the
// threads that work.
func TestNoType(t *testing.T) {
	p := open(t, reported(t, "net10-mix-cpu.v4")+"#/top?from=0s")
	var samples int
	p.evaluate(t, "nettrace.top('#/top?type=wall&state=running&state=native').samples", &samples)
	header := func() string {
		p.frame(t)
		return strings.ReplaceAll(p.text(t, "header .muted"), ",", "")
	}
	expect.Contains(t, "header", header(), " "+strconv.Itoa(samples)+" samples")
	p.run(t, chromedp.Click("//button[text()='Clear']"))
	expect.Contains(t, "header without a filter", header(), " "+strconv.Itoa(samples)+" samples")
}

// TestOtherSyntax: expressions that Go and JavaScript read differently are refused.
func TestOtherSyntax(t *testing.T) {
	p := open(t, reported(t, "net10-mix-cpu.v4")+"#/top")
	for _, text := range []string{`[[:upper:]]`, `\Qa\E`, `\x{41}`, `(?=a)`} {
		p.visit(t, "#/top?type=wall&focus="+url.QueryEscape(text))
		expect.Contains(t, text, p.text(t, ".filters .error"), "the page does not support")
	}
	p.visit(t, "#/tree?type=wall&callers=(")
	expect.Contains(t, "page", p.text(t, "main [role=alert]"), "--callers: ")
	p.visit(t, "#/top?type=lock")
	expect.Contains(t, "page", p.text(t, "main .why"), "no events ContentionStart")
}

// TestAddressProblems: the page reports keys and values of the address that it does not
// know, once, and keeps them.
func TestAddressProblems(t *testing.T) {
	p := open(t, reported(t, "net10-mix-cpu.v4")+"#/top?type=none&state=asleep&group=color&by=size&new=1&zoom=x&at=1000000&sort=none")
	p.frame(t)
	expect.Contains(t, "band", p.text(t, ".bands"), "by has no value size; new is not known; zoom has no value x; at has no value 1000000; sort has no value none; type has no value none; state has no value asleep; group has no value color")
	p.run(t, chromedp.Click("//div[@class='bands']//button[text()='Close']"))
	p.frame(t)
	expect.Lacks(t, "bands after Close", p.text(t, ".bands"), "has no value", "is not known")
	p.keys(t, "1")
	expect.Lacks(t, "bands on another page", p.text(t, ".bands"), "has no value", "is not known")
	_, values := p.address(t)
	expect.Equal(t, "the kept value", values.Get("new"), "1")
}

// TestBoundary: an error after the first rendering is shown.
func TestBoundary(t *testing.T) {
	p := open(t, reported(t, "net10-mix-cpu.v4")+"#/top")
	p.frame(t)
	p.evaluate(t, "(nettrace.head().findings = null, 0)", new(int))
	p.visit(t, "#/summary")
	expect.Contains(t, "page", p.text(t, ".failed"), "This is an error in the page of nettrace ", "Copy")
}

// Test31: a truncated trace shows its band, and the data before the end.
func Test31Truncated(t *testing.T) {
	p := open(t, reported(t, "net10-killed-cut.v4"))
	p.frame(t)
	expect.Contains(t, "band", p.text(t, ".band"), "malformed or truncated", "All data before it is shown")
	expect.Contains(t, "parts without events", p.text(t, ".summary .folded summary"), "Not recorded, or did not happen: ", "locks")
	p.run(t, chromedp.Click(".summary .folded summary", chromedp.ByQuery))
	p.frame(t)
	expect.Contains(t, "how to record them", p.text(t, ".summary .missing"), "contended locks: nettrace collect")
	p.visit(t, "#/locks")
	expect.Contains(t, "part without events", p.text(t, "main .why"), "No events about contended locks: none happened, or they were not recorded. Add to nettrace collect: --provider")
	expect.Contains(t, "band of the names", p.text(t, ".band + .band"), " of the frames (in ", "have no name: the trace has no rundown")
}

// TestLost: the band of lost events has their times and the rule.
func TestLost(t *testing.T) {
	p := open(t, reported(t, "azmcp-net10-dropped.v4")+"#/gc")
	p.frame(t)
	expect.Contains(t, "band", p.text(t, ".band"), " events were lost: ", " s to ", "(rule trace-lost-events)")
}

// Test33: the last row of a stack of 10,000 frames is drawn.
func Test33Deep(t *testing.T) {
	m := tracetest.New(wire.V4)
	stack := make([]uint64, 10_000)
	for i := range stack {
		stack[i] = uint64(0x1000 + i)
	}
	for at := range uint64(3) {
		m.Add(tracetest.Event{At: 1000 * at, Thread: 1, Provider: "Microsoft-DotNETCore-SampleProfiler", Version: 1, Stack: stack, Payload: []any{uint32(2)}})
	}
	p := open(t, reportOf(t, written(t, m))+"#/flame?type=wall")
	p.frame(t)
	b := p.place(t, ".flame canvas")
	p.run(t, chromedp.MouseEvent("mouseMoved", b.Left+40, b.Top+30))
	p.frame(t)
	expect.Contains(t, "row of all frames", p.text(t, "#hover"), "10000 frames: ")
	p.run(t, chromedp.MouseClickXY(b.Left+40, b.Top+30, chromedp.ClickCount(2)))
	p.frame(t)
	var drawn struct{ Scroll, Client, Pixels float64 }
	p.evaluate(t, "(f => { f.scrollTop = f.scrollHeight; return {Scroll: f.scrollHeight, Client: f.clientHeight} })(document.querySelector('.flame'))", &drawn)
	expect.Equal(t, "height of all rows", drawn.Scroll, 20*10_001)
	p.frame(t)
	p.evaluate(t, `(c => ({Pixels: [...c.getContext('2d').getImageData(0, c.height - 15, 100, 1).data].filter((v, i) => i % 4 === 3 && v > 0).length}))(document.querySelector('.flame canvas'))`, &drawn)
	expect.Equal(t, "drawn pixels of the last row", drawn.Pixels, 100)
}

// written writes a trace into a file.
func written(t *testing.T, m *tracetest.Trace) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "made.nettrace")
	if err := os.WriteFile(path, m.Trace().Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// hostile are names that are code in some context.
var hostile = []string{`</script><script>alert(1)</script>`, `<img src=x onerror=alert(1)>`, `=cmd|' /C calc'!A0`, "a\u202eb", `javascript:alert(1)`, `"><svg onload=alert(1)>`}

// text16 returns a text as the payloads of the runtime have it.
func text16(s string) []uint16 { return append(utf16.Encode([]rune(s)), 0) }

// hostileTrace writes a trace whose methods have hostile names.
func hostileTrace(t *testing.T) string {
	t.Helper()
	m := tracetest.New(wire.V4)
	for i, name := range hostile {
		address := uint64(0x1000 * (i + 1))
		m.Add(tracetest.Event{At: 1, Thread: 1, ID: 143, Version: 2, Payload: []any{
			uint64(i + 1), uint64(1), address, uint32(0x100), uint32(i), uint32(0), text16(name), text16(name), text16("void ()"), uint16(0), uint64(0)}})
	}
	for at := range uint64(20) {
		m.Add(tracetest.Event{At: 1000 * at, Thread: 1, Provider: "Microsoft-DotNETCore-SampleProfiler", Version: 1,
			Stack: []uint64{0x1010 + 0x1000*(at%uint64(len(hostile))), 0x2010}, Payload: []any{uint32(2)}})
	}
	return written(t, m)
}

// Test37: names of a trace run nothing, and no violation of the policy is reported.
func Test37Names(t *testing.T) {
	p := open(t, reportOf(t, hostileTrace(t))+"#/top?type=wall")
	p.frame(t)
	var count int
	p.evaluate(t, "document.querySelectorAll('script:not([type])').length + document.querySelectorAll('img, svg').length", &count)
	expect.Equal(t, "scripts and pictures", count, 1)
	shown := p.text(t, "tbody")
	expect.Contains(t, "rows", shown, "onerror=alert", "U+202E")
	expect.Lacks(t, "rows", shown, "\u202e")
	for _, key := range []string{"1", "3", "2"} {
		p.keys(t, key)
	}
}

// Test38: a report has no command line and no message of an exception.
func Test38Private(t *testing.T) {
	for _, name := range []string{"aspnet-net10.v4", "net10-mix-cpu.v4"} {
		t.Run(name, func(t *testing.T) {
			trace := traceFile(t, name)
			p := open(t, reportOf(t, trace))
			var text string
			p.evaluate(t, "JSON.stringify(nettrace.head())", &text)
			expect.Contains(t, "left out", text, `"leftOut":["command line","messages of exceptions","events"]`)
			served, _ := serve(t, trace)
			full := open(t, served)
			var head struct {
				Command string
				Parts   struct {
					Exceptions []struct{ Rows []struct{ Message string } }
				}
			}
			full.evaluate(t, "nettrace.head()", &head)
			expect.NotZero(t, "command line of the served document", head.Command)
			expect.Lacks(t, "report", text, quotedText(head.Command))
			messages := 0
			for _, r := range head.Parts.Exceptions {
				for _, row := range r.Rows {
					if row.Message != "" {
						messages++
						expect.Lacks(t, "report", text, `"message":`+quotedText(row.Message))
					}
				}
			}
			expect.AtLeast(t, "messages of the served document", messages, 1)
		})
	}
}

// quotedText returns a text as JavaScript writes it in JSON.
func quotedText(text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text)
	return strings.TrimSpace(b.String())
}

// Test38Secrets: a report has no text of the command line, of payloads, of messages and of
// queries of addresses, and lists what it left out. Flags add the first two.
func Test38Secrets(t *testing.T) {
	m := tracetest.New(wire.V4)
	text := func(s string) []uint16 { return append(utf16.Encode([]rune(s)), 0) }
	m.Add(tracetest.Event{At: 1, Thread: 1, Provider: "Microsoft-DotNETCore-EventPipe", ID: 1, Payload: []any{text("app --key secret-command"), text("secret-environment"), text("x64")}})
	m.Add(tracetest.Event{At: 2, Thread: 1, Provider: "Contoso", ID: 7, Payload: []any{text("secret-payload")}})
	m.Add(tracetest.Event{At: 3, Thread: 1, ID: 80, Version: 1, Payload: []any{text("Contoso.Failure"), text("secret-message"), uint64(0x1000), uint32(0), uint16(0), uint16(0)}})
	m.Add(tracetest.Event{At: 4, Thread: 1, Provider: "System.Net.Http", ID: 1, Payload: []any{text("https"), text("contoso.com"), int32(443), text("/orders?token=secret-query"), uint8(1), uint8(1), uint8(0)}})
	trace := written(t, m)
	expect.Contains(t, "the trace", command(t, "report", "exceptions", "--json", trace), "secret-message")
	expect.Contains(t, "the trace", command(t, "events", "--fields", trace), "secret-command")
	for _, c := range []struct {
		name    string
		flags   []string
		leftOut string
		has     []string
	}{
		{"without flags", nil, `["command line","messages of exceptions","events"]`, nil},
		{"command line", []string{"--command-line"}, `["messages of exceptions","events"]`, []string{"secret-command"}},
		{"events", []string{"--events"}, `[]`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := open(t, reportOf(t, trace, c.flags...))
			var head string
			p.evaluate(t, "JSON.stringify(nettrace.head())", &head)
			expect.Contains(t, "document", head, `"leftOut":`+c.leftOut, "Contoso.Failure", "/orders")
			for _, secret := range []string{"secret-command", "secret-environment", "secret-payload", "secret-message", "secret-query"} {
				if !slices.Contains(c.has, secret) {
					expect.Lacks(t, "document", head, secret)
				}
			}
			expect.Contains(t, "document", head, c.has...)
			var events bool
			p.evaluate(t, "!!document.getElementById('events')", &events)
			expect.Equal(t, "has events", events, slices.Contains(c.flags, "--events"))
		})
	}
}

// TestRowButton: the button in the details of a row has room for its text.
func TestRowButton(t *testing.T) {
	p := open(t, reported(t, "net10-mix-locks.v4")+"#/locks")
	p.run(t, chromedp.EmulateViewport(1280, 800))
	p.frame(t)
	p.evaluate(t, "(document.querySelectorAll('.report tbody tr')[1].click(), 0)", new(int))
	p.frame(t)
	var hidden int
	p.evaluate(t, "(b => b.scrollHeight - b.clientHeight)(document.querySelector('.report .row button'))", &hidden)
	expect.AtMost(t, "hidden pixels of the text", hidden, 0)
}
