package exceptions_test

import (
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/exceptions"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tracetest"
)

// Ids of the events.
const (
	thrown, catchStart, filterStart, filterStop, thrownStop = 80, 250, 254, 255, 256
)

// Bits of ExceptionFlags.
const (
	inner, nested = 0x1, 0x2
)

// instance is the number of the runtime in the process.
const instance = uint16(0)

// made is a trace in the making. Times are in microseconds.
type made struct{ *tracetest.Trace }

func newMade() made { return made{tracetest.New(wire.V4)} }

// text is a text in a payload.
func text(s string) []uint16 { return append(utf16.Encode([]rune(s)), 0) }

// throw adds a throw of an exception.
func (m made) throw(at, thread uint64, message string, flags uint16) {
	m.Add(tracetest.Event{At: at, Thread: thread, ID: thrown, Payload: []any{
		text("My.Error"), text(message), uint64(0), uint32(0), flags, instance,
	}})
}

// block adds the start of a catch block or filter of a method.
func (m made) block(at, thread uint64, id uint32, method string) {
	m.Add(tracetest.Event{At: at, Thread: thread, ID: id, Payload: []any{uint64(0), uint64(0), text("void [My] " + method + "()"), instance}})
}

// handler adds the start of the catch block of method 7 whose code begins at an address.
func (m made) handler(at, thread, address uint64) {
	m.Add(tracetest.Event{At: at, Thread: thread, ID: catchStart, Payload: []any{address, uint64(7), text("void [My] A::MoveNext()"), instance}})
}

// event adds an event without a payload.
func (m made) event(at, thread uint64, id uint32) {
	m.Add(tracetest.Event{At: at, Thread: thread, ID: id})
}

// ends are the ends of exceptions.
type ends struct {
	handled, wrapped, replaced, swallowed, inFlight, unknown, rethrows int64
}

// TestEnds: what becomes of exceptions follows from the events after them.
func TestEnds(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(made)
		want ends
	}{
		{"handled", func(m made) {
			m.throw(10, 1, "a", 0)
			m.block(20, 1, catchStart, "A::B")
			m.event(30, 1, thrownStop)
		}, ends{handled: 1}},
		{"rethrown", func(m made) {
			m.throw(10, 1, "a", 0)
			m.block(20, 1, catchStart, "A::B")
			m.block(25, 1, catchStart, "A::C")
			m.event(30, 1, thrownStop)
		}, ends{handled: 1, rethrows: 1}},
		{"replaced", func(m made) {
			m.throw(10, 1, "a", 0)
			m.block(20, 1, catchStart, "A::B")
			m.throw(30, 1, "b", nested)
			m.block(40, 1, catchStart, "A::C")
			m.event(50, 1, thrownStop)
			m.throw(60, 1, "c", 0)
			m.block(70, 1, catchStart, "A::C")
			m.event(80, 1, thrownStop)
		}, ends{handled: 2, replaced: 1}},
		{"wrapped", func(m made) {
			m.throw(10, 1, "a", 0)
			m.block(20, 1, catchStart, "A::B")
			m.throw(30, 1, "b", nested|inner)
			m.block(40, 1, catchStart, "A::C")
			m.event(50, 1, thrownStop)
			m.throw(60, 1, "c", 0)
			m.block(70, 1, catchStart, "A::C")
			m.event(80, 1, thrownStop)
		}, ends{handled: 2, wrapped: 1}},
		{"wrapped, and taken by an outer handler of the method", func(m made) {
			m.throw(10, 1, "a", 0)
			m.handler(20, 1, 100)
			m.throw(30, 1, "b", nested|inner)
			m.handler(40, 1, 124)
			m.event(50, 1, thrownStop)
		}, ends{handled: 1, wrapped: 1}},
		{"taken by a handler within the catch block", func(m made) {
			m.throw(10, 1, "a", 0)
			m.handler(20, 1, 124)
			m.throw(30, 1, "b", nested|inner)
			m.handler(40, 1, 100)
			m.event(50, 1, thrownStop)
		}, ends{handled: 1, unknown: 1}},
		{"nested", func(m made) {
			m.throw(10, 1, "a", 0)
			m.block(20, 1, catchStart, "A::B")
			m.throw(30, 1, "b", nested)
			m.block(40, 1, catchStart, "A::B")
			m.event(50, 1, thrownStop)
			m.event(80, 1, thrownStop)
		}, ends{handled: 2}},
		{"swallowed by a filter", func(m made) {
			m.throw(10, 1, "a", 0)
			m.block(20, 1, filterStart, "A::B")
			m.throw(30, 1, "b", nested)
			m.event(40, 1, filterStop)
			m.block(50, 1, catchStart, "A::B")
			m.event(60, 1, thrownStop)
		}, ends{handled: 1, swallowed: 1}},
		{"in flight", func(m made) {
			m.throw(5, 2, "b", 0)
			m.block(6, 2, catchStart, "A::B")
			m.throw(10, 1, "a", 0)
		}, ends{inFlight: 2}},
		{"losses", func(m made) {
			m.throw(10, 1, "a", 0)
			m.block(20, 1, catchStart, "A::B")
			m.Lose(1, 3)
			m.event(30, 1, thrownStop)
		}, ends{unknown: 1}},
		{"no events about catches", func(m made) {
			m.throw(10, 1, "a", 0)
			m.throw(20, 1, "b", 0)
		}, ends{unknown: 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMade()
			c.make(m)
			_, totals, _ := reportOf(t, m.Bytes())
			got := ends{totals.Handled, totals.Wrapped, totals.Replaced, totals.Swallowed, totals.InFlight, totals.EndsUnknown, totals.CatchRethrows}
			expect.Equal(t, "ends", got, c.want)
			expect.Equal(t, "superseded", totals.Superseded, c.want.wrapped+c.want.replaced)
		})
	}
}

