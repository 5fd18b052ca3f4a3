package summary_test

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/summary"
)

func Example() {
	var parts []*summary.Summary // of several processes, say
	for _, name := range []string{"net10-mix-gc.v4", "net10-mix-locks.v4"} {
		b := summary.NewBuilder(summary.Options{Reader: codec.Options{Schemas: clr.Schemas}})
		err := b.AddTrace(context.Background(), summary.File{Name: name, Open: func() (io.ReadCloser, error) {
			f, err := os.Open("../corpora/" + name + ".nettrace.zst")
			if err != nil {
				return nil, err
			}
			return nettrace.NewSource(f, nettrace.SourceOptions{})
		}})
		if err != nil {
			fmt.Println(name, err)
		}
		parts = append(parts, b.Summary())
	}
	all := summary.NewBuilder(summary.Options{})
	for _, part := range parts {
		if err := all.Merge(part); err != nil {
			fmt.Println(err)
		}
	}
	s := all.Summary()
	fmt.Println(s.Files, "files,", len(s.Events), "types of events")
	for _, d := range s.Durations {
		if d.Kind == summary.GCPauses {
			median, _ := d.Quantile(0.5)
			fmt.Println(d.Key, d.Count, "pauses, median", median/1000, "µs")
		}
	}
	// Output:
	// 2 files, 61 types of events
	// generation 1, blocking 1 pauses, median 751 µs
	// generation 2, background 1 pauses, median 2356 µs
	// generation 2, blocking 7 pauses, median 396 µs
	// pauseWithoutCollection 1 pauses, median 10 µs
}
