package async_test

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/async"
	"github.com/nettrace-go/nettrace/codec"
)

// Print the methods that waited longest, or what records them.
func Example() {
	data, err := os.ReadFile("../../corpora/net10-allevents.v4.nettrace.zst")
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
	part := async.New()
	r := codec.NewReader(src, codec.Options{Order: codec.ByTime})
	t, err := analysis.Read(context.Background(), r, analysis.Options{Parts: []analysis.Part{part}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, report := range part.Reports(t) {
		for _, missing := range report.NotRecorded {
			fmt.Println("not recorded:", missing.What)
		}
		if report.Recorded() {
			for _, row := range report.Rows.([]async.Row) {
				fmt.Println(row.Method, row.Waits, row.SuspendedNs)
			}
		}
	}
	// Output:
	// not recorded: async code (.NET 11)
	// not recorded: awaits of tasks
}
