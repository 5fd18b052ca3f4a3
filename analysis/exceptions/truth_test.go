package exceptions_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/exceptions"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// reportOf returns the report of a trace with one process.
func reportOf(t *testing.T, trace []byte) ([]exceptions.Row, *exceptions.Totals, analysis.Report) {
	t.Helper()
	part := exceptions.New()
	r := codec.NewBytesReader(trace, codec.Options{Order: codec.ByTime, OnError: codec.Skip})
	tr, err := analysis.Read(t.Context(), r, analysis.Options{Parts: []analysis.Part{part}})
	if tr == nil {
		t.Fatal(err)
	}
	reports := rules.Saw(part.Reports(tr))
	if len(reports) != 1 {
		t.Fatalf("%d reports, want 1", len(reports))
	}
	rows, _ := reports[0].Rows.([]exceptions.Row)
	totals, _ := reports[0].Totals.(*exceptions.Totals)
	return rows, totals, reports[0]
}

// printed is a line of a program that recorded itself: an exception.
type printed struct {
	N                                                 int64
	Scenario, Type, Thrower, Catcher, Fate            string
	Throws, Rethrows, DispatchRethrows, AwaitRethrows int64
	Inner                                             bool
	Begin                                             uint64
}

// truthOf returns the exceptions of a program by scenario.
func truthOf(t *testing.T, of shared.Recording) map[string][]printed {
	t.Helper()
	list := map[string][]printed{}
	for line := range bytes.Lines(of.Truth(t)) {
		var p printed
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatal(err)
		}
		if p.N > 0 {
			list[p.Scenario] = append(list[p.Scenario], p)
		}
	}
	return list
}

// messages are those of the scenarios whose exceptions have the class library's
// message.
var messages = map[string]string{
	"null": "Object reference not set to an instance of an object.", "library": "The given key 'n=* in library' was not present in the dictionary.",
}

// sums are the sums over the rows of a scenario.
type sums struct {
	throws, rethrows, dispatch, await                   int64
	superseded, swallowed, unhandled, inner, notHandled int64
}

// TestTruth compares with what the recorded programs printed of each exception, on each version of
// the runtime. The library's frames have names where there is a rundown.
func TestTruth(t *testing.T) {
	for _, of := range shared.Recordings(t, "exceptions", "exceptions-unhandled") {
		t.Run(of.Name, func(t *testing.T) {
			rows, totals, _ := reportOf(t, of.Trace(t))
			unhandled := strings.HasSuffix(of.Name, "-unhandled")
			expect.Equal(t, "truncated", totals.Truncated, unhandled)
			truth, events := truthOf(t, of), int64(0)
			for scenario, list := range truth {
				t.Run(scenario, func(t *testing.T) { compare(t, rows, scenario, list, !unhandled) })
				for _, p := range list {
					events += p.Throws + p.DispatchRethrows + p.AwaitRethrows
				}
			}
			expect.AtLeast(t, "throws", totals.Thrown, events)
			expect.AtMost(t, "throws", totals.Thrown, events+2) // the runtime's own
		})
	}
}

// TestUnhandledRepaired: an exception that was not handled is told by its events: a repaired trace,
// which has an end mark, has the same one.
func TestUnhandledRepaired(t *testing.T) {
	for _, of := range shared.Recordings(t, "exceptions-unhandled") {
		var repaired bytes.Buffer
		_, err := edit.Repair(t.Context(), &repaired, bytes.NewReader(of.Trace(t)), codec.Options{})
		expect.NoError(t, err)
		_, totals, report := reportOf(t, repaired.Bytes())
		_, _, before := reportOf(t, of.Trace(t))
		expect.Equal(t, "unhandled exceptions of "+of.Name, totals.Unhandled, 1)
		expect.Equal(t, "findings", fmt.Sprint(report.Findings), fmt.Sprint(before.Findings))
	}
}

// TestLeftAtTheEnd: an exception is known to be superseded also if nothing is thrown after the one that was thrown
// while it was handled: what took that one is outside of the handler.
func TestLeftAtTheEnd(t *testing.T) {
	for _, of := range shared.Recordings(t, "exceptions") {
		for _, scenario := range []string{"wrapped-second", "superseded-in-catch-second", "nested-second"} {
			superseded, until, last := int64(0), uint64(math.MaxUint64), false
			for line := range bytes.Lines(of.Truth(t)) {
				var p printed
				expect.NoError(t, json.Unmarshal(line, &p))
				if p.N == 0 {
					continue
				}
				if last {
					until = p.Begin
					break
				}
				if p.Fate == "superseded" {
					superseded++
				}
				last = p.Scenario == scenario
			}
			var cut bytes.Buffer
			_, err := edit.Slice(t.Context(), &cut, codec.NewBytesBlockReader(of.Trace(t), codec.Options{}), edit.SliceOptions{Keep: func(ev *codec.Event) bool {
				return ev.Timestamp <= until || !slices.Contains([]uint32{80, 250, 251, 252, 253, 254, 255, 256}, ev.Metadata().EventID)
			}})
			expect.NoError(t, err)
			_, totals, _ := reportOf(t, cut.Bytes())
			expect.Equal(t, of.Name+", after "+scenario+": superseded", totals.Superseded, superseded)
			expect.Equal(t, of.Name+", after "+scenario+": ends unknown", totals.EndsUnknown, 0)
		}
	}
}

