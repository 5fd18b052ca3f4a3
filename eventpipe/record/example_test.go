package record_test

import (
	"bytes"
	"context"
	"fmt"
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
