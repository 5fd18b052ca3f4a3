package codec_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"sync"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// open returns the plain bytes of a trace in testdata.
func open(name string) []byte {
	file, err := os.Open("testdata/" + name + ".gz")
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
	return stream
}

// uncompressed writes a trace in testdata to a temporary file, and returns its path.
func uncompressed(name string) string {
	file, err := os.CreateTemp("", "nettrace-example")
	if err != nil {
		log.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Write(open(name)); err != nil {
		log.Fatal(err)
	}
	return file.Name()
}

// Iterate over the events of a trace and read a field of one type.
func Example() {
	r := codec.NewReader(bytes.NewReader(open("net10-counters.v4")), codec.Options{})
	counters := 0
	for ev, err := range r.Events() {
		if err != nil {
			log.Fatal(err) // all complete events came before
		}
		if ev.Provider() == "System.Runtime" && ev.Name() == "EventCounters" {
			counters++
		}
	}
	fmt.Println(r.Count(), "events,", counters, "of them counters,", r.Lost(), "lost")
	// Output: 361 events, 108 of them counters, 0 lost
}

// Read a tenth of a second of a file without the rest of it.
func ExampleIndex() {
	file, err := os.Open(uncompressed("azmcp-net10-startup.v4"))
	if err != nil {
		log.Fatal(err)
	}
	defer os.Remove(file.Name())
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		log.Fatal(err)
	}
	index, err := codec.NewIndex(file, info.Size(), codec.Options{Order: codec.ByTime})
	if err != nil {
		log.Fatal(err)
	}
	trace := index.Trace()
	tenth := codec.TimeRange{From: trace.Ticks(100 * time.Millisecond), To: trace.Ticks(200 * time.Millisecond), HasFrom: true, HasTo: true}
	n := 0
	for _, err := range index.Between(tenth).Events() {
		if err != nil {
			log.Fatal(err)
		}
		n++
	}
	fmt.Println(n, "events")
	// Output: 472 events
}

// A program writes events; another reads them.
func ExampleWriter() {
	var file bytes.Buffer
	w := codec.NewWriter(&file, codec.WriterOptions{
		Trace: codec.Trace{SyncTime: time.Date(2026, 11, 21, 2, 0, 14, 0, time.UTC), TickFrequency: 1000},
	})
	request, _ := w.DefineEvent(&codec.Metadata{
		Provider: "Shop", EventID: 1, Name: "Request", Level: 4,
		Fields: []codec.Field{{Name: "Items", Type: codec.Type{Code: wire.Int32}}},
	})
	main, _ := w.DefineThread(&codec.Thread{Name: "main", ThreadID: 4711, HasThreadID: true})
	for items := range int32(3) {
		err := request.Event().Thread(main).Timestamp(uint64(items) * 500).Stack([]uint64{0x7F00, 0x7E00}).Int32(items).Write()
		if err != nil {
			fmt.Println(err)
		}
	}
	if err := w.Close(); err != nil { // also returns a write error of any call before
		fmt.Println(err)
	}

	for e, err := range codec.NewReader(&file, codec.Options{}).Events() {
		if err != nil {
			fmt.Println(err)
			break
		}
		items, _ := e.Field("Items")
		fmt.Println(e.Time().Format("15:04:05.0"), e.Thread().Name, e.Name(), items)
	}
	// Output:
	// 02:00:14.0 main Request 0
	// 02:00:14.5 main Request 1
	// 02:00:15.0 main Request 2
}

