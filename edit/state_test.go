package edit

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestOldestOfEqual: of events with the same time that of the first source comes
// first.
func TestOldestOfEqual(t *testing.T) {
	e := &codec.Event{}
	first, second, later := &MergeSource{next: e, ticks: 5}, &MergeSource{next: e, ticks: 5}, &MergeSource{next: e, ticks: 6}
	m := &merger{sources: []*MergeSource{later, first, second}}
	expect.Equal(t, "source", m.oldest(), first)
}

// TestCarry: two fractions whose sum is exactly one make a tick.
func TestCarry(t *testing.T) {
	c := &mergeClock{frequency: 4, rest: 250_000_000}
	for rest, want := range []bool{false, false, false, true} {
		expect.Equal(t, "carry", c.carry(uint64(rest)), want)
	}
}

// TestDowngradeForgetsLabels: the label lists of a region are unknown after its
// sequence point.
func TestDowngradeForgetsLabels(t *testing.T) {
	d := newDowngrade(nil, &codec.Trace{}, &ConvertOptions{}, &changes{})
	d.labelList(1, []codec.Label{{Kind: wire.LabelActivityID, GUID: wire.GUID{1}}})
	expect.Equal(t, "lists", len(d.labels), 1)
	d.point(&codec.SequencePoint{})
	expect.Equal(t, "lists after the point", len(d.labels), 0)
}

// TestIDsOfEndedThreads: a new thread gets the id of an ended one if its first
// number is 1, or after a sequence point that does not list the ended one.
func TestIDsOfEndedThreads(t *testing.T) {
	for _, c := range []struct {
		name   string
		points int
		first  uint32
		want   uint64
	}{
		{"first number", 0, 1, 70},
		{"later number", 0, 2, 1<<32 + 2},
		{"first number after a point", 1, 1, 70},
		{"later number after a point", 1, 2, 1<<32 + 2},
		{"later number after two points", 2, 2, 70},
	} {
		t.Run(c.name, func(t *testing.T) {
			ids := newDowngrade(nil, &codec.Trace{}, &ConvertOptions{}, &changes{}).threads
			ids.define(&codec.Thread{Index: 1, ThreadID: 70, HasThreadID: true})
			expect.Equal(t, "first thread", ids.capture(1, 5), 70)
			ids.remove(codec.ThreadSequence{Thread: 1, Sequence: 5})
			for range c.points {
				ids.point(&codec.SequencePoint{})
			}
			ids.define(&codec.Thread{Index: 2, ThreadID: 70, HasThreadID: true})
			expect.Equal(t, "new thread", ids.capture(2, c.first), c.want)
		})
	}
}

// TestNewestOfBlocks: the newest time of a repaired stream is that of all blocks.
func TestNewestOfBlocks(t *testing.T) {
	r := &repair{changes: &changes{}}
	for _, ticks := range []uint64{500, 300} {
		r.times(&codec.BlockRows{Kind: wire.KindEvent, Events: []codec.EventRow{{Timestamp: ticks}}})
	}
	expect.Equal(t, "newest", r.newest, 500)
}
