package counters

import (
	"io"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestTableServed: the table is printed while --listen answers a request. The race detector
// finds what both change.
func TestTableServed(t *testing.T) {
	w := newWatcher(&options{anySession: true}, counters.Session{})
	expect.NoError(t, w.read(codec.NewBytesReader(testfile.Plain(t, "net10-counters.v4"), input.ReaderOptions(false))))
	table := &counterTable{w: w, dst: io.Discard, flags: &terminal.Flags{}}
	var served sync.WaitGroup
	served.Go(func() {
		values := make(chan prometheus.Metric, 10_000)
		(&metrics{w: w}).Collect(values)
		expect.AtLeast(t, "metrics", len(values), 50)
	})
	expect.AtLeast(t, "lines", len(table.lines(terminal.Screen{})), 50)
	served.Wait()
}
