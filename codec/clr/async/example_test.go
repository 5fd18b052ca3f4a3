package async_test

import (
	"fmt"
	"log"

	"github.com/nettrace-go/nettrace/codec/clr/async"
)

// The records of a thread that resumes a dispatcher.
func ExampleReader() {
	buffer := made(3, 2, 0, 1, 5, 7, 0, 7, 0, 0, 0, 2, 5, 0xa0, 0x1f, 0x40, 3, 0) // the payload of an event
	var r async.Reader
	if err := r.Reset(buffer); err != nil {
		log.Fatal(err)
	}
	for r.Next() {
		fmt.Print("thread ", r.Header.Thread, " at ", r.Record.Ticks, ": ", r.Record.ID, " dispatcher ", r.Record.Dispatcher)
		for f, ok := r.Record.Frames.Next(); ok; f, ok = r.Record.Frames.Next() {
			fmt.Printf(" %#x", f.Address)
		}
		fmt.Println()
	}
	if r.Err() != nil {
		log.Fatal(r.Err())
	}
	// Output:
	// thread 42 at 1000: 2 dispatcher 5
	// thread 42 at 1000: 7 dispatcher 5 0xfa0 0xfc0
	// thread 42 at 1000: 3 dispatcher 0
}
