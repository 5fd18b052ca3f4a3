package layout_test

import (
	"fmt"

	"github.com/nettrace-go/nettrace/codec/layout"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Print the fields of a sequence point of version 6.
func ExampleWalker_Block() {
	body := []byte{
		1, 0, 0, 0, 0, 0, 0, 0, // time
		1, 0, 0, 0, // flags
		1, 0, 0, 0, // number of threads
		7, 0xAC, 2, // a thread and its sequence number
	}
	w := layout.NewWalker(layout.Options{Format: wire.V6})
	for f := range w.Block(wire.KindSequencePoint, body) {
		fmt.Println(f.Pos, f.Name, f.Encoding, f.Value)
	}
	// Output:
	// 0 TimeStamp uint64 1
	// 8 Flags uint32 1
	// 12 ThreadCount uint32 1
	// 16 ThreadIndex varuint64 7
	// 17 SequenceNumber varuint32 300
}
