package parts_test

import (
	"fmt"

	"github.com/nettrace-go/nettrace/analysis/parts"
)

// Print the names of the parts.
func ExampleNames() {
	for _, name := range parts.Names() {
		_, ok := parts.New(name)
		fmt.Println(name, ok)
	}
	// Output:
	// gc true
	// alloc true
	// jit true
	// threads true
	// locks true
	// async true
	// waits true
	// exceptions true
	// requests true
	// spans true
	// counters true
	// trace true
}
