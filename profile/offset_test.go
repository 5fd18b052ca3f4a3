package profile_test

import (
	"maps"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/profile"
)

// TestOffset: the samples of type Event have the offsets of their events, and the
// others have none.
func TestOffset(t *testing.T) {
	want := map[int64]uint64{}
	p := read(t, "net10-mix-gc.v4", profile.Options{Select: func(e *codec.Event) bool {
		if len(e.Stack()) > 0 {
			want[e.Offset()] = e.Timestamp
		}
		return true
	}})
	got := map[int64]uint64{}
	for s := range p.Samples(profile.Event) {
		got[s.Offset] = s.Ticks
	}
	expect.AtLeast(t, "events", len(got), 100)
	expect.Equal(t, "times by offset are equal", maps.Equal(got, want), true)
	for s := range p.Samples(profile.Alloc) {
		expect.Equal(t, "offset of an allocation", s.Offset, 0)
	}
}