// compare compares the rows of a scenario with what the program printed.
func compare(t *testing.T, rows []exceptions.Row, scenario string, list []printed, library bool) {
	message := messages[scenario]
	if message == "" {
		message = "n=* in " + scenario
	}
	var got, want sums
	for _, p := range list {
		want.throws, want.rethrows = want.throws+p.Throws, want.rethrows+p.Rethrows
		want.dispatch, want.await = want.dispatch+p.DispatchRethrows, want.await+p.AwaitRethrows
		for fate, count := range map[string]*int64{"superseded": &want.superseded, "swallowed": &want.swallowed, "unhandled": &want.unhandled} {
			if p.Fate == fate {
				*count++
				want.notHandled++
			}
		}
		if p.Inner {
			want.inner++
		}
	}
	for _, r := range rows {
		if r.Message != message {
			continue
		}
		expect.Equal(t, "type", r.Type, list[0].Type)
		got.throws, got.rethrows = got.throws+r.Throws, got.rethrows+r.CatchRethrows
		got.dispatch, got.await = got.dispatch+r.DispatchRethrows, got.await+r.AwaitRethrows
		got.superseded, got.swallowed, got.unhandled = got.superseded+r.Superseded, got.swallowed+r.Swallowed, got.unhandled+r.Unhandled
		got.inner += r.WithInner
		got.notHandled += r.Thrown() - r.Handled
		if r.Throws > 0 && (library || scenario != "library") {
			method := list[0].Thrower[strings.LastIndexByte(list[0].Thrower, '.')+1:]
			expect.Contains(t, "thrower", r.Thrower, method)
		}
		if list[0].AwaitRethrows == 0 && (list[0].Catcher != "" || list[0].Fate != "swallowed") {
			expect.Contains(t, "catcher", r.Catcher, list[0].Catcher)
		}
	}
	expect.Equal(t, "sums", fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want))
}

// TestCounts compares the numbers of throws, handled exceptions and rethrows by await
// of the shared traces.
func TestCounts(t *testing.T) {
	for _, c := range []struct {
		name                   string
		thrown, handled, again int64
		other                  int64 // throws again that are not by an await: Mix.Exc calls ExceptionDispatchInfo.Throw
		rules                  []string
	}{
		{"net10-mix-cpu.v4", 148, 123, 33, 2, nil}, {"net10-allevents.v4", 90, 80, 10, 1, nil}, {"aspnet-net10.v4", 243, 243, 0, 0, nil},
		{"net10-killed.v4", 264, 234, 0, 0, nil}, {"azmcp-net10-live.v4", 21, 19, 17, 0, nil}, {"net10-deep.v4", 24, 12, 0, 0, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, totals, report := reportOf(t, shared.Trace(t, c.name))
			expect.Equal(t, "thrown", totals.Thrown, c.thrown)
			expect.Equal(t, "handled", totals.Handled, c.handled)
			expect.Equal(t, "thrown again", totals.Rethrown.Or(0), c.again)
			expect.Equal(t, "of them not by an await", totals.DispatchRethrows.Or(0), c.other)
			var rules []string
			for _, f := range report.Findings {
				rules = append(rules, f.Rule)
			}
			expect.Slices(t, "findings", rules, c.rules)
			sum := int64(0)
			for _, r := range rows {
				sum += r.Thrown()
			}
			expect.Equal(t, "sum of the rows", sum, c.thrown)
		})
	}
}

