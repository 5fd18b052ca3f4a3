package longtrace_test

import (
	"fmt"
	"io"
	"log"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/gen/longtrace"
	"github.com/nettrace-go/nettrace/internal/corpora"
)

// Read a trace of a million bytes, made from a short one.
func Example() {
	short, err := corpora.Open("net10-empty.v4")
	if err != nil {
		log.Fatal(err)
	}
	f, err := longtrace.New(short, 1_000_000)
	if err != nil {
		log.Fatal(err)
	}
	r := codec.NewReader(io.NewSectionReader(f, 0, f.Size()), codec.Options{})
	for _, err := range r.Events() {
		if err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(len(short), "bytes become", f.Size(), "with", r.Count(), "events")
	// Output: 746 bytes become 1000402 with 1429 events
}
