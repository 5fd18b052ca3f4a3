package columns_test

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/columns"
)

// Print the collections of a trace.
func Example() {
	t, err := columns.New(columns.Options{
		Open: func() (io.ReadCloser, error) {
			f, err := os.Open("../corpora/net10-mix-gc.v4.nettrace.zst")
			if err != nil {
				return nil, err
			}
			return nettrace.NewSource(f, nettrace.SourceOptions{}) // the end of the program closes the file
		},
		Reader: codec.Options{Schemas: clr.Schemas},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	gc, err := t.Load(context.Background(), "gc", "number", "type", "reason", "pause_ns")
	if err != nil {
		fmt.Println(err)
		return
	}
	for row := range min(gc.Rows, 3) {
		fmt.Println(gc.Vector("number").Int(row), gc.Vector("type").Text(row), gc.Vector("reason").Text(row), gc.Vector("pause_ns").Int(row))
	}
	// Output:
	// 1 blocking AllocLarge 3196353
	// 2 blocking Induced 751372
	// 3 background Induced 2356228
}
