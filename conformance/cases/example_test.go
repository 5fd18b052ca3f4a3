package cases_test

import (
	"fmt"

	"github.com/nettrace-go/nettrace/conformance/cases"
)

// Select the valid cases about stacks in version 6.
func ExampleMatch() {
	list := cases.Match("valid/stack/*.v6")
	for _, c := range list[:3] {
		fmt.Println(c.Name, len(c.Trace), "bytes:", c.About)
	}
	// Output:
	// valid/stack/deep.v6 70244 bytes: A stack has 8,750 addresses, which are 70,000 bytes.
	// valid/stack/empty.v6 244 bytes: A stack has no addresses.
	// valid/stack/frame-zero.v6 2322 bytes: A stack has the address 0.
}

// Print the rule that an invalid case breaks, and the offset.
func ExampleCase() {
	for _, c := range cases.Match("invalid/stack")[:3] {
		fmt.Println(c.Name, c.Kind, c.Fault.Rule, c.Fault.Offset)
	}
	// Output:
	// invalid/stack/no-stacks.v4 silent NT-STK-011 2316
	// invalid/stack/stack-missing.v4 stops NT-STK-001 2280
	// invalid/stack/stack-missing.v6 stops NT-STK-001 2081
}
