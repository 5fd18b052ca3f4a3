package bench

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/internal/workload"
)

// fieldsTrace is the trace for the ratio of BenchmarkFields.
const fieldsTrace = "azmcp-net10-cpu.v4"

// BenchmarkFields reads complete streams and all fields of all events: numbers as
// numbers, text up to its end and as a view.
func BenchmarkFields(b *testing.B) {
	for _, name := range corporaNames(b) {
		for _, source := range Sources {
			b.Run(workload.NewTrace(name, nil).Keys(source), func(b *testing.B) {
				trace := openCorpora(b, name)
				workload.Measure(b, len(trace.Data), fieldsPass(trace, source, codec.Options{Schemas: clr.Schemas}))
			})
		}
	}
}

// TestFields compares the sums of the benchmark with those of plain reading. A
// second pass of one Reader must allocate less than once in a thousand events.
func TestFields(t *testing.T) {
	const limit = 0.001
	trace := openCorpora(t, fieldsTrace)
	want := runTwice(t, trace)
	for _, source := range Sources {
		t.Run(source, func(t *testing.T) {
			pass := fieldsPass(trace, source, codec.Options{Schemas: clr.Schemas})
			var sum workload.Sum
			allocs := testing.AllocsPerRun(1, func() {
				var err error
				if sum, err = pass(); err != nil {
					t.Error(err)
				}
			})
			if sum.Events != want.Events || sum.Ticks != want.Ticks {
				t.Errorf("%s: %+v, plain reading %+v", trace.Keys(source), sum, want)
			}
			t.Logf("%s: %d fields, %.0f allocations", trace.Keys(source), sum.Fields, allocs)
			if perEvent := allocs / float64(sum.Events); perEvent > limit {
				t.Errorf("%s: %.6f allocations an event, want at most %v", trace.Keys(source), perEvent, limit)
			}
			if sum.Fields < 4*sum.Events {
				t.Errorf("%s: %d fields in %d events", trace.Keys(source), sum.Fields, sum.Events)
			}
		})
	}
}

// TestFieldsCost compares the time of reading all fields with that of plain reading.
// Memory bounds the one and the processor the other, so the ratio depends on the machine:
// bench/report demands 4, and the limit here finds only a lost fast path.
func TestFieldsCost(t *testing.T) {
	timed(t)
	const limit = 6
	trace := openCorpora(t, fieldsTrace)
	ratio, best := Compare(t, limit, [2]func() (workload.Sum, error){
		trace.Pass("stream", codec.Options{}),
		fieldsPass(trace, "stream", codec.Options{Schemas: clr.Schemas}),
	})
	t.Logf("%s: reading takes %v, with all fields %v: %.2f times as much", trace.Name, best[0], best[1], ratio)
	if ratio > limit {
		t.Errorf("%.2f times as much, want at most %v", ratio, limit)
	}
}

// fieldsPass is Pass with a look at the value of each field of each event.
func fieldsPass(t workload.Trace, source string, opt codec.Options) func() (workload.Sum, error) {
	reset := t.Reader(source, opt)
	return func() (workload.Sum, error) { return readFields(reset()) }
}

func readFields(r *codec.Reader) (workload.Sum, error) {
	events, fields, ticks, values := 0, 0, uint64(0), uint64(0)
	for e, err := range r.Events() {
		if err != nil {
			break
		}
		events++
		ticks += e.Timestamp
		for _, v := range e.Fields() {
			fields++
			if v.IsText() {
				units, _ := v.Units()
				values += uint64(len(units))
			} else {
				values += v.Uint64()
			}
		}
	}
	return workload.Sum{Events: events, Ticks: ticks, Fields: fields, Values: values}, workload.UnlessTruncated(r.Err())
}
