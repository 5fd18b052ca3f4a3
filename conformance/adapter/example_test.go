package adapter_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/nettrace-go/nettrace/conformance/adapter"
	"github.com/nettrace-go/nettrace/conformance/cases"
)

// Run an adapter on two traces, as a test runner does over standard input and
// output. Codec is the function of package codec; another reader has its own.
func ExampleServe() {
	list := cases.Match("valid/stack/empty.v6", "invalid/stack/stack-missing.v6")
	var in, out bytes.Buffer
	for _, c := range list {
		if err := adapter.WriteBlob(&in, c.Trace); err != nil {
			log.Fatal(err)
		}
	}
	if err := adapter.Serve(&in, &out, adapter.Codec); err != nil {
		log.Fatal(err)
	}
	for _, c := range list {
		lines, err := adapter.ReadBlob(&out)
		if err != nil {
			log.Fatal(err)
		}
		exit, err := out.ReadByte()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %v, %d lines\n", c.Name, adapter.Exit(exit), bytes.Count(lines, []byte("\n")))
	}
	// Output:
	// invalid/stack/stack-missing.v6: rejected, 19 lines
	// valid/stack/empty.v6: read, 3 lines
}
