package codec_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// TestSequenceDistance: numbers wrap around; a distance of 2^31 or more is a step
// back, by which nothing is lost.
func TestSequenceDistance(t *testing.T) {
	const half = 1 << 31
	for _, c := range []struct {
		name        string
		first, next uint32
		lost        uint64
		back        bool
	}{
		{"next", 7, 8, 0, false},
		{"forward", 7, 18, 10, false},
		{"equal", 7, 7, 0, true},
		{"back", 7, 6, 0, true},
		{"wrap", 1<<32 - 1, 2, 2, false},
		{"wrap by almost half", half + 6, 5, half - 2, false},
		{"back by half", half + 5, 5, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var lost []uint64
			opt := codec.Options{OnLost: func(l codec.Lost) { lost = append(lost, l.Count) }}
			stream := newV6().metadata(1, "E").thread(1, 1, 1).block(wire.KindEvent, eventBlock(0,
				rowV6(1, c.first, 1, 1, 0, 2000, 0, ""), rowV6(1, c.next, 1, 1, 0, 2000, 0, ""))).end()
			r := codec.NewBytesReader(stream, opt)
			got := drain(r)
			expect.NoError(t, got.err)
			want := []uint64{uint64(c.first) - 1}
			if c.lost > 0 {
				want = append(want, c.lost)
			}
			expect.Slices(t, "lost", lost, want)
			steps := int64(0)
			for _, d := range got.defects {
				if d.Rule.String() == "NT6-SEQ-002" {
					steps = d.Count
				}
			}
			expect.Equal(t, "step back", steps == 1, c.back)
		})
	}
}
