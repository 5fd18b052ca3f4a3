package heap_test

import (
	"context"
	"fmt"
	"log"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/heap"
)

// Which types retain most, and what keeps an object.
func Example() {
	stream := made(&testing.B{}, withStatic(small())...) // a trace with a dump
	ctx := context.Background()
	h, err := heap.FromReader(ctx, codec.NewBytesReader(stream, codec.Options{}), heap.Options{})
	if err != nil {
		log.Fatal(err)
	}
	d, err := h.Dominators(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range h.Types(d)[:3] {
		fmt.Printf("%s: %d objects, %d bytes, retained %d bytes\n", t.Name, t.Count, t.Shallow, t.Retained)
	}
	p, err := h.Paths(ctx)
	if err != nil {
		log.Fatal(err)
	}
	path := p.To(3)
	fmt.Print(&h.RootsOf(path[0])[0])
	for i, object := range path {
		if i > 0 {
			fmt.Print(" -", h.EdgeName(path[i-1], object), "-> ")
		} else {
			fmt.Print(" -> ")
		}
		fmt.Print(h.Object(object).Type)
	}
	// Output:
	// System.Object[]: 1 objects, 100 bytes, retained 190 bytes
	// List: 1 objects, 20 bytes, retained 90 bytes
	// Leaf: 3 objects, 78 bytes, retained 85 bytes
	// pinned handle -> System.Object[] -Leak-> List --> Leaf
}
