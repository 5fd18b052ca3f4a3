package gc_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/gc"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// reportOf returns the report of a trace with one process.
func reportOf(t *testing.T, trace []byte) ([]gc.Row, *gc.Totals, analysis.Report) {
	t.Helper()
	part := gc.New()
	r := codec.NewBytesReader(trace, codec.Options{Order: codec.ByTime, OnError: codec.Skip})
	tr, err := analysis.Read(t.Context(), r, analysis.Options{Parts: []analysis.Part{part}})
	if tr == nil {
		t.Fatal(err)
	}
	reports := rules.Saw(part.Reports(tr))
	if len(reports) != 1 {
		t.Fatalf("%d reports, want 1", len(reports))
	}
	rows, _ := reports[0].Rows.([]gc.Row)
	totals, _ := reports[0].Totals.(*gc.Totals)
	return rows, totals, reports[0]
}

// otherGC is a collection as TraceEvent reports it: times in ms, sizes in MB.
type otherGC struct {
	K                              string
	Number, Gen                    int64
	Type                           int
	Reason                         uint64
	Pause, Suspend, Duration       float64
	Before, After, Promoted, Alloc float64
	Gens                           [][6]float64 // before, after, fragmentation, ...
	PerHeapHistories               int
}

// otherGCs returns the collections in an answer of TraceEvent.
func otherGCs(t *testing.T, answer []byte) []otherGC {
	t.Helper()
	var list []otherGC
	for line := range bytes.Lines(answer) {
		var g otherGC
		if err := json.Unmarshal(line, &g); err != nil {
			t.Fatal(err)
		}
		if g.K == "gc" {
			list = append(list, g)
		}
	}
	return list
}

// fragmentation returns that of all generations.
func (g *otherGC) fragmentation() float64 {
	sum := 0.0
	for _, generation := range g.Gens {
		sum += generation[2]
	}
	return sum
}

// difference is a number of a collection for which TraceEvent has another one.
type difference struct {
	number       int64
	what         string
	ours, theirs int64 // nanoseconds or bytes
	why          string
}

// Errors of TraceEvent that the differences are due to.
const (
	ranBlocking = "a background collection that ran blocking gets its time to suspend as pause"
	ephemeral   = "of the pause in which an ephemeral collection starts too, only the time to suspend counts"
	overlapping = "after overlapping suspensions a collection is lost, and its history goes to another one"
	truncated   = "queued events of a truncated file are thrown away"
	pinnedTwice = "allocations of large objects count as pinned, too"
)

// killed are the differences of net10-killed.
var killed = []difference{
	{3, "pause", 1392719, 1492, ranBlocking},
	{11, "pause", 31593470, 31513020, ephemeral},
	{15, "pause", 51546652, 44230468, overlapping},
	{15, "duration", 63504655, 61487803, overlapping},
	{15, "before", 30985920, 58749840, overlapping},
	{15, "promoted", 8355320, 2377712, overlapping},
	{15, "fragmentation", 14538232, 20805064, overlapping},
}

// otherTraces are the traces with collections, and where TraceEvent is wrong.
var otherTraces = []struct {
	name        string
	truth       bool    // the trace is in the folder truth
	missing     []int64 // collections that TraceEvent does not have
	differences []difference
}{
	{name: "aspnet-net10.v4"},
	{name: "azmcp-net10-cpu.v4"},
	{name: "azmcp-net10-live.v4"},
	{name: "net10-allevents.v4"},
	{name: "net10-alloc-sampled.v4"},
	{name: "net10-deep.v4"},
	{name: "net10-killed-cut.v4", missing: []int64{16, 47, 48, 49}, differences: append(slices.Clone(killed),
		difference{46, "pause", 818423, 633897, truncated}, difference{46, "suspension", 15084, 11979, truncated},
		difference{46, "duration", 7456113, 0, truncated}, difference{46, "after", 26091816, -1e6, truncated},
		difference{46, "promoted", 8633416, -1e6, truncated},
	)},
	{name: "net10-killed.v4", missing: []int64{16, 49}, differences: killed}, // 49: truncated
	{name: "net10-mix-cpu.v4", differences: []difference{{3, "pause", 1113663, 92118, ranBlocking}}},
	{name: "net10-mix-gc.v4", differences: []difference{{1, "allocated", 15284784, 18566712, pinnedTwice}}},
	{name: "net10-mix-gcheap.v4"},
	{name: "perfview-netcore2.1-win-x86.v3"},
	{name: "perfview-netcore3.0-win-x64.v4"},
	{name: "roslyn-net10-cpu.v4", differences: []difference{
		{7, "pause", 27069817, 26278776, ephemeral}, {11, "pause", 23285176, 23017587, ephemeral},
		{13, "pause", 187437761, 3145, ranBlocking}, {20, "pause", 38417018, 37816301, ephemeral},
	}},
	{name: "sarif-net8.v4", differences: []difference{{4, "pause", 23790132, 8453, ranBlocking}}},
	{name: "sarif-netcore3.1.v4", differences: []difference{{3, "pause", 119256348, 5388, ranBlocking}}},
	{name: "gc-truth.v4", truth: true, differences: []difference{{38, "pause", 461887, 276671, ephemeral}}},
	{name: "gc-truth-blocking.v4", truth: true},
	{name: "gc-truth-server.v4", truth: true},
	{name: "alloc-truth-tick.v4", truth: true},
}

