package nettrace_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// Add up the bytes that a program allocated, as sampled by the runtime.
func Example() {
	r, err := nettrace.Open("corpora/net10-mix-gc.v4.nettrace.zst")
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	allocated := uint64(0)
	for event, err := range r.Events() {
		if err != nil {
			log.Fatal(err) // events before the error have already been delivered
		}
		if event.Provider() == "Microsoft-Windows-DotNETRuntime" && event.ID() == 10 { // GCAllocationTick
			amount, _ := event.Field("AllocationAmount64")
			allocated += amount.Uint64()
		}
	}
	fmt.Println(r.Count(), "events,", allocated>>20, "MiB allocated")
	// Output: 4657 events, 26 MiB allocated
}

// Read a trace that another program sends.
func ExampleNewReader() {
	var pipe io.Reader = strings.NewReader("This is no trace.")
	r, err := nettrace.NewReader(pipe)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Trace(); errors.Is(err, codec.ErrNotNetTrace) {
		fmt.Println(err)
	}
	// Output: codec: not a NetTrace stream: NT-HDR-001 at offset 0
}

// Read a compressed trace with options of package codec: events in the order of
// time.
func ExampleNewSource() {
	file, err := os.Open("corpora/net10-mix-locks.v4.nettrace.zst")
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	source, err := nettrace.NewSource(file, nettrace.SourceOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer source.Close()
	r := codec.NewReader(source, codec.Options{Schemas: clr.Schemas, Order: codec.ByTime})
	for event, err := range r.Events() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("the first event is", event.ID(), "of", event.Provider())
		break
	}
	// Output: the first event is 187 of Microsoft-Windows-DotNETRuntime
}

// List the blocks of a compressed trace, which can then be read in any order.
func ExampleNewSourceAt() {
	file := frames("corpora/net10-mix-locks.v4.nettrace.zst")
	source, err := nettrace.NewSourceAt(bytes.NewReader(file), int64(len(file)))
	if err != nil { // after ErrNotSeekable read a Source
		log.Fatal(err)
	}
	defer source.Close()
	index, err := codec.NewIndex(source, source.Size(), codec.Options{Schemas: clr.Schemas})
	if err != nil {
		log.Fatal(err)
	}
	blocks := index.Blocks()
	last := blocks[len(blocks)-2]
	fmt.Println("the last block before the end mark is a", last.Kind, "block")
	// Output: the last block before the end mark is a SequencePoint block
}

// frames returns a trace as zstd frames, like those that nettrace collect writes.
func frames(name string) (file []byte) {
	r, err := os.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	source, err := nettrace.NewSource(r, nettrace.SourceOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer source.Close()
	plain, err := io.ReadAll(source)
	if err != nil {
		log.Fatal(err)
	}
	w, err := zstd.NewWriter(nil)
	if err != nil {
		log.Fatal(err)
	}
	for part := range slices.Chunk(plain, 128<<10) {
		file = w.EncodeAll(part, file)
	}
	return file
}
