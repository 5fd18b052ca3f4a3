package gcdump_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/nettrace-go/nettrace/gcdump"
	"github.com/nettrace-go/nettrace/heap"
)

// Example writes a dump of two objects as a .gcdump file, and reads it again.
func Example() {
	b := heap.NewBuilder([]string{"Shop.Cart", "System.Byte[]"}, 0)
	for _, err := range []error{
		b.Add(0x1000, 32, 0, []int32{1}),
		b.Add(0x1020, 2_000_024, 1, nil),
		b.AddRoot(heap.Root{Object: 0, Kind: heap.HandleRoot, Flags: heap.PinnedRoot}),
	} {
		if err != nil {
			log.Fatal(err)
		}
	}
	file, _ := gcdump.FromHeap(b.Heap(heap.Dump{Process: 4711}), gcdump.Origin{Process: "shop", Is64Bit: true})
	var out bytes.Buffer
	if err := file.Write(&out); err != nil {
		log.Fatal(err)
	}

	file, err := gcdump.Read(&out, gcdump.Options{})
	if err != nil {
		log.Fatal(err)
	}
	h, err := file.Heap(context.Background(), gcdump.HeapOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("process", file.ProcessID, *file.Process)
	for i := range int32(h.Len()) {
		o := h.Object(i)
		fmt.Printf("%#x %s, %d bytes\n", o.Address, o.Type, o.Size)
	}
	for _, r := range h.Roots {
		fmt.Println(r.String())
	}
	// Output:
	// process 4711 shop
	// 0x1000 Shop.Cart, 32 bytes
	// 0x1020 System.Byte[], 2000024 bytes
	// pinned handle
}
