package profile_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/corpora"
	"github.com/nettrace-go/nettrace/profile"
)

// Count the exceptions of a trace, and print why it has no samples of
// allocations.
func ExampleFromReader() {
	data, err := corpora.Open("net10-deep.v4")
	if err != nil {
		log.Fatal(err)
	}
	p, err := profile.FromReader(context.Background(), codec.NewReader(bytes.NewReader(data), codec.Options{}), profile.Options{})
	if err != nil {
		log.Fatal(err)
	}
	thrown := int64(0)
	for s := range p.Samples(profile.Exception) {
		thrown += s.Count
	}
	fmt.Println(thrown, "exceptions")
	fmt.Println("allocations:", p.Why(profile.Alloc))
	// Output:
	// 24 exceptions
	// allocations: NoEvents
}
