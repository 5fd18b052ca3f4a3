package jit_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/jit"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// reportOf returns the report of a trace with one process.
func reportOf(t *testing.T, trace []byte) ([]jit.Row, *jit.Totals, analysis.Report) {
	t.Helper()
	part := jit.New()
	r := codec.NewBytesReader(trace, codec.Options{Order: codec.ByTime, OnError: codec.Skip})
	tr, err := analysis.Read(t.Context(), r, analysis.Options{Parts: []analysis.Part{part}})
	if tr == nil {
		t.Fatal(err)
	}
	reports := rules.Saw(part.Reports(tr))
	if len(reports) != 1 {
		t.Fatalf("%d reports, want 1", len(reports))
	}
	rows, _ := reports[0].Rows.([]jit.Row)
	totals, _ := reports[0].Totals.(*jit.Totals)
	return rows, totals, reports[0]
}

// otherJIT is a line of TraceEvent's answer: a compilation, or the totals. Times are
// in ms.
type otherJIT struct {
	K                           string
	Name, Tier, Kind            string
	Thread, IL, Native, Version int64
	Start, Duration             float64
	Count, Listed               int64
	TotalDuration               float64
}

// otherJITs returns the compilations that ended, and the totals, in an answer of
// TraceEvent.
func otherJITs(t *testing.T, answer []byte) (list []otherJIT, totals otherJIT) {
	t.Helper()
	for line := range bytes.Lines(answer) {
		var j otherJIT
		if err := json.Unmarshal(line, &j); err != nil {
			t.Fatal(err)
		}
		switch j.K {
		case "jit":
			list = append(list, j)
		case "jittotals":
			totals = j
		}
	}
	return list, totals
}

// compiled is what both readers know of a compilation.
type compiled struct {
	tier                        string
	background                  bool
	thread, il, native, version int64
}

// timed is a compilation with its times in nanoseconds.
type timed struct {
	compiled
	start, duration int64
}

// sorted sorts compilations by time.
func sorted(list []timed) []timed {
	slices.SortStableFunc(list, func(a, b timed) int { return cmp.Compare(a.start, b.start) })
	return list
}

func microseconds(ms float64) int64 { return int64(math.Round(ms * 1e3)) }

// TestOtherReader compares each compilation and the totals with TraceEvent's.
func TestOtherReader(t *testing.T) {
	shared.Dir(t) // only this folder has the answers
	for _, c := range []struct {
		name       string
		truth      bool
		unfinished int64
		sums       [4]int64 // compilations, microseconds, bytes of IL and of code
	}{
		{"aspnet-net10.v4", false, 0, [4]int64{2536, 880815, 222322, 720521}},
		{"net10-allevents.v4", false, 0, [4]int64{107, 47383, 7381, 26809}},
		{"net10-start-suspended.v4", false, 0, [4]int64{23, 14647, 2075, 5934}},
		{"perfview-netcore2.1-win-x86.v3", false, 0, [4]int64{2, 3108, 33, 90}},
		{"perfview-netcore3.0-win-x64.v4", false, 1, [4]int64{53, 2107266, 9014, 30151}},
		{"jit-truth.v4", true, 0, [4]int64{179, 70937, 13058, 45494}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var trace, answer []byte
			if c.truth {
				trace, answer = shared.TruthFile(t, c.name+".nettrace.zst"), shared.TruthFile(t, c.name+".jitstats.ndjson.zst")
			} else {
				trace, answer = shared.Trace(t, c.name), shared.Oracle(t, c.name+".jitstats.ndjson.zst")
			}
			rows, totals, _ := reportOf(t, trace)
			others, sums := otherJITs(t, answer)
			var got, want []timed
			for _, r := range rows {
				if r.Unfinished {
					continue
				}
				tier := r.Tier
				if tier == "" {
					tier = "Unknown"
				}
				got = append(got, timed{compiled{
					tier, r.Background, r.ThreadID, r.ILBytes.Or(-1), r.NativeBytes.Or(-1), r.Version.Or(-1),
				}, r.StartNs.Or(-1), r.DurationNs.Or(-1)})
			}
			for _, o := range others {
				if o.Native == 0 {
					continue // it did not end
				}
				want = append(want, timed{compiled{
					o.Tier, o.Kind == "TieredCompilationBackground", o.Thread, o.IL, o.Native, o.Version,
				}, int64(math.Round(o.Start * 1e6)), int64(math.Round(o.Duration * 1e6))})
			}
			compare(t, sorted(got), sorted(want))
			m := totals.Methods
			expect.Equal(t, "totals", [4]int64{
				m.All.Count, microseconds(float64(m.All.DurationNs.Or(-1)) / 1e6), m.All.ILBytes.Or(-1), m.All.NativeBytes,
			}, c.sums)
			expect.Equal(t, "TraceEvent's totals", [4]int64{sums.Count, microseconds(sums.TotalDuration), sums.IL, sums.Native}, c.sums)
			expect.Equal(t, "unfinished", m.Unfinished, c.unfinished)
			expect.Equal(t, "without start", m.WithoutStart, 0)
		})
	}
}

// compare compares compilations: times may differ by TraceEvent's rounding.
func compare(t *testing.T, got, want []timed) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d compilations, want %d", len(got), len(want))
	}
	for i, w := range want {
		what := fmt.Sprintf("compilation %d", i)
		expect.Equal(t, what, got[i].compiled, w.compiled)
		if d := got[i].start - w.start; d < -1 || d > 1 {
			t.Errorf("start of %s: got %d ns, want %d ns", what, got[i].start, w.start)
		}
		if d := got[i].duration - w.duration; d < -1 || d > 1 {
			t.Errorf("time of %s: got %d ns, want %d ns", what, got[i].duration, w.duration)
		}
	}
}
