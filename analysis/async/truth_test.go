package async_test

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/async"
	"github.com/nettrace-go/nettrace/codec"
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
	for name, want := range map[string]struct{ found, without, methods int }{
		"runtime-cpu": {38, 2, 38}, "runtime-tpl": {38, 2, 38}, "runtime-alone": {57, 3, 0}, "runtime-clock": {1098, 0, 0},
		"machine-cpu": {38, 2, 38}, "machine-tpl": {38, 2, 38}, "machine-alone": {57, 3, 0},
	} {
		report := reportOf(t, shared.File(t, "async11/async11-"+name+".v4.nettrace.zst"))
		var truth []trueWait
		for line := range bytes.Lines(shared.File(t, "async11/async11-"+name+".truth.ndjson")) {
			var w trueWait
			if bytes.Contains(line, []byte(`"wait":`)) {
				if err := json.Unmarshal(line, &w); err != nil {
					t.Fatal(err)
				}
				truth = append(truth, w)
			}
		}
		waits := report.Waits.([]async.Wait)
		found, methods := 0, 0
		for _, w := range truth {
			var last async.Wait
			end := uint64(0)
			for _, have := range waits {
				if ticks := ticksOf(t, have.EndTicks); have.ThreadID == w.Thread && ticks <= w.End && ticks > end {
					last, end = have, ticks
				}
			}
			if begin := ticksOf(t, last.BeginTicks); end < w.Begin || begin+1000 < w.Begin {
				continue
			}
			found++
			if strings.Contains(last.Method, "Program."+w.Method) {
				methods++
			}
		}
		expect.Equal(t, name+": waits that are found", found, want.found)
		expect.Equal(t, name+": awaits without one", len(truth)-found, want.without)
		expect.Equal(t, name+": of the method that awaits", methods, want.methods)
		totals := report.Totals.(*async.Totals)
		expect.Equal(t, name+": running and waiting", totals.WholeRunningNs+totals.WholeWaitingNs, totals.WholeNs)
		expect.NotZero(t, name+": whole dispatchers", totals.Whole)
	}
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
	report := reportOf(t, shared.TruthFile(t, "async-chain.v4.nettrace.zst"))
	expect.Equal(t, "recorded", report.Recorded(), false)
	expect.Equal(t, "command", report.NotRecorded[0].Command, "nettrace collect -p PID --provider System.Runtime.CompilerServices.AsyncProfilerEventSource:0x3feff:4")
}