// TestBegan: a catch of an exception that was thrown before the trace is counted.
func TestBegan(t *testing.T) {
	m := newMade()
	m.block(20, 1, catchStart, "A::B")
	m.event(30, 1, thrownStop)
	m.throw(40, 1, "a", 0)
	rows, totals, _ := reportOf(t, m.Bytes())
	expect.Len(t, "rows", rows, 1)
	expect.Equal(t, "began before", totals.BeganBefore, 1)
}

// TestPatterns: messages that differ in numbers, GUIDs and hexadecimal words only are one row.
func TestPatterns(t *testing.T) {
	for _, c := range []struct{ name, message, want string }{
		{"plain", "nothing to replace", "nothing to replace"},
		{"number", "n=17 of 1,234.5.", "n=* of *."},
		{"digits in a word", "Int32 failed", "Int32 failed"},
		{"hexadecimal", "at 0x7f2A, 0xyz", "at *, *xyz"},
		{"GUID", "id 3f2504e0-4f89-11d3-9a0c-0305e82c3301 is gone", "id * is gone"},
		{"no GUID", "id 3f2504e0-4f89", "id *-4f89"},
		{"quoted", "The key 'a b' and \"c\"", "The key 'a b' and \"c\""},
		{"apostrophe", "it doesn't and can't", "it doesn't and can't"},
		{"path", "no file /var/lib/x.db: gone", "no file /var/lib/x.db: gone"},
		{"Windows path", `open C:\a\b.txt.`, `open C:\a\b.txt.`},
		{"unit", "waited 1234ms, 3.5 s", "waited *ms, * s"},
		{"address", "GET https://example.org/a/b", "GET https://example.org/a/b"},
		{"digits in a name", "'/w/chunk-QGJCKG2C.min.js.map', net8, v2", "'/w/chunk-QGJCKG2C.min.js.map', net8, v2"},
		{"trace id", "of 4bf92f3577b34da6a3ce929d0e0e4736, a decade", "of *, a decade"},
		{"slash", "read / write, and/or", "read / write, and/or"},
		{"trailing space", "not found.\n", "not found."},
		{"empty", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMade()
			m.throw(10, 1, c.message, 0)
			rows, _, _ := reportOf(t, m.Bytes())
			expect.Len(t, "rows", rows, 1)
			expect.Equal(t, "message", rows[0].Message, c.want)
			example := ""
			if text := strings.TrimSpace(c.message); text != c.want {
				example = text
			}
			expect.Equal(t, "example", rows[0].Example, example)
		})
	}
}

// TestCatchers: the names of catchers are in C# syntax.
func TestCatchers(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"static", "void [Corners] Mix::Exc()", "Mix.Exc()"},
		{"instance", "instance int32 [A] N.T::Read(class [System.Runtime]System.IAsyncResult)", "N.T.Read(IAsyncResult)"},
		{"async", "instance void [Corners] Mix+<AsyncThrow>d__4::MoveNext()", "Mix.AsyncThrow [async]"},
		{"unknown form", "something", "something"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMade()
			m.throw(10, 1, "a", 0)
			m.Add(tracetest.Event{At: 20, Thread: 1, ID: catchStart, Payload: []any{uint64(0), uint64(0), text(c.text), instance}})
			rows, _, _ := reportOf(t, m.Bytes())
			expect.Len(t, "rows", rows, 1)
			expect.Equal(t, "catcher", rows[0].Catcher, c.want)
		})
	}
}

