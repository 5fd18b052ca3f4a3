package cases_test

import (
	"fmt"

	"github.com/nettrace-go/nettrace/conformance/cases"
)

// Select the valid cases about stacks in version 6.
func ExampleMatch() {
	list := cases.Match("valid/stack/*.v6")
	for _, c := range list[:3] {
		fmt.Println(c.Name, len(c.Trace), "bytes, must read:", c.MustRead())
	}
	// Output:
	// valid/stack/deep.v6 70244 bytes, must read: true
	// valid/stack/empty.v6 244 bytes, must read: true
	// valid/stack/frame-zero.v6 2322 bytes, must read: true
}

// Print the rule that an invalid case breaks, and the offset.
func ExampleCase() {
	for _, c := range cases.Match("invalid/stack")[:3] {
		fmt.Println(c.Name, c.Fault.Rule, c.Fault.Offset)
	}
	// Output:
	// invalid/stack/stack-ids-overflow.v4 NT-STK-006 2200
	// invalid/stack/stack-ids-overflow.v6 NT-STK-006 2017
	// invalid/stack/stack-missing.v4 NT-STK-001 2280
}
