package codec_test

import (
	"bytes"
	"fmt"
	"log"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/corpora"
)

func open(name string) []byte {
	stream, err := corpora.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	return stream
}

// Iterate over the events of a trace and read a field of one type.
func Example() {
	r := codec.NewReader(bytes.NewReader(open("net10-counters.v4")), codec.Options{})
	counters := 0
	for ev, err := range r.Events() {
		if err != nil {
			log.Fatal(err) // every event that is whole came before
		}
		if ev.Provider() == "System.Runtime" && ev.Name() == "EventCounters" {
			counters++
		}
	}
	fmt.Println(r.Count(), "events,", counters, "of them counters,", r.Lost(), "lost")
	// Output: 361 events, 108 of them counters, 0 lost
}

// Read one second out of a file without the rest of it.
func ExampleIndex() {
	file := bytes.NewReader(open("azmcp-net10-cpu.v4")) // an *os.File will do
	index, err := codec.NewIndex(file, file.Size(), codec.Options{Order: codec.ByTime})
	if err != nil {
		log.Fatal(err)
	}
	trace := index.Trace()
	from := trace.Ticks(2 * time.Second)
	n := 0
	for _, err := range index.Between(from, trace.Ticks(3*time.Second)).Events() {
		if err != nil {
			log.Fatal(err)
		}
		n++
	}
	fmt.Println(n, "events")
	// Output: 17605 events
}
