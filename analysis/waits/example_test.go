package waits_test

import (
	"context"
	"fmt"
	"os"

	"github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/waits"
	"github.com/nettrace-go/nettrace/codec"
)

// Print what the threads of a trace waited for.
func Example() {
	f, err := os.Open("../../corpora/net10-mix-locks.v4.nettrace.zst")
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
	part := waits.New()
	r := codec.NewReader(src, codec.Options{Order: codec.ByTime})
	t, err := analysis.Read(context.Background(), r, analysis.Options{Parts: []analysis.Part{part}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, report := range part.Reports(t) {
		for _, row := range report.Rows.([]waits.Row)[:3] {
			fmt.Println(row.Cause, row.Count, row.TotalNs, row.Method)
		}
	}
	// Output:
	// task 4 919317958 Mix.Pool()
	// join 4 259114421 Mix.Locks()
	// handle 8 69218427 Mix.Waits.lambda#2()
}