// Goroutines record events without waiting for the file.
func ExampleRecorder() {
	var file bytes.Buffer
	start := time.Now()
	w := codec.NewWriter(&file, codec.WriterOptions{
		Trace:   codec.Trace{SyncTime: start, TickFrequency: 1e9},
		Ordered: true, // all events take their time from Clock
	})
	r := codec.NewRecorder(w, codec.RecorderOptions{
		Clock: func() uint64 { return uint64(time.Since(start)) },
	})
	work, _ := r.DefineMetadata(&codec.Metadata{Provider: "Shop", EventID: 2, Name: "Work", Level: 4})
	var workers sync.WaitGroup
	for id := range uint64(4) {
		thread, _ := r.DefineThread(&codec.Thread{ThreadID: id, HasThreadID: true})
		workers.Go(func() {
			for range 100 {
				r.Record(&codec.Record{MetadataID: work, Thread: thread, CaptureThread: thread, Processor: wire.UnknownProcessor})
			}
		})
	}
	workers.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := r.Close(ctx); err != nil {
		fmt.Println(err)
	}
	events := 0
	for _, err := range codec.NewReader(&file, codec.Options{}).Events() {
		if err != nil {
			fmt.Println(err)
			break
		}
		events++
	}
	fmt.Println(events, "events,", r.Dropped(), "dropped")
	// Output: 400 events, 0 dropped
}

// A value that does not fit its field, and a field without a value, are errors.
func ExampleWriter_DefineEvent() {
	var file bytes.Buffer
	w := codec.NewWriter(&file, codec.WriterOptions{
		Trace: codec.Trace{SyncTime: time.Date(2026, 11, 21, 2, 0, 14, 0, time.UTC), TickFrequency: 1000},
	})
	text, double, number := codec.Type{Code: wire.NullTerminatedUTF16String}, codec.Type{Code: wire.Double}, codec.Type{Code: wire.Int32}
	request, err := w.DefineEvent(&codec.Metadata{
		Provider: "Shop", EventID: 1, Name: "Request", Level: 4,
		Fields: []codec.Field{
			{Name: "Path", Type: text}, {Name: "Seconds", Type: double},
			{Name: "Items", Type: codec.Type{Code: wire.Array, Element: &number}},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	main, err := w.DefineThread(&codec.Thread{Name: "main"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(request.Event().Thread(main).Timestamp(500).String("/cart").Float64(1.5).Array().Int32(7).Int32(8).End().Write())
	fmt.Println(request.Event().Thread(main).Timestamp(600).String("/cart").Int32(2).Write())
	fmt.Println(request.Event().Thread(main).Timestamp(700).String("/cart").Float64(0.5).Write())
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}

	for e, err := range codec.NewReader(&file, codec.Options{}).Events() {
		if err != nil {
			log.Fatal(err)
		}
		for name, value := range e.Fields() {
			fmt.Println(name, value)
		}
	}
	// Output:
	// <nil>
	// codec: field 1 (Seconds) of metadata 1: got Int32, want Double
	// codec: field 2 (Items) of metadata 1: got Write, want Array of Int32
	// Path /cart
	// Seconds 1.5
	// Items [7 8]
}

// Goroutines that start and end take the memory of an event from a pool.
func ExampleRecorder_DefineEvent() {
	var file bytes.Buffer
	start := time.Now()
	w := codec.NewWriter(&file, codec.WriterOptions{Trace: codec.Trace{SyncTime: start, TickFrequency: 1e9}})
	r := codec.NewRecorder(w, codec.RecorderOptions{Clock: func() uint64 { return uint64(time.Since(start)) }})
	thread, _ := r.DefineThread(&codec.Thread{Name: "server"})
	metadata := &codec.Metadata{Provider: "Shop", EventID: 1, Name: "Request", Fields: []codec.Field{
		{Name: "Items", Type: codec.Type{Code: wire.Int32}},
	}}
	requests := sync.Pool{New: func() any {
		request, err := r.DefineEvent(metadata) // the same metadata has the same id
		if err != nil {
			log.Fatal(err)
		}
		return request
	}}
	var handlers sync.WaitGroup
	for items := range int32(100) {
		handlers.Go(func() {
			request := requests.Get().(*codec.EventType)
			defer requests.Put(request)
			if err := request.Event().Thread(thread).Int32(items).Write(); err != nil {
				fmt.Println(err)
			}
		})
	}
	handlers.Wait()
	if err := r.Close(context.Background()); err != nil {
		fmt.Println(err)
	}

	sum := int64(0)
	for e, err := range codec.NewReader(&file, codec.Options{}).Events() {
		if err != nil {
			fmt.Println(err)
			break
		}
		items, _ := e.Field("Items")
		sum += items.Int64()
	}
	fmt.Println(sum, "items")
	// Output: 4950 items
}
