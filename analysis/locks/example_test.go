package locks_test

import (
	"context"
	"fmt"
	"os"

	"github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/locks"
	"github.com/nettrace-go/nettrace/codec"
)

// Print the method that waited longest for locks, and what the owner did.
func Example() {
	f, err := os.Open("../../corpora/aspnet-net10.v4.nettrace.zst")
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
	part := locks.New()
	r := codec.NewReader(src, codec.Options{Order: codec.ByTime})
	t, err := analysis.Read(context.Background(), r, analysis.Options{Parts: []analysis.Part{part}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, report := range part.Reports(t) {
		for _, row := range report.Rows.([]locks.Row)[:1] {
			fmt.Println(row.Count, row.MaxNs, row.Method, row.Longest.Owner)
		}
	}
	// Output:
	// 75 12482808 Program.Main.lambda#4() Program.Main.Spin(int)
}
