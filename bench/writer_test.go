package bench

import (
	"io"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/workload"
)

// eventsPass returns a function that writes the events of a trace of v4, cloned
// beforehand, with a Writer of v5, to nowhere.
func eventsPass(tb testing.TB, t workload.Trace, opt codec.WriterOptions) func() (workload.Sum, error) {
	tb.Helper()
	r := codec.NewBytesReader(t.Data, codec.Options{Order: codec.ByTime})
	trace, err := r.Trace()
	if err != nil {
		tb.Fatal(err)
	}
	var records []codec.Record
	var rows []*codec.Metadata
	ids := map[*codec.Metadata]uint32{}
	for e, err := range r.Events() {
		if err != nil {
			tb.Fatal(err)
		}
		m := e.Metadata()
		if ids[m] == 0 {
			rows = append(rows, m)
			ids[m] = uint32(len(rows))
		}
		c := e.Clone()
		records = append(records, codec.Record{
			MetadataID: ids[m], Timestamp: e.Timestamp, Thread: e.ThreadIndex, CaptureThread: e.CaptureThreadIndex,
			Processor: e.Processor, Stack: c.Stack(), Activity: e.Activity(), Related: e.RelatedActivity(), Payload: c.Payload(),
		})
	}
	opt.Format, opt.Trace = wire.V5, *trace
	w := codec.NewWriter(io.Discard, opt)
	return func() (workload.Sum, error) {
		var s workload.Sum
		w.Reset(io.Discard)
		for _, m := range rows {
			if _, err := w.DefineMetadata(m); err != nil {
				return s, err
			}
		}
		for i := range records {
			if err := w.Write(&records[i]); err != nil {
				return s, err
			}
		}
		err := w.Close()
		s.Events, s.Ticks = len(records), uint64(w.Offset())
		return s, err
	}
}

// BenchmarkWriteEvents writes the events of traces one by one.
func BenchmarkWriteEvents(b *testing.B) {
	for _, name := range []string{"azmcp-net10-cpu.v4", "net10-mix-cpu.v4", "net10-burst-dropped.v4", "net10-tpl-activities.v4"} {
		trace := workload.NewTrace(name, nil)
		b.Run(trace.Keys("memory"), func(b *testing.B) {
			trace := openCorpora(b, name)
			workload.Measure(b, len(trace.Data), eventsPass(b, trace, codec.WriterOptions{Ordered: true}))
		})
	}
}
