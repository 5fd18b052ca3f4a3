package record

import (
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// kept is an event block of a test: its size, and the time of its newest event
// that is not of a rundown, 0 for none.
type kept struct {
	size    int
	newest  uint64
	rundown bool
}

// TestRingKeeps: which event blocks a Ring has after all were added. A tick is a
// second.
func TestRingKeeps(t *testing.T) {
	for _, c := range []struct {
		name    string
		opt     RingOptions
		stopped bool
		blocks  []kept
		want    int // number of blocks at the end that are kept
	}{
		{"all within the size", RingOptions{Size: 100}, false, []kept{{60, 10, false}, {40, 20, false}}, 2},
		{"above the size", RingOptions{Size: 99}, false, []kept{{60, 10, false}, {40, 20, false}}, 1},
		{"as old as the time", RingOptions{Time: 30 * time.Second}, false, []kept{{60, 70, false}, {60, 100, false}}, 2},
		{"older than the time", RingOptions{Time: 30 * time.Second}, false, []kept{{60, 69, false}, {60, 100, false}}, 1},
		{"age counts from the newest event of all blocks", RingOptions{Time: 30 * time.Second, Size: 100}, false,
			[]kept{{60, 100, false}, {30, 50, false}, {30, 60, false}}, 0},
		{"rundown in addition to the size", RingOptions{Size: 100}, false, []kept{{60, 10, false}, {80, 0, true}}, 2},
		{"rundown and events after it", RingOptions{Size: 100}, false, []kept{{80, 0, true}, {60, 10, false}}, 1},
		{"last rundown and events after it", RingOptions{Size: 100}, true, []kept{{80, 0, true}, {90, 10, false}, {90, 20, false}}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			ring := NewRing(c.opt)
			add := func(kind wire.Kind, size int, b arrival) {
				b.Block = &codec.Block{Kind: kind, Body: make([]byte, size)}
				b.trace = &codec.Trace{Format: wire.V4, TickFrequency: 1}
				expect.NoError(t, ring.keep(&b))
			}
			add(wire.KindTrace, 0, arrival{})
			if c.stopped {
				ring.Stop()
			}
			for _, b := range c.blocks {
				add(wire.KindEvent, b.size, arrival{newest: b.newest, naming: b.rundown})
			}
			var got, want []int
			for i := range ring.blocks {
				got = append(got, len(ring.blocks[i].Body))
			}
			for _, b := range c.blocks[len(c.blocks)-c.want:] {
				want = append(want, b.size)
			}
			expect.Slices(t, "sizes of the kept blocks", got, want)
		})
	}
}
