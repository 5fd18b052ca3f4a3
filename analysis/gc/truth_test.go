package gc_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/gc"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// memoryInfo is a line of a program that recorded itself: what the runtime says of
// a collection, of an induced one, or at the start and the end.
type memoryInfo struct {
	GC              int64     `json:"gc"`
	Kind            int       `json:"kind"` // 3: background
	Gen             int64     `json:"gen"`
	PauseMs         []float64 `json:"pauseMs"`
	HeapBytes       int64     `json:"heapBytes"`
	PromotedBytes   int64     `json:"promotedBytes"`
	FragmentedBytes int64     `json:"fragmentedBytes"`
	Gens            [][]int64 `json:"gens"`   // before, after, free before, free after
	Pinned          int64     `json:"pinned"` // objects
	TotalPauseMs    float64   `json:"totalPauseMs"`
	Counts          []int64   `json:"counts"`
	End             bool      `json:"end"`
}

// truthOf returns the lines of a program about collections, and the last line.
func truthOf(t *testing.T, name string) (infos []memoryInfo, end memoryInfo) {
	t.Helper()
	for line := range bytes.Lines(shared.TruthFile(t, name+".truth.ndjson")) {
		var info memoryInfo
		if json.Unmarshal(line, &info) != nil { // a line about something else
			continue
		}
		if info.End {
			end = info
		} else if info.GC > 0 {
			infos = append(infos, info)
		}
	}
	return infos, end
}

// TestTruth compares with the numbers that the runtime gave to the recorded
// program.
func TestTruth(t *testing.T) {
	for _, c := range []struct {
		name  string
		infos int // lines about collections that are in the trace
	}{
		{"gc-truth", 38}, {"gc-truth-blocking", 33}, {"gc-truth-server", 13},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, totals, _ := reportOf(t, shared.TruthFile(t, c.name+".v4.nettrace.zst"))
			infos, end := truthOf(t, c.name)
			byNumber := map[int64]*gc.Row{}
			for i := range rows {
				if rows[i].Type != gc.NoCollection {
					byNumber[rows[i].Number.Or(-1)] = &rows[i]
				}
			}
			compared := 0
			for _, info := range infos {
				if row := byNumber[info.GC]; row != nil {
					compared++
					t.Run(fmt.Sprintf("collection %d", info.GC), func(t *testing.T) { compareInfo(t, row, &info) })
				}
			}
			expect.Equal(t, "collections compared", compared, c.infos)
			sum := float64(totals.RuntimePauseNs) / 1e6
			if off := math.Abs(sum/end.TotalPauseMs - 1); off > 0.01 {
				t.Errorf("sum of the pauses %.3f ms, want %.3f ms within 1 %%: %.2f %% off", sum, end.TotalPauseMs, 100*off)
			}
			expect.Equal(t, "number of the last collection", rows[len(rows)-1].Number.Or(-1), end.Counts[0])
		})
	}
}

// compareInfo compares a collection with the runtime's own description.
func compareInfo(t *testing.T, row *gc.Row, info *memoryInfo) {
	expect.Equal(t, "background", row.Type == gc.Background, info.Kind == 3)
	expect.Equal(t, "generation", row.Generation.Or(-1), info.Gen)
	expect.Equal(t, "heap after", row.HeapAfterBytes.Or(-1), info.HeapBytes)
	expect.Equal(t, "fragmentation", row.FragmentationBytes.Or(-1), info.FragmentedBytes)
	expect.Equal(t, "pinned objects", row.PinnedObjects.Or(-1), info.Pinned)
	const counted = 8184 // bytes that the runtime counts in addition
	if more := info.PromotedBytes - row.PromotedBytes.Or(-1); more != 0 && !(more == counted && info.Gen == 2) {
		t.Errorf("promoted %d, want %d", row.PromotedBytes.Or(-1), info.PromotedBytes)
	}
	for i, sizes := range info.Gens {
		g := row.Generations[i]
		expect.Equal(t, g.Name+" before", g.BeforeBytes.Or(-1), sizes[0])
		expect.Equal(t, g.Name+" after", g.AfterBytes.Or(-1), sizes[1])
		expect.Equal(t, g.Name+" fragmentation", g.FragmentationBytes.Or(-1), sizes[3])
	}
	if row.Type == gc.Background {
		return // its first pause in the truth leaves out most of it
	}
	if _, known := row.SuspensionNs.Get(); !known {
		return // it shares its pause with a background collection
	}
	pause := float64(row.PauseNs.Or(0)-row.ResumeNs.Or(0)) / 1e6
	if math.Abs(pause-info.PauseMs[0]) > 0.5 {
		t.Errorf("pause %.3f ms, want %.3f ms within 0.5 ms", pause, info.PauseMs[0])
	}
}

// TestInduced: an induced collection has the method that asked for it.
func TestInduced(t *testing.T) {
	rows, _, _ := reportOf(t, shared.TruthFile(t, "gc-truth.v4.nettrace.zst"))
	callers := map[int64]string{}
	for _, row := range rows {
		if row.Induced {
			callers[row.Number.Or(-1)] = row.InducedBy
		}
	}
	for number, want := range map[int64]string{
		5: "Program.AskGen0()", 6: "Program.AskGen1()", 12: "Program.AskBackground()", 18: "Program.AskFull()",
		22: "Program.AskCompacting()", 32: "Program.AskAggressive()", 41: "Program.AskFull()",
	} {
		expect.Equal(t, fmt.Sprintf("caller of %d", number), callers[number], want)
	}
	expect.Equal(t, "induced collections", len(callers), 8)
}