// TestRate: many exceptions per second are a finding.
func TestRate(t *testing.T) {
	for _, c := range []struct {
		name  string
		count uint64
		every uint64 // microseconds
		rules []string
	}{{"many", 1001, 5000, []string{"exceptions-rate"}}, {"few", 900, 5000, nil}, {"rare", 1001, 11000, nil}} {
		t.Run(c.name, func(t *testing.T) {
			m := newMade()
			for n := range c.count {
				m.throw(n*c.every, 1, "a", 0)
			}
			_, totals, report := reportOf(t, m.Bytes())
			var rules []string
			for _, f := range report.Findings {
				rules = append(rules, f.Rule)
			}
			expect.Slices(t, "findings", rules, c.rules)
			expect.Equal(t, "thrown", totals.Thrown, int64(c.count))
			expect.Equal(t, "most in a second", totals.MaxThrownPerSecond.Or(-1), int64((1e6+c.every-1)/c.every))
		})
	}
}

// TestRowLimit: the totals count the exceptions above the limit of rows.
func TestRowLimit(t *testing.T) {
	m := newMade()
	for n, name := range []string{"a", "b", "c", "d"} {
		m.throw(uint64(n), 1, name, 0)
	}
	part := exceptions.New()
	tr, err := analysis.Read(t.Context(), codec.NewBytesReader(m.Bytes(), codec.Options{Order: codec.ByTime}),
		analysis.Options{Parts: []analysis.Part{part}, Limits: analysis.Limits{Rows: 3}})
	expect.NoError(t, err)
	report := rules.Saw(part.Reports(tr))[0]
	expect.Len(t, "rows", report.Rows.([]exceptions.Row), 3)
	totals := report.Totals.(*exceptions.Totals)
	expect.Equal(t, "thrown", totals.Thrown, 4)
	expect.Equal(t, "left out", totals.ThrownLeftOut, 1)
}

// TestProcesses: threads of two processes with the same id are different.
func TestProcesses(t *testing.T) {
	m := made{tracetest.New(wire.V6)}
	m.Of(100, 1)
	m.Of(200, 2)
	m.throw(10, 1, "a", 0)
	m.throw(20, 2, "b", 0)
	m.block(30, 2, catchStart, "A::B")
	m.event(40, 2, thrownStop)
	part := exceptions.New()
	tr, err := analysis.Read(t.Context(), codec.NewBytesReader(m.Bytes(), codec.Options{Order: codec.ByTime}), analysis.Options{Parts: []analysis.Part{part}})
	expect.NoError(t, err)
	reports := rules.Saw(part.Reports(tr))
	expect.Len(t, "reports", reports, 2)
	for i, handled := range []int64{0, 1} {
		expect.Equal(t, "handled", reports[i].Totals.(*exceptions.Totals).Handled, handled)
	}
}

// TestRequests: a throw belongs to the open request with its activity id, if there is
// only one.
func TestRequests(t *testing.T) {
	m := newMade()
	const host, server = "Microsoft.AspNetCore.Hosting", "Microsoft-AspNetCore-Server-Kestrel"
	begin := func(at uint64, provider string, id, parent byte, path string) {
		m.Add(tracetest.Event{At: at, Thread: 1, Provider: provider, ID: 3, Payload: []any{text("GET"), text(path)}, Activity: wire.GUID{id}, Related: wire.GUID{parent}})
	}
	stop := func(at uint64, provider string, id byte) {
		m.Add(tracetest.Event{At: at, Thread: 1, Provider: provider, ID: 4, Activity: wire.GUID{id}})
	}
	throw := func(at uint64, id byte) {
		m.Add(tracetest.Event{At: at, Thread: 1, ID: thrown, Payload: []any{
			text("My.Error"), text("a"), uint64(0), uint32(0), uint16(0), instance,
		}, Activity: wire.GUID{id}})
	}
	begin(10, host, 1, 9, "/orders/17")
	begin(20, server, 2, 1, "")
	throw(30, 2) // in Kestrel's activity
	throw(40, 1)
	stop(50, server, 2)
	stop(60, host, 1)
	throw(70, 1) // after the request
	throw(80, 0) // without an activity
	begin(100, host, 3, 9, "/orders/18")
	throw(110, 3)
	stop(120, host, 3)
	begin(200, host, 4, 9, "/other")
	begin(210, host, 4, 9, "/orders/19")
	throw(220, 4) // ambiguous
	stop(230, host, 4)
	stop(240, host, 4)
	_, totals, _ := reportOf(t, m.Bytes())
	expect.Slices(t, "requests", totals.Requests, []exceptions.Request{{Method: "GET", Path: "/orders/*", Thrown: 3, Requests: 2}})
	expect.Equal(t, "ambiguous", totals.ThrownAmbiguous.Or(-1), 1)
	expect.Equal(t, "outside of requests", totals.ThrownNoRequest.Or(-1), 2)
}
