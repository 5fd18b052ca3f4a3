package counters_test

import (
	"context"
	"fmt"
	"os"

	"github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/counters"
	"github.com/nettrace-go/nettrace/codec"
)

// Print a counter over time.
func Example() {
	f, err := os.Open("../../corpora/net10-counters.v4.nettrace.zst")
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
	part := counters.New()
	r := codec.NewReader(src, codec.Options{Order: codec.ByTime})
	t, err := analysis.Read(context.Background(), r, analysis.Options{Parts: []analysis.Part{part}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, report := range part.Reports(t) {
		for _, row := range report.Rows.([]counters.Row) {
			if row.Name != "exception-count" {
				continue
			}
			for _, p := range row.Points {
				fmt.Printf("%.1f s %.0f %s\n", float64(p.StartNs)/1e9, p.Value, row.Shows)
			}
		}
	}
	// Output:
	// 1.1 s 0 rate
	// 2.0 s 110 rate
	// 3.0 s 110 rate
	// 4.0 s 110 rate
}
