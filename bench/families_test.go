package bench

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/internal/corpora"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
	"github.com/nettrace-go/nettrace/internal/workload"
)

// TestMain prints the lines with which benchstat knows the better direction of
// each metric.
func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("test.bench"); f != nil && f.Value.String() != "" {
		fmt.Println("Unit events/s better=higher")
		fmt.Println("Unit B/s better=higher")
	}
	os.Exit(m.Run())
}

// Sources are the sources of a pass: an io.Reader, or memory that is read in
// place.
var Sources = []string{"stream", "memory"}

// family is a benchmark over all traces: pass returns the measured function for
// one source of bytes.
type family struct {
	sources []string
	pass    func(t workload.Trace, source string) func() (workload.Sum, error)
}

var (
	fromMemory = []string{"memory"}

	order     = family{Sources, func(t workload.Trace, source string) func() (workload.Sum, error) { return orderPass(t, source) }}
	resolve   = family{Sources, func(t workload.Trace, source string) func() (workload.Sum, error) { return resolvePass(t, source) }}
	transcode = family{fromMemory, func(t workload.Trace, _ string) func() (workload.Sum, error) { return transcodePass(t) }}
	index     = family{fromMemory, func(t workload.Trace, _ string) func() (workload.Sum, error) { return indexPass(t) }}
	opening   = family{fromMemory, func(t workload.Trace, _ string) func() (workload.Sum, error) { return openPass(t) }}
)

// run measures the family on all traces of corpora.
func (f family) run(b *testing.B) {
	for _, name := range corporaNames(b) {
		for _, source := range f.sources {
			b.Run(workload.NewTrace(name, nil).Keys(source), func(b *testing.B) {
				trace := openCorpora(b, name)
				workload.Measure(b, len(trace.Data), f.pass(trace, source))
			})
		}
	}
}

// BenchmarkOrder reads complete streams in time order.
func BenchmarkOrder(b *testing.B) { order.run(b) }

// BenchmarkResolve reads complete streams and looks up the references of each
// event.
func BenchmarkResolve(b *testing.B) { resolve.run(b) }

// BenchmarkTranscode reads complete streams and writes them in version 6.
func BenchmarkTranscode(b *testing.B) { transcode.run(b) }

// BenchmarkIndex reads the block headers of complete files; an event is a block.
func BenchmarkIndex(b *testing.B) { index.run(b) }

// BenchmarkOpen reads the first event of a file with a new Reader.
func BenchmarkOpen(b *testing.B) { opening.run(b) }

// traces are those of corpora that the bodies are tried on: in make test only
// small ones.
func traces(t *testing.T) []corpora.Entry {
	const limit = 10_000
	return slices.DeleteFunc(shared.Corpora(t), func(e corpora.Entry) bool { return !tier.Check && e.Events > limit })
}

// timed skips a test whose times mean nothing.
func timed(t *testing.T) {
	t.Helper()
	tier.NeedsCheck(t) // times are not measured
}

// TestFamilies runs each body twice and compares its counts with plain reading
// and with MANIFEST.
func TestFamilies(t *testing.T) {
	for _, e := range traces(t) {
		trace := openCorpora(t, e.Name)
		plain := runTwice(t, trace)
		for _, f := range []struct {
			name string
			family
			same func(workload.Sum) bool
		}{
			{"order", order, func(s workload.Sum) bool { return s == plain }},
			{"resolve", resolve, func(s workload.Sum) bool { s.Values = 0; return s == plain }},
			{"transcode", transcode, func(s workload.Sum) bool { return s.Events == plain.Events }},
			{"index", index, func(s workload.Sum) bool { return s.Events > 0 }},
			{"opening", opening, func(s workload.Sum) bool { return s.Events == 1 && s.Ticks != 0 }},
		} {
			t.Run(f.name, func(t *testing.T) {
				for _, source := range f.sources {
					pass := f.pass(trace, source)
					first, err := pass()
					second, again := pass()
					expect.NoError(t, err)
					expect.Equal(t, "again", again, nil)
					expect.Equal(t, "first", first, second)
					expect.Equal(t, "f.same(first)", f.same(first), true)
				}
			})
		}
	}
}
