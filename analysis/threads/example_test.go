package threads_test

import (
	"context"
	"fmt"
	"os"

	"github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/threads"
	"github.com/nettrace-go/nettrace/codec"
)

// Print the number of threads of the pool over time.
func Example() {
	f, err := os.Open("../../corpora/net10-mix-cpu.v4.nettrace.zst")
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
	part := threads.New()
	r := codec.NewReader(src, codec.Options{Order: codec.ByTime})
	t, err := analysis.Read(context.Background(), r, analysis.Options{Parts: []analysis.Part{part}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, report := range part.Reports(t) {
		for _, row := range report.Rows.([]threads.Row)[:6] {
			fmt.Println(row.StartNs, row.Workers, row.Reason)
		}
	}
	// Output:
	// 52754354 2 Initializing
	// 664965282 3 Warmup
	// 1329106817 2 Warmup
	// 2192078668 3 Warmup
	// 2500037551 2 Warmup
	// 2760196256 6 ClimbingMove
}
