package async_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/async"
	"github.com/nettrace-go/nettrace/codec"
	profiler "github.com/nettrace-go/nettrace/codec/clr/async"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// trueWait is a line of the truth of async-truth: an await from Begin to End, in ticks.
type trueWait struct {
	Wait, Method       string
	Begin, End, Thread uint64
}

// reportOf makes the report of a trace.
func reportOf(t *testing.T, data []byte) *analysis.Report {
	t.Helper()
	part := async.New()
	r := codec.NewReader(bytes.NewReader(data), codec.Options{Order: codec.ByTime})
	trace, err := analysis.Read(t.Context(), r, analysis.Options{Parts: []analysis.Part{part}, Limits: analysis.LargeLimits()})
	if err != nil {
		t.Fatal(err)
	}
	return &part.Reports(trace)[0]
}

// TestWaitTruth: each await of the program that suspended is a wait of the report, on the
// thread that resumed it, not longer than the await, and of its method.
func TestWaitTruth(t *testing.T) {
	for name, want := range map[string]waitCounts{
		"runtime-cpu": {38, 2, 38}, "runtime-tpl": {38, 2, 38}, "runtime-alone": {57, 3, 0}, "runtime-clock": {1098, 0, 0},
		"machine-cpu": {38, 2, 38}, "machine-tpl": {38, 2, 38}, "machine-alone": {57, 3, 0},
	} {
		report := reportOf(t, shared.File(t, "async11/async11-"+name+".v4.nettrace.zst"))
		expect.Equal(t, name+": waits", compareWaits(t, "async11-"+name, report.Waits.([]async.Wait)), want)
		totals := report.Totals.(*async.Totals)
		expect.Equal(t, name+": running and waiting", totals.WholeRunningNs+totals.WholeWaitingNs, totals.WholeNs)
		expect.NotZero(t, name+": whole dispatchers", totals.Whole)
	}
}

// TestEnds: the longest waits come first, with what waits; a program that is not recorded to its end
// leaves dispatchers that are not resumed; the deepest chain
// is cut by the runtime.
func TestEnds(t *testing.T) {
	report := reportOf(t, shared.File(t, "async11/async11-runtime-cpu.v4.nettrace.zst"))
	totals := report.Totals.(*async.Totals)
	waits := report.Waits.([]async.Wait)
	expect.Len(t, "longest waits", totals.Longest, 10)
	longest := slices.MaxFunc(waits, func(a, b async.Wait) int { return cmp.Compare(a.SuspendedNs, b.SuspendedNs) })
	expect.Equal(t, "the longest", totals.Longest[0].SuspendedNs, longest.SuspendedNs)
	expect.Equal(t, "in order", slices.IsSortedFunc(totals.Longest, func(a, b async.Wait) int { return cmp.Compare(b.SuspendedNs, a.SuspendedNs) }), true)
	expect.Equal(t, "frames of the deepest chain", len(totals.Deepest), 254) // one of the 255 has no address
	attached := reportOf(t, shared.File(t, "async11/async11-runtime-stopped.v4.nettrace.zst")).Totals.(*async.Totals)
	sum := int64(0)
	for _, w := range attached.Waiting {
		sum += w.Dispatchers
	}
	expect.NotZero(t, "not resumed", sum)
	expect.AtMost(t, "not resumed", sum, attached.NotCompleted+attached.BeganBefore)
}

// waitCounts are the awaits of the truth that are found, those without a wait on their thread in their
// time, and those with a wait of their method.
type waitCounts struct{ found, without, methods int }

// compareWaits compares waits with the truth of a recording.
func compareWaits(t *testing.T, name string, waits []async.Wait) (n waitCounts) {
	t.Helper()
	for line := range bytes.Lines(shared.File(t, "async11/"+name+".truth.ndjson")) {
		var w trueWait
		if !bytes.Contains(line, []byte(`"wait":`)) {
			continue
		}
		if err := json.Unmarshal(line, &w); err != nil {
			t.Fatal(err)
		}
		var last async.Wait
		end := uint64(0)
		for _, have := range waits {
			if ticks := ticksOf(t, have.EndTicks); have.ThreadID == w.Thread && ticks <= w.End && ticks > end {
				last, end = have, ticks
			}
		}
		if begin := ticksOf(t, last.BeginTicks); end < w.Begin || begin+1000 < w.Begin {
			n.without++
			continue
		}
		n.found++
		if strings.Contains(last.Method, "Program."+w.Method) {
			n.methods++
		}
	}
	return n
}

// tasksOnly returns a trace without the records of the async profiler, as one of .NET 10.
func tasksOnly(t *testing.T, data []byte) []byte {
	t.Helper()
	var without bytes.Buffer
	_, err := edit.Slice(t.Context(), &without, codec.NewBlockReader(bytes.NewReader(data), codec.Options{}), edit.SliceOptions{
		Keep: func(ev *codec.Event) bool { return ev.Metadata().Provider != profiler.Provider },
	})
	expect.NoError(t, err)
	return without.Bytes()
}

// TestTaskWaitTruth: the events of tasks have the same awaits of state machines, with the methods
// that wait for them.
func TestTaskWaitTruth(t *testing.T) {
	const name = "async11-machine-tpl"
	data := shared.File(t, "async11/"+name+".v4.nettrace.zst")
	report := reportOf(t, tasksOnly(t, data))
	waits := report.Waits.([]async.Wait)
	expect.Equal(t, "waits", compareWaits(t, name, waits), waitCounts{38, 2, 38})
	totals := report.Totals.(*async.Totals)
	expect.Equal(t, "source", totals.Source, "tpl")
	expect.Equal(t, "dispatchers, which nothing records", totals.Dispatchers == nil, true)
}

// TestTaskWaitsOfNET10: the awaits of a program on .NET 10, and the chain of one of them.
func TestTaskWaitsOfNET10(t *testing.T) {
	report := reportOf(t, shared.TruthFile(t, "async-chain.v4.nettrace.zst"))
	totals := report.Totals.(*async.Totals)
	expect.Equal(t, "ambiguous", totals.Ambiguous, analysis.Known(0))
	expect.Equal(t, "open", totals.Open, analysis.Known(0))
	expect.Equal(t, "waits", totals.Waits+totals.OuterWaits.Or(0), int64(len(report.Waits.([]async.Wait))))
	for _, w := range report.Waits.([]async.Wait) {
		if strings.HasPrefix(w.Method, "Program.C ") {
			expect.Slices(t, "frames", w.Frames, []string{"Program.C [async]", "Program.B [async]", "Program.A [async]", "Program.Request [async]", "Program.MainAsync [async]"})
			return
		}
	}
	t.Error("no wait of C")
}

func ticksOf(t *testing.T, text string) uint64 {
	t.Helper()
	if text == "" {
		return 0
	}
	ticks, err := strconv.ParseUint(text, 10, 64)
	expect.NoError(t, err)
	return ticks
}

// TestNotRecorded: a trace without records says what records them.
func TestNotRecorded(t *testing.T) {
	report := reportOf(t, shared.Trace(t, "net10-mix-locks.v4"))
	expect.Equal(t, "recorded", report.Recorded(), false)
	expect.Equal(t, "command", report.NotRecorded[0].Command, "nettrace collect -p PID --provider System.Runtime.CompilerServices.AsyncProfilerEventSource:0x3feff:4")
}
