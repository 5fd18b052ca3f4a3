package alloc_test

import (
	"context"
	"fmt"
	"os"

	"github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/alloc"
	"github.com/nettrace-go/nettrace/codec"
)

// Print what a program allocated most.
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
	part := alloc.New()
	r := codec.NewReader(src, codec.Options{Order: codec.ByTime})
	t, err := analysis.Read(context.Background(), r, analysis.Options{Parts: []analysis.Part{part}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, report := range part.Reports(t) {
		for _, row := range report.Rows.([]alloc.Row)[:3] {
			fmt.Println(row.Type, row.Heap, row.Site, row.Bytes, row.StandardErrorBytes)
		}
	}
	// Output:
	// System.Byte[] small Mix.Gc() 20308208 366372
	// System.Byte[] large Mix.Gc() 6059296 28299
	// System.Byte[] small Mix.Fin..ctor() 319032 182614
}
