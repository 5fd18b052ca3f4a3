package bench

import (
	"bytes"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/conformance/check"
	"github.com/nettrace-go/nettrace/internal/workload"
)

// maxCheck is how many times as long as reading a check may take.
const maxCheck = 3

// checkTraces are the traces for the cost of a check: three are compared with
// plain reading, and one with reading all fields.
var checkTraces = []struct {
	name   string
	fields bool
}{
	{"azmcp-net10-cpu.v4", false},
	{"perfview-netcore3.0-win-x64.v4", false},
	{"roslyn-net10-cpu.v4", false},
	{"net10-burst-dropped.v4", true},
}

// BenchmarkCheck checks complete streams against the rules.
func BenchmarkCheck(b *testing.B) {
	for _, name := range corporaNames(b) {
		benchmarkCheck(b, name, openCorpora)
	}
	for _, name := range sharedNames(b) {
		benchmarkCheck(b, name, openShared)
	}
}

func benchmarkCheck(b *testing.B, full string, open func(testing.TB, string) workload.Trace) {
	b.Run(workload.NewTrace(full, nil).Keys("stream"), func(b *testing.B) {
		trace := open(b, full)
		workload.Measure(b, len(trace.Data), checkPass(trace, check.Options{}))
	})
}

// checkPass returns a function that checks the trace from start to end.
func checkPass(t workload.Trace, opt check.Options) func() (workload.Sum, error) {
	src := bytes.NewReader(nil)
	return func() (workload.Sum, error) {
		src.Reset(t.Data)
		r, err := check.Stream(src, opt)
		return workload.Sum{Events: int(r.Events), Values: uint64(len(r.Findings))}, err
	}
}

// TestCheckCost holds the time of a check against that of reading.
func TestCheckCost(t *testing.T) {
	timed(t)
	for _, one := range checkTraces {
		t.Run(one.name, func(t *testing.T) {
			trace := openAny(t, one.name)
			reading := trace.Pass("stream", codec.Options{})
			if one.fields {
				reading = fieldsPass(trace, "stream", codec.Options{Schemas: clr.Schemas})
			}
			ratio, best := Compare(t, maxCheck, [2]func() (workload.Sum, error){reading, checkPass(trace, check.Options{})})
			t.Logf("reading takes %v, checking %v: %.2f times as much", best[0], best[1], ratio)
			if ratio > maxCheck {
				t.Errorf("%.2f times as much, want at most %v", ratio, maxCheck)
			}
		})
	}
}

// openAny opens a trace of corpora, or else of the shared material.
func openAny(tb testing.TB, full string) workload.Trace {
	tb.Helper()
	if t, err := workload.Open(full); err == nil {
		return t
	}
	return openShared(tb, full)
}

// TestCheckAllocs holds the allocations of a check, which are those of a new
// Reader and of its tables, against one in so many events.
func TestCheckAllocs(t *testing.T) {
	const limit = 0.1
	trace := openCorpora(t, fieldsTrace)
	pass := checkPass(trace, check.Options{})
	var sum workload.Sum
	allocs := testing.AllocsPerRun(1, func() { sum, _ = pass() })
	t.Logf("%.0f allocations, %.4f an event", allocs, allocs/float64(sum.Events))
	if perEvent := allocs / float64(sum.Events); perEvent > limit {
		t.Errorf("%.4f allocations an event, want at most %v", perEvent, limit)
	}
}