// TestOtherReader compares each collection with TraceEvent's. It leaves out what
// TraceEvent does not know: the histories of background collections of server GC,
// what was allocated before the first collection, and after one without history; and
// what is unknown without AllocationTick: allocations up to a background collection,
// and those of server GC.
func TestOtherReader(t *testing.T) {
	shared.Dir(t) // only this folder has the answers
	for _, c := range otherTraces {
		t.Run(c.name, func(t *testing.T) {
			var trace, answer []byte
			if c.truth {
				trace, answer = shared.TruthFile(t, c.name+".nettrace.zst"), shared.TruthFile(t, c.name+".gcstats.ndjson.zst")
			} else {
				trace, answer = shared.Trace(t, c.name), shared.Oracle(t, c.name+".gcstats.ndjson.zst")
			}
			rows, _, _ := reportOf(t, trace)
			missing, differences := compare(t, rows, otherGCs(t, answer))
			for i := range differences {
				if i < len(c.differences) {
					differences[i].why = c.differences[i].why
				}
			}
			expect.Slices(t, "collections that TraceEvent does not have", missing, c.missing)
			expect.Slices(t, "differences", differences, c.differences)
		})
	}
}

// compare returns the collections that TraceEvent does not have, and where its
// numbers differ: times by more than a nanosecond, which is its rounding.
func compare(t *testing.T, rows []gc.Row, want []otherGC) (missing []int64, differences []difference) {
	t.Helper()
	e, _ := clr.Lookup(clr.RuntimeProvider, 1, 2)
	types := map[gc.Type]int{gc.Blocking: 0, gc.Background: 1, gc.BackgroundBlocking: 1, gc.Foreground: 2}
	have, others := map[int64]gc.Row{}, map[int64]bool{}
	for _, r := range rows {
		if r.Type != gc.NoCollection {
			have[r.Number.Or(-1)] = r
		}
	}
	history := true // of the collection before
	for i, w := range want {
		others[w.Number] = true
		r, ok := have[w.Number]
		if !ok {
			t.Errorf("no collection %d", w.Number)
			continue
		}
		expect.Equal(t, fmt.Sprintf("generation of %d", w.Number), r.Generation.Or(-1), w.Gen)
		expect.Equal(t, fmt.Sprintf("reason of %d", w.Number), r.Reason, e.Map("Reason").Text(w.Reason))
		expect.Equal(t, fmt.Sprintf("type of %d", w.Number), types[r.Type], w.Type)
		alone := w.PerHeapHistories == 0
		const background = 1                                        // of Type
		estimated := w.PerHeapHistories > 1 || w.Type == background // by TraceEvent, too low
		unknown := r.AllocatedBytes.IsZero() && (i == 0 || estimated)
		for _, n := range []struct {
			what  string
			got   analysis.Number
			want  float64
			near  int64 // allowed difference
			skips bool
		}{
			{"pause", r.PauseNs, w.Pause, 1, false},
			{"suspension", r.SuspensionNs, w.Suspend, 1, false},
			{"duration", r.DurationNs, w.Duration, 1, false},
			{"before", r.HeapBeforeBytes, w.Before, 0, alone},
			{"after", r.HeapAfterBytes, w.After, 0, false},
			{"promoted", r.PromotedBytes, w.Promoted, 0, false},
			{"fragmentation", r.FragmentationBytes, w.fragmentation(), 0, alone},
			{"allocated", r.AllocatedBytes, w.Alloc, 0, alone || !history || unknown},
		} {
			other := int64(math.Round(n.want * 1e6))
			if d := n.got.Or(0) - other; !n.skips && (d > n.near || -d > n.near) {
				differences = append(differences, difference{w.Number, n.what, n.got.Or(0), other, ""})
			}
		}
		history = !alone
	}
	for _, r := range rows {
		if n := r.Number.Or(-1); r.Type != gc.NoCollection && !others[n] {
			missing = append(missing, n)
		}
	}
	return missing, differences
}
