package spans_test

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/spans"
	"github.com/nettrace-go/nettrace/codec"
)

// Print the spans by name.
func Example() {
	data, err := os.ReadFile("../../corpora/net10-tpl-activities.v4.nettrace.zst")
	if err != nil {
		fmt.Println(err)
		return
	}
	src, err := nettrace.NewSource(bytes.NewReader(data), nettrace.SourceOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer src.Close()
	part := spans.New()
	r := codec.NewReader(src, codec.Options{Order: codec.ByTime})
	t, err := analysis.Read(context.Background(), r, analysis.Options{Parts: []analysis.Part{part}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, report := range part.Reports(t) {
		for _, row := range report.Rows.([]spans.Row) {
			fmt.Printf("%s: %d, %.1f ms\n", row.Name, row.Count, float64(row.TotalNs)/1e6)
		}
	}
	// Output:
	// Outer: 8, 102.5 ms
	// Inner: 16, 48.1 ms
	// Rec: 13, 8.2 ms
	// Detach: 2, 0.1 ms
	// NoAct: 1, 0.0 ms
}
