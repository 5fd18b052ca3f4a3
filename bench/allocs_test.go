package bench

import (
	"runtime"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// TestAllocsPerEvent counts the allocations of the second pass of one Reader.
func TestAllocsPerEvent(t *testing.T) {
	const minEvents, limit = 5000, 0.001
	for _, e := range traces(t) {
		if e.Events < minEvents {
			continue
		}
		trace := openCorpora(t, e.Name)
		for _, source := range Sources {
			t.Run(source, func(t *testing.T) {
				pass := trace.Pass(source, codec.Options{})
				// AllocsPerRun makes one pass that it does not count.
				allocs := testing.AllocsPerRun(1, func() {
					if _, err := pass(); err != nil {
						t.Error(err)
					}
				})
				perEvent := allocs / float64(e.Events)
				t.Logf("%s: %.0f allocations, %.6f an event", trace.Keys(source), allocs, perEvent)
				if perEvent > limit {
					t.Errorf("%s: %.6f allocations an event, want at most %v", trace.Keys(source), perEvent, limit)
				}
			})
		}
	}
}

// TestAllocsPerBlock: on later passes of one Reader a block that defines nothing
// allocates nothing, whatever the size of the trace: in the best of three passes,
// because the runtime's own allocations are counted too. A truncated block is
// excluded, because the error that ends the stream is allocated with it.
func TestAllocsPerBlock(t *testing.T) {
	const passes = 3
	for _, e := range traces(t) {
		trace := openCorpora(t, e.Name)
		for _, source := range Sources {
			t.Run(source, func(t *testing.T) {
				reset := blockReader(trace, source, codec.Options{})
				allocsByBlock(reset(), func(*codec.Block, uint64) {})
				minAllocs := map[int64]uint64{}
				for range passes {
					allocsByBlock(reset(), func(b *codec.Block, allocs uint64) {
						if defines(b) || int64(len(b.Body)) < b.Size {
							return
						}
						if before, ok := minAllocs[b.Offset]; !ok || allocs < before {
							minAllocs[b.Offset] = allocs
						}
					})
				}
				for offset, allocs := range minAllocs {
					if allocs != 0 {
						t.Errorf("%s: block at %d: %d allocations", trace.Keys(source), offset, allocs)
					}
				}
				if len(minAllocs) == 0 {
					t.Errorf("%s: no block to look at", trace.Keys(source))
				}
			})
		}
	}
}

// allocsByBlock reads a stream and calls f for each block with the number of
// allocations that it and its events took.
func allocsByBlock(r *codec.BlockReader, f func(*codec.Block, uint64)) {
	var before, after runtime.MemStats
	for {
		runtime.ReadMemStats(&before)
		b, ok := r.Next()
		for _, more := r.NextEvent(); more; _, more = r.NextEvent() {
		}
		runtime.ReadMemStats(&after)
		if !ok {
			return
		}
		f(b, after.Mallocs-before.Mallocs)
	}
}

// defines reports whether a block adds to a table: every kind does except events
// and the kinds that end something. An event block of version 3 may define
// metadata as well.
func defines(b *codec.Block) bool {
	switch b.Kind {
	case wire.KindEvent:
		return len(b.Metadata) > 0
	case wire.KindSequencePoint, wire.KindRemoveThread, wire.KindEndOfStream:
		return false
	}
	return true
}
