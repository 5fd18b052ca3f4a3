package exceptions_test

import (
	"context"
	"fmt"
	"os"

	"github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/exceptions"
	"github.com/nettrace-go/nettrace/codec"
)

// Print the most frequent exceptions of a trace.
func Example() {
	f, err := os.Open("../../corpora/net10-allevents.v4.nettrace.zst")
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
	part := exceptions.New()
	r := codec.NewReader(src, codec.Options{Order: codec.ByTime})
	t, err := analysis.Read(context.Background(), r, analysis.Options{Parts: []analysis.Part{part}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, report := range part.Reports(t) {
		for _, row := range report.Rows.([]exceptions.Row)[:3] {
			fmt.Println(row.Type, row.Thrower, row.Catcher, row.Throws)
		}
	}
	// Output:
	// MyEx Mix.Thrower(int) Mix.Exc() 20
	// System.ArgumentNullException Mix.Thrower(int) Mix.Exc() 20
	// System.DivideByZeroException Mix.Thrower(int) Mix.Exc() 20
}