// TestFindings: the findings of programs that recorded themselves have the method that
// the program printed.
func TestFindings(t *testing.T) {
	for _, c := range []struct {
		name  string
		rules []string
		texts []string
	}{
		{"exceptions", []string{"exceptions-filter", "exceptions-replaced"}, []string{"4 exceptions left a filter", "Program.BadFilter(", "8 exceptions were replaced", "Program.SupersedeIn"}},
		{"exceptions-unhandled", []string{"exceptions-unhandled", "exceptions-filter", "exceptions-replaced"},
			[]string{"GammaException thrown by Program.ThrowUnhandled(", "Program.BadFilter(", "4 exceptions were replaced"}},
		{"http-client", nil, nil}, {"async-chain", nil, nil}, {"starve", nil, nil}, {"no-starve", nil, nil}, {"no-deadlock", nil, nil},
		{"sync-over-async", nil, nil}, {"gc-truth", nil, nil}, {"cpu-truth", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, report := reportOf(t, shared.TruthFile(t, c.name+".v4.nettrace.zst"))
			var rules []string
			text := ""
			for _, f := range report.Findings {
				rules = append(rules, f.Rule)
				text += f.Text + "\n"
			}
			expect.Slices(t, "findings", rules, c.rules)
			expect.Contains(t, "texts", text, c.texts...)
		})
	}
}

// TestNotRecorded: a trace without exceptions has what records them, and no numbers.
func TestNotRecorded(t *testing.T) {
	rows, totals, report := reportOf(t, shared.Trace(t, "net10-types.v4"))
	expect.Len(t, "rows", rows, 0)
	expect.Equal(t, "totals", totals, nil)
	expect.Len(t, "not recorded", report.NotRecorded, 1)
	expect.Equal(t, "keywords", report.NotRecorded[0].Keywords, "0x8000")
}

// TestRateOfThrows: the rate counts throws and not what an await throws again, also at the second with the
// most.
func TestRateOfThrows(t *testing.T) {
	for _, of := range shared.Recordings(t, "exceptions") {
		_, totals, _ := reportOf(t, of.Trace(t))
		want := float64(totals.Throws.Or(0)) * 1e9 / float64(totals.ObservedNs)
		if got := totals.ThrownPerSecond; got < want-0.06 || got > want+0.06 {
			t.Errorf("%s: got %.1f throws per second, want %.1f", of.Name, got, want)
		}
		if most := totals.MaxThrownPerSecond.Or(-1); most < 1 || most > totals.Throws.Or(0) {
			t.Errorf("%s: got %d throws in one second, want at most %v", of.Name, most, totals.Throws)
		}
	}
}

// thrownAsync is a line of the truth of async-truth about a throw.
type thrownAsync struct {
	Throw    bool
	Scenario string
	Awaits   int64
	Stack    []string
}

// TestAsyncThrows: the stacks of exceptions of async code have the methods that awaited the thrower,
// and the number of async frames left is that of the awaits that they passed, whether each of them throws
// again (state machines) or none does.
func TestAsyncThrows(t *testing.T) {
	for name, awaitThrows := range map[string]int64{"runtime": 0, "machine": 30} {
		awaits := int64(0)
		for line := range bytes.Lines(shared.File(t, "async11/async11-"+name+"-exceptions.truth.ndjson")) {
			var one thrownAsync
			expect.NoError(t, json.Unmarshal(line, &one))
			if one.Throw {
				awaits += one.Awaits
			}
		}
		rows, totals, _ := reportOf(t, shared.File(t, "async11/async11-"+name+"-exceptions.v4.nettrace.zst"))
		left, again, chains, catchers := int64(0), int64(0), map[string]bool{}, map[string]bool{}
		for _, r := range rows {
			if !strings.HasPrefix(r.Message, "n=") {
				continue
			}
			n, known := r.AsyncLeft.Get()
			expect.Equal(t, name+": frames left are known of "+r.Thrower, known, true)
			left, again = left+n, again+r.AwaitRethrows
			if r.Throws > 0 {
				expect.Equal(t, name+": stack of "+r.Thrower, r.Async, "async-profiler")
				catchers[r.Catcher[:len("Program.X0")]] = true
				chains[programMethods(r.Stack)] = true
			}
		}
		expect.Equal(t, name+": frames left", left, awaits)
		expect.Equal(t, name+": throws again", again, awaitThrows)
		expect.Equal(t, name+": catches of nothing", totals.BeganBefore, 0)
		if name == "runtime" {
			expect.Equal(t, "catchers", fmt.Sprint(catchers), fmt.Sprint(map[string]bool{"Program.X0": true, "Program.Y0": true}))
		}
		expect.Equal(t, name+": chains", fmt.Sprint(chains), fmt.Sprint(map[string]bool{"X3 X2 X1 X0": true, "Y3 Y2 Y1 Y0": true}))
	}
}

// programMethods returns the names of the methods X and Y of a stack.
func programMethods(stack []string) string {
	var names []string
	for _, name := range stack {
		name, _, _ = strings.Cut(strings.TrimPrefix(name, "Program."), " ")
		name, _, _ = strings.Cut(name, "(")
		if len(name) == 2 && (name[0] == 'X' || name[0] == 'Y') {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}
