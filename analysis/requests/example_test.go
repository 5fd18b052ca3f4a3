package requests_test

import (
	"context"
	"fmt"
	"os"

	"github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/requests"
	"github.com/nettrace-go/nettrace/codec"
)

// Print the routes of the requests that a program sent.
func Example() {
	f, err := os.Open("../../corpora/net10-http.v4.nettrace.zst")
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
	part := requests.New()
	r := codec.NewReader(src, codec.Options{Order: codec.ByTime})
	t, err := analysis.Read(context.Background(), r, analysis.Options{Parts: []analysis.Part{part}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, report := range part.Reports(t) {
		out := report.Totals.(*requests.Totals).Outgoing
		fmt.Println(out.Starts, "started,", out.Completed, "with a duration,", out.Ambiguous, "ambiguous,", out.Failed.Or(0), "failed")
	}
	// Output:
	// 201 started, 11 with a duration, 190 ambiguous, 1 failed
}
