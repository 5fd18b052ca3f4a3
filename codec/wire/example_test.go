package wire_test

import (
	"fmt"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// Query what a version of the format has.
func ExampleFormat() {
	for _, f := range []wire.Format{wire.V3, wire.V4, wire.V5, wire.V6} {
		fmt.Println(f, f.HasSequencePoints(), f.HasOpcodes(), f.HasThreadTable())
	}
	// Output:
	// 3 false false false
	// 4 true false false
	// 5 true true false
	// 6.0 true true true
}
