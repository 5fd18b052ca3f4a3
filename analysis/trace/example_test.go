package trace_test

import (
	"context"
	"fmt"
	"os"

	"github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/trace"
	"github.com/nettrace-go/nettrace/codec"
)

// Print when a trace lost events.
func Example() {
	f, err := os.Open("../../corpora/net10-types.v4.nettrace.zst")
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
	part := trace.New()
	r := codec.NewReader(src, codec.Options{Order: codec.ByTime})
	t, err := analysis.Read(context.Background(), r, analysis.Options{Parts: []analysis.Part{part}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, report := range part.Reports(t) {
		for _, row := range report.Rows.([]trace.Row) {
			fmt.Println(row.StartNs, row.DurationNs, row.Lost)
		}
	}
	// Output:
	// 174017043 115773 1
	// 176245721 136023 4
	// 178376432 189613 7
	// 200598360 27012070 13
}
