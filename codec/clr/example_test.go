package clr_test

import (
	"fmt"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// Find the description of an event of the runtime. The payload of an unknown
// newer version begins with the fields of the newest known one.
func ExampleLookup() {
	e, ok := clr.Lookup("Microsoft-Windows-DotNETRuntime", 1, 9)
	fmt.Println(ok, e.Name, e.Version)
	for _, f := range e.Fields {
		fmt.Println(" ", f.Name, f.Type.Code)
	}
	// Output:
	// true GCStart 2
	//   Count UInt32
	//   Depth UInt32
	//   Reason UInt32
	//   Type UInt32
	//   ClrInstanceID UInt16
	//   ClientSequenceNumber UInt64
}

// The kind of an event is found once for a metadata row.
func ExampleKindOf() {
	m := &codec.Metadata{Provider: clr.RuntimeProvider, EventID: 1, Version: 2}
	kind := clr.KindOf(m)
	fmt.Println(kind, kind == clr.KindGCStart)
	// Output: GCStart true
}