// TestPinned: in traces with PinObjectAtGCTime each collection has an event for each
// object that GCHeapStats counts.
func TestPinned(t *testing.T) {
	for _, c := range []struct {
		name        string
		trace       func(testing.TB, string) []byte
		collections int // with the size of their pinned objects
		types       []gc.PinnedType
	}{
		{"gc-truth-blocking.v4.nettrace.zst", shared.TruthFile, 33, []gc.PinnedType{{Type: "System.Byte[]", Objects: 50, Bytes: 26_200}, {Type: "System.Object", Objects: 1, Bytes: 24}}},
		{"heap-leak-dump1.v4.nettrace.zst", shared.TruthFile, 1, []gc.PinnedType{
			{Type: "PinnedTarget", Objects: 40, Bytes: 1600}, {Type: "System.Byte[]", Objects: 1, Bytes: 4120}, {Type: "System.Object", Objects: 1, Bytes: 24},
		}},
		{"net10-mix-gc.v4", shared.Trace, 9, []gc.PinnedType{{Type: "System.Byte[]", Objects: 12, Bytes: 1488}, {Type: "System.Object", Objects: 1, Bytes: 24}}},
		{"perfview-netcore2.1-win-x86.v3", shared.Trace, 10, []gc.PinnedType{{Type: "System.Object[]", Objects: 4, Bytes: 16_880}, {Type: "System.Object", Objects: 1, Bytes: 12}}},
		{"aspnet-net10.v4", shared.Trace, 14, []gc.PinnedType{
			{Type: "System.Byte[]", Objects: 2, Bytes: 16_432}, {Type: "IOVector[]", Objects: 1, Bytes: 216}, {Type: "System.Object", Objects: 1, Bytes: 24},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, totals, _ := reportOf(t, c.trace(t, c.name))
			expect.Slices(t, "types", totals.PinnedTypes, c.types)
			known := 0
			for _, row := range rows {
				if _, ok := row.PinnedBytes.Get(); ok {
					known++
				}
			}
			expect.Equal(t, "collections with the size of their pinned objects", known, c.collections)
			expect.Equal(t, "collections", totals.Count, int64(known))
		})
	}
}

// TestPinnedUnknown: without PinObjectAtGCTime the size of pinned objects is unknown.
func TestPinnedUnknown(t *testing.T) {
	rows, totals, _ := reportOf(t, shared.TruthFile(t, "gc-truth.v4.nettrace.zst"))
	expect.Len(t, "types", totals.PinnedTypes, 0)
	expect.Equal(t, "most objects", totals.MaxPinnedObjects.Or(-1), 51)
	for _, row := range rows {
		if objects := row.PinnedObjects.Or(0); objects > 0 {
			expect.Equal(t, fmt.Sprintf("size of %d objects is unknown", objects), row.PinnedBytes.IsZero(), true)
		}
	}
}

// TestForegroundInServerGC: in server GC the thread that started a background
// collection logs the histories of a foreground one in it; the background's come
// after its end.
func TestForegroundInServerGC(t *testing.T) {
	b, err := os.ReadFile(filepath.Join(shared.Dir(t), "defects", "turn3", "gc-background-server.v4.nettrace"))
	expect.NoError(t, err)
	part := gc.New()
	tr, err := analysis.Read(t.Context(), codec.NewBytesReader(b, codec.Options{Order: codec.ByTime}), analysis.Options{Parts: []analysis.Part{part}})
	expect.NoError(t, err)
	report := part.Reports(tr)[0]
	byNumber := map[int64]gc.Row{}
	for _, row := range report.Rows.([]gc.Row) {
		if n, ok := row.Number.Get(); ok {
			byNumber[n] = row
		}
	}
	expect.Equal(t, "type of 13", string(byNumber[13].Type), "background")
	expect.Equal(t, "heap before 14", byNumber[14].HeapBeforeBytes, analysis.Known(88865192))
	expect.Equal(t, "heap after 14", byNumber[14].HeapAfterBytes, analysis.Known(67497912))
	expect.Equal(t, "histories without a collection", report.Totals.(*gc.Totals).HistoriesUnmatched, int64(0))
}

// TestAllocatedUnknown: without AllocationTick the histories of server GC and of
// background collections do not tell what was allocated.
func TestAllocatedUnknown(t *testing.T) {
	for _, c := range []struct {
		name    string
		unknown func(gc.Row) bool
	}{
		{"gc-truth-server.v4", func(gc.Row) bool { return true }},
		{"gc-truth.v4", func(row gc.Row) bool { return row.Type == gc.Background || row.Type == gc.BackgroundBlocking }},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, totals, _ := reportOf(t, shared.TruthFile(t, c.name+".nettrace.zst"))
			unknown := int64(0)
			for i, row := range rows {
				if row.Type == gc.NoCollection || i == 0 {
					continue
				}
				want := c.unknown(row)
				expect.Equal(t, fmt.Sprintf("allocations before %d are unknown", row.Number.Or(-1)), row.AllocatedBytes.IsZero(), want)
				if want {
					unknown++
				}
			}
			if totals.AllocatedEstimated {
				expect.Equal(t, "collections without an estimate", totals.AllocatedUnknown, unknown)
			}
		})
	}
}
