package pprof_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/corpora"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/pprof"
)

// List the types of samples of a trace as pprof has them.
func ExampleNew() {
	data, err := corpora.Open("net10-deep.v4")
	if err != nil {
		log.Fatal(err)
	}
	p, err := profile.FromReader(context.Background(), codec.NewReader(bytes.NewReader(data), codec.Options{}), profile.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range pprof.New(p, pprof.Options{}).SampleType {
		fmt.Println(t.Type, t.Unit)
	}
	// Output:
	// wall nanoseconds
	// cpu~ nanoseconds
	// lock-time nanoseconds
	// lock-count count
	// exception count
	// gc-pause nanoseconds
	// gc-pauses count
}
