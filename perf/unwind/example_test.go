package unwind_test

import (
	"fmt"

	"github.com/nettrace-go/nettrace/perf"
	"github.com/nettrace-go/nettrace/perf/unwind"
)

// A function with a frame pointer is on the stack twice, called by one without a file.
func ExampleUnwinder() {
	u := unwind.New(unwind.Options{Maps: []perf.Mapping{{Start: 0x401000, End: 0x402000, Path: "/usr/bin/app"}}})
	record := &perf.Record{
		Kind: perf.Sample, User: []uint64{0x401010, 0x401020, 0x401030}, HasRegisters: true,
		Registers: perf.Registers{IP: 0x401010, SP: 0x7000, BP: 0x7000},
		// The caller's frame pointer and the return address, twice.
		Stack: []byte{0x10, 0x70, 0, 0, 0, 0, 0, 0, 0x20, 0x10, 0x40, 0, 0, 0, 0, 0, 0x20, 0x70, 0, 0, 0, 0, 0, 0, 0x30, 0x10, 0x40, 0, 0, 0, 0, 0},
	}
	u.Learn(record)
	chain := u.Chain(record)
	fmt.Printf("%#x, repaired: %v\n", chain.Addresses, len(chain.Repairs) > 0)
	// Output:
	// [0x401010 0x401020 0x401030], repaired: false
}
