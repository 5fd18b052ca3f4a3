package raw_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Count the blocks of a stream by their kinds, without decoding their content.
func Example() {
	file, err := os.Open("../testdata/onecollect-small.v6.gz")
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err != nil {
		log.Fatal(err)
	}
	stream, err := io.ReadAll(plain)
	if err != nil {
		log.Fatal(err)
	}
	var r raw.Reader
	r.ResetStream(bytes.NewReader(stream), -1)
	count := map[wire.Kind]int{}
	for {
		b, err := r.Next()
		if err != nil {
			log.Fatal(err)
		}
		if count[b.Kind]++; b.Kind == wire.KindEndOfStream {
			break
		}
	}
	fmt.Println("version", r.Format(), count)
	// Output: version 6.0 map[EndOfStream:1 Trace:1 Event:1 Metadata:1 SequencePoint:2 Stack:1 Thread:1 LabelList:1]
}
