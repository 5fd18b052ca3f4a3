package record_test

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"log"
	"os"
	"path/filepath"

	"github.com/nettrace-go/nettrace/eventpipe/record"
	"github.com/nettrace-go/nettrace/internal/corpora"
)

// Record a stream in a file. Of a stream that ends too early, the file has all
// complete rows, and an end mark. A session is an io.Reader like this one.
func Example() {
	stream, err := corpora.Open("net10-counters.v4")
	if err != nil {
		log.Fatal(err)
	}
	folder, err := os.MkdirTemp("", "record")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	f, err := os.Create(filepath.Join(folder, "app.nettrace"))
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	file, err := record.NewFile(f, record.Uncompressed)
	if err != nil {
		log.Fatal(err)
	}
	session := bytes.NewReader(stream[:len(stream)/2])
	report, err := record.New(record.Options{}).Run(context.Background(), session, file)
	fmt.Println(report.Events, "events, complete:", report.Complete(), "error:", err)
	// Output: 152 events, complete: false error: <nil>
}

// Read names before the process can die, from the stream of another session, and
// write them after a recording whose end is missing.
func ExampleNames() {
	stream, err := corpora.Open("net10-counters.v4")
	if err != nil {
		log.Fatal(err)
	}
	names := record.NewNames(16 << 20)
	if _, err := names.Read(bytes.NewReader(stream)); err != nil {
		log.Fatal(err)
	}
	var out bytes.Buffer
	file, err := record.NewStream(&out, record.Uncompressed)
	if err != nil {
		log.Fatal(err)
	}
	killed := bytes.NewReader(stream[:len(stream)/2])
	report, err := record.New(record.Options{
		Additions: func(r *record.Report) iter.Seq[record.Addition] {
			if r.Ended {
				return nil // it has its own rundown
			}
			return names.All()
		},
	}).Run(context.Background(), killed, file)
	fmt.Println(report.Events, "events and", report.Added, "names, error:", err)
	// Output: 152 events and 1 names, error: <nil>
}

// Read the processor times of the threads of a process, here of this one, and add
// them to a recording with Options.Additions.
func ExampleThreadTimes() {
	times := record.NewThreadTimes(os.Getpid())
	for range 2 { // once a second in an agent
		if err := times.Read(); err != nil {
			fmt.Println(err) // not on Linux
			return
		}
	}
	for event := range times.All() {
		_ = event // provider Nettrace-Collector, ThreadTime
	}
}
