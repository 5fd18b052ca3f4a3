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
	w := newWatcher(&options{anySession: true}, counters.MetersSession{})
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

// TestHistogramText: a histogram is the sum of its intervals, and its quantiles are bounds.
func TestHistogramText(t *testing.T) {
	var latest counters.Latest
	number := func(x float64) counters.Number { return counters.Number{Float64: x, Valid: true} }
	text := func(count, sum float64, quantiles ...counters.Quantile) string {
		latest.Add(&counters.Message{Kind: counters.Measurement, Value: counters.Value{
			Provider: "Shop", Name: "time", Type: counters.Histogram, Count: number(count), Sum: number(sum), Quantiles: quantiles,
		}})
		return histogramText(latest.Series()[0])
	}
	expect.Equal(t, "an interval", text(300, 6, counters.Quantile{Quantile: 0.95, Value: 0.5}), "p95=0.5 count=300 sum=6")
	expect.Equal(t, "two", text(2, 3, counters.Quantile{Quantile: 0.95, Value: 0.25}), "p95<=0.5 count=302 sum=9")
	expect.Equal(t, "one without measurements", text(0, 0), "p95<=0.5 count=302 sum=9")
}
