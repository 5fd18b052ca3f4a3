package bench

import (
	"io"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/workload"
)

// writePass returns a function that encodes the trace: its blocks, with all rows
// decoded beforehand, in the given version, to io.Discard.
func writePass(tb testing.TB, t workload.Trace, format wire.Format) func() (workload.Sum, error) {
	tb.Helper()
	blocks := decodedBlocks(tb, t)
	w := codec.NewBlockWriter(io.Discard, codec.BlockWriterOptions{Format: format})
	return func() (workload.Sum, error) {
		var s workload.Sum
		w.Reset(io.Discard)
		for i := range blocks {
			if err := w.WriteBlock(&blocks[i]); err != nil {
				return s, err
			}
			s.Events += len(blocks[i].Events)
		}
		s.Ticks = uint64(w.Offset())
		return s, nil
	}
}

// decodedBlocks are the blocks of a trace of v4 or v6 with rows that do not
// depend on a Reader.
func decodedBlocks(tb testing.TB, t workload.Trace) []codec.BlockRows {
	tb.Helper()
	var blocks []codec.BlockRows
	r := codec.NewBytesBlockReader(t.Data, codec.Options{})
	for _, ok := r.Next(); ok; _, ok = r.Next() {
		var b codec.BlockRows
		r.Rows(&b)
		b.Body, b.Extension = slices.Clone(b.Body), slices.Clone(b.Extension)
		b.SequencePoint.Threads, b.Removed = slices.Clone(b.SequencePoint.Threads), slices.Clone(b.Removed)
		for i := range b.Stacks {
			b.Stacks[i].Addresses = slices.Clone(b.Stacks[i].Addresses)
		}
		for i := range b.LabelLists {
			b.LabelLists[i].Labels = slices.Clone(b.LabelLists[i].Labels)
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// formatOf returns the version in which a trace can be written unchanged.
func formatOf(t workload.Trace) wire.Format {
	if t.Version == "6" {
		return wire.V6
	}
	return wire.V5
}

// BenchmarkWrite encodes complete streams, whose rows are decoded beforehand.
func BenchmarkWrite(b *testing.B) {
	for _, name := range corporaNames(b) {
		trace := workload.NewTrace(name, nil)
		if trace.Version == "3" {
			continue
		}
		b.Run(trace.Keys("memory"), func(b *testing.B) {
			trace := openCorpora(b, name)
			workload.Measure(b, len(trace.Data), writePass(b, trace, formatOf(trace)))
		})
	}
}

// TestWriteCost compares the time of encoding rows with that of decoding them: at
// most twice as much. A second pass must allocate less than once in a thousand
// events.
func TestWriteCost(t *testing.T) {
	timed(t)
	const limit, maxAllocs = 2, 0.001
	for _, name := range []string{"azmcp-net10-cpu.v4", "net10-mix-cpu.v4", "net10-burst-dropped.v4"} {
		t.Run(name, func(t *testing.T) {
			trace := openCorpora(t, name)
			write := writePass(t, trace, formatOf(trace))
			ratio, best := Compare(t, limit, [2]func() (workload.Sum, error){trace.Pass("stream", codec.Options{}), write})
			var sum workload.Sum
			allocs := testing.AllocsPerRun(1, func() { sum, _ = write() })
			t.Logf("%s: reading takes %v, writing %v: %.2f times as much; %.0f allocations", name, best[0], best[1], ratio, allocs)
			if ratio > limit {
				t.Errorf("writing takes %.2f times as much as reading, want at most %v", ratio, limit)
			}
			if perEvent := allocs / float64(sum.Events); perEvent > maxAllocs {
				t.Errorf("%.6f allocations an event, want at most %v", perEvent, maxAllocs)
			}
		})
	}
}
