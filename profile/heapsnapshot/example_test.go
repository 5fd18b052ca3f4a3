package heapsnapshot_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/heap"
	"github.com/nettrace-go/nettrace/internal/corpora"
	"github.com/nettrace-go/nettrace/profile/heapsnapshot"
)

// Write the heap dump of a trace for Chrome DevTools.
func ExampleWrite() {
	data, err := corpora.Open("net10-mix-gcheap.v4")
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	h, err := heap.FromReader(ctx, codec.NewBytesReader(data, codec.Options{}), heap.Options{})
	if err != nil {
		log.Fatal(err)
	}
	d, err := h.Dominators(ctx)
	if err != nil {
		log.Fatal(err)
	}
	var out bytes.Buffer // a file with the extension .heapsnapshot
	if err := heapsnapshot.Write(&out, h, d); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.12s...\n", out.String())
	// Output:
	// {"snapshot":...
}
