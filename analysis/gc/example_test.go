package gc_test

import (
	"context"
	"fmt"
	"os"

	"github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/gc"
	"github.com/nettrace-go/nettrace/codec"
)

// Print the collections of a trace.
func Example() {
	f, err := os.Open("../../corpora/net10-mix-gc.v4.nettrace.zst")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	src, err := nettrace.NewSource(f, nettrace.SourceOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer src.Close()
	part := gc.New()
	r := codec.NewReader(src, codec.Options{Order: codec.ByTime})
	t, err := analysis.Read(context.Background(), r, analysis.Options{Parts: []analysis.Part{part}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, report := range part.Reports(t) {
		rows, _ := report.Rows.([]gc.Row) // none if the trace has no collections
		for _, row := range rows[:min(3, len(rows))] {
			fmt.Println(row.Number, row.Type, row.Reason, row.InducedBy, row.PauseNs)
		}
	}
	// Output:
	// 1 blocking AllocLarge  3196353
	// 2 blocking Induced Mix.Gc() 751372
	// 3 background Induced Mix.Gc() 2356228
}
