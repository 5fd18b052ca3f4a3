package jit_test

import (
	"context"
	"fmt"
	"os"

	"github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/jit"
	"github.com/nettrace-go/nettrace/codec"
)

// Print the first compilations of a trace.
func Example() {
	f, err := os.Open("../../corpora/net10-start-suspended.v4.nettrace.zst")
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
	part := jit.New()
	r := codec.NewReader(src, codec.Options{Order: codec.ByTime})
	t, err := analysis.Read(context.Background(), r, analysis.Options{Parts: []analysis.Part{part}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, report := range part.Reports(t) {
		for _, row := range report.Rows.([]jit.Row)[:3] {
			fmt.Println(row.Tier, row.DurationNs, row.ILBytes, row.NativeBytes)
		}
	}
	// Output:
	// QuickJitted 1245159 165 1066
	// Optimized 5304059 294 382
	// QuickJitted 215742 30 80
}
