package alloc_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/alloc"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// reportOf returns the report of a trace with one process.
func reportOf(t *testing.T, trace []byte) ([]alloc.Row, *alloc.Totals, analysis.Report) {
	t.Helper()
	part := alloc.New()
	r := codec.NewBytesReader(trace, codec.Options{Order: codec.ByTime, OnError: codec.Skip})
	tr, err := analysis.Read(t.Context(), r, analysis.Options{Parts: []analysis.Part{part}})
	if tr == nil {
		t.Fatal(err)
	}
	reports := rules.Saw(part.Reports(tr))
	if len(reports) != 1 {
		t.Fatalf("%d reports, want 1", len(reports))
	}
	rows, _ := reports[0].Rows.([]alloc.Row)
	totals, _ := reports[0].Totals.(*alloc.Totals)
	return rows, totals, reports[0]
}

// allocated is a line of a program that recorded itself: what a method allocated on one
// thread, or at the end the whole process.
type allocated struct {
	Alloc   string // the method
	Type    string
	Kind    int // 0 small, 1 large, 2 pinned
	Objects int64
	Bytes   int64

	ProcessBytes int64
}

// sitesOf returns the sums of the lines by method, and the bytes of the process.
func sitesOf(t *testing.T, name string) (map[string]allocated, int64) {
	t.Helper()
	sites, process := map[string]allocated{}, int64(0)
	for line := range bytes.Lines(shared.TruthFile(t, name+".truth.ndjson")) {
		var a allocated
		expect.NoError(t, json.Unmarshal(line, &a))
		process += a.ProcessBytes
		if a.Alloc == "" {
			continue
		}
		a.Bytes += sites[a.Alloc].Bytes
		a.Objects += sites[a.Alloc].Objects
		sites[a.Alloc] = a
	}
	return sites, process
}

// heapKinds are the heaps by their numbers in the lines.
var heapKinds = []alloc.Heap{alloc.Small, alloc.Large, alloc.Pinned}

// TestTruth compares with what the recorded program allocated: the true bytes of
// each site are within 3 standard errors of the estimate and at most 25 % apart, and
// its type and heap are right.
func TestTruth(t *testing.T) {
	for _, c := range []struct {
		name   string
		source alloc.Source
		within float64 // part that the sum can be off
	}{
		{"alloc-truth-tick", alloc.Tick, 0.01}, {"alloc-truth-sampled", alloc.Sampled, 0.05},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, totals, report := reportOf(t, shared.TruthFile(t, c.name+".v4.nettrace.zst"))
			sites, process := sitesOf(t, c.name)
			expect.Equal(t, "source", totals.Source, c.source)
			if off := float64(totals.Bytes)/float64(process) - 1; math.Abs(off) > c.within {
				t.Errorf("sum %d bytes, want %d within %.0f %%: %.2f %% off", totals.Bytes, process, 100*c.within, 100*off)
			}
			expect.Equal(t, "sites", len(sites), 6)
			for _, site := range sites {
				t.Run(site.Alloc, func(t *testing.T) { compareSite(t, rows, &site) })
			}
			expect.Len(t, "findings", report.Findings, 0)
			expect.Len(t, "not recorded", report.NotRecorded, 0)
		})
	}
}

// compareSite compares the rows of a site with what it allocated.
func compareSite(t *testing.T, rows []alloc.Row, site *allocated) {
	var found []alloc.Row
	for _, row := range rows {
		if strings.HasPrefix(row.Site, "Program."+site.Alloc+"(") {
			found = append(found, row)
		}
	}
	expect.Len(t, "rows", found, 1)
	row := found[0]
	expect.Equal(t, "type", row.Type, site.Type)
	expect.Equal(t, "heap", row.Heap, heapKinds[site.Kind])
	off := math.Abs(float64(row.Bytes - site.Bytes))
	expect.AtMost(t, "difference in bytes", off, 3*float64(row.StandardErrorBytes.Or(0))+100e3)
	expect.AtMost(t, "difference in percent", 100*off/float64(site.Bytes), 25)
	if objects, ok := row.Objects.Get(); ok {
		expect.AtMost(t, "difference in objects in percent", 100*math.Abs(float64(objects)/float64(site.Objects)-1), 25)
	}
}

// TestObjectsTruth: the objects of GCSampledObjectAllocation by type, as a reader in Python counts
// them: at most those that the program allocated, all but one of them with both keywords.
func TestObjectsTruth(t *testing.T) {
	for name, want := range map[string]map[string]int64{
		"alloc-both-10": {"Big": 71579, "Pair[]": 4839, "Small": 68668}, // of 71,580, 4,839 and 68,668
		"alloc-high-10": {"Big": 63082, "Pair[]": 3441, "Small": 70536}, // of 71,651, 4,412 and 74,865
		"alloc-low-10":  {"Big": 66482, "Pair[]": 3241, "Small": 73241},
	} {
		_, totals, _ := reportOf(t, shared.File(t, "heap/traces/alloc/"+name+".v4.nettrace.zst"))
		expect.Equal(t, name+": source", totals.Source, alloc.Objects)
		expect.Equal(t, name+": is a lower bound", totals.LowerBound, true)
		expect.Equal(t, name+": a standard error", totals.StandardErrorBytes.IsZero(), true)
		for _, row := range totals.Types {
			if objects, ok := want[row.Type]; ok {
				expect.Equal(t, name+": objects of "+row.Type, row.Objects, analysis.Known(objects))
				delete(want, row.Type)
			}
		}
		expect.Equal(t, name+": missing types", len(want), 0)
	}
}
