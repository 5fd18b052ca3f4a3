package edit_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/internal/corpora"
)

// stored returns a trace of this repository.
func stored(name string) []byte {
	data, err := corpora.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	return data
}

// Write a trace of version 4 as one of version 6, and compare the two.
func ExampleConvert() {
	v4 := stored("net10-counters.v4")
	var v6 bytes.Buffer
	ctx := context.Background()
	changes, err := edit.Convert(ctx, &v6, codec.NewBytesBlockReader(v4, codec.Options{}), edit.ConvertOptions{Compact: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range changes {
		fmt.Println(c)
	}
	d, err := edit.Diff(ctx, codec.NewBytesReader(v4, codec.Options{}), codec.NewReader(&v6, codec.Options{}), edit.DiffOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("same events:", d.First < 0)
	// Output: same events: true
}

// Keep the events of one provider.
func ExampleSlice() {
	var out bytes.Buffer
	src := codec.NewBytesBlockReader(stored("net10-counters.v4"), codec.Options{})
	result, err := edit.Slice(context.Background(), &out, src, edit.SliceOptions{
		Keep: func(e *codec.Event) bool { return e.Provider() == "System.Runtime" },
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Events, "events,", result.LeftOut, "left out")
	// Output: 115 events, 246 left out
}
