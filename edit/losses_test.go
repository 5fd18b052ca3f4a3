package edit_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// endings is a trace of v4 whose threads 2, 4, 6 restart under the same number,
// lose events, and are missing in the next sequence point.
func endings(t *testing.T) []byte {
	var blocks []*codec.BlockRows
	for region := range uint32(3) {
		blocks = append(blocks, eventsOf(1, region*3+1, region*3+2))
		for thread := uint64(2); thread <= 6; thread += 2 {
			blocks = append(blocks, eventsOf(thread, 1), eventsOf(thread, 1, 2), eventsOf(thread, 6))
		}
		blocks = append(blocks, eventsOf(1, region*3+3), point(0, codec.ThreadSequence{Thread: 1, Sequence: region*3 + 3}))
	}
	return stream(t, 4, blocks...)
}

// odd reports whether an event is of thread 1.
func odd(e *codec.Event) bool {
	id, _ := e.ThreadID()
	return id%2 == 1
}

// TestSliceEndings: the losses of a thread that ends without an event in the part
// are written, and those of one that restarts are separate from the old one's.
func TestSliceEndings(t *testing.T) {
	data := endings(t)
	const lost = 3 * 3 * 3 // regions, threads, numbers 3 to 5
	whole := sliceReader(data)
	for range whole.Events() {
	}
	if whole.Lost() != lost || whole.Count() != 3*(3+3*4) {
		t.Fatalf("the source has %d events, %d lost", whole.Count(), whole.Lost())
	}
	for name, keep := range map[string]func(*codec.Event) bool{
		"thread 1": odd, "the others": func(e *codec.Event) bool { return !odd(e) }, "all": nil,
	} {
		t.Run(name, func(t *testing.T) {
			want := whole.Count()
			switch name {
			case "thread 1":
				want = 9
			case "the others":
				want = 36
			}
			for _, format := range []wire.Format{wire.V4, wire.V6} {
				t.Run(fmt.Sprint(format), func(t *testing.T) {
					out, result := slice(t, data, edit.SliceOptions{Format: format, Keep: keep})
					r := codec.NewBytesReader(out, codec.Options{})
					for range r.Events() {
					}
					expect.NoError(t, r.Err())
					expect.Equal(t, "Count()", r.Count(), want)
					expect.Equal(t, "Lost()", r.Lost(), lost)
					expect.Equal(t, "result.Lost", result.Lost, lost)
					expect.Len(t, "Defects()", r.Defects(), 0)
				})
			}
		})
	}
}

// TestThreadWithoutRoom: a thread row of v6 that just fits under its own index
// may not fit with the index and the process of another stream. Slice and Merge
// leave out what needs the thread, and count it.
func TestThreadWithoutRoom(t *testing.T) {
	full := func(index uint64) *codec.BlockRows {
		const most = 1<<16 - 1 - 1 - 1 - 3 // an index, a kind, a length
		return &codec.BlockRows{Kind: wire.KindThread, Threads: []codec.ThreadBytes{{Thread: &codec.Thread{Index: index, Name: strings.Repeat("n", most)}}}}
	}
	about := eventsOf(1, 1)
	about.Events[0].ThreadIndex = 2
	of := func(blocks ...*codec.BlockRows) []byte {
		return stream(t, 6, append([]*codec.BlockRows{threadRow(1, 7, 1), full(2)}, blocks...)...)
	}
	for name, c := range map[string]struct {
		data    []byte
		refused int64  // events that a slice leaves out
		dropped uint64 // lost events that it cannot count
	}{
		"an event":               {of(eventsOf(2, 1)), 1, 0},
		"an event about it":      {of(about), 1, 0},
		"a loss at the end":      {of(eventsOf(2, 5)), 1, 4},
		"a loss at a point":      {of(eventsOf(1, 1), point(0, codec.ThreadSequence{Thread: 2, Sequence: 5})), 0, 5},
		"a loss at its removal":  {of(&codec.BlockRows{Kind: wire.KindRemoveThread, Removed: []codec.ThreadSequence{{Thread: 2, Sequence: 5}}}), 0, 5},
		"a loss between regions": {of(eventsOf(2, 5), point(0), eventsOf(1, 1)), 1, 4},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := count(c.data); err != nil {
				t.Fatalf("the source: %d events, %v", got, err)
			}
			out, result := slice(t, c.data, edit.SliceOptions{})
			if got := refused(result, codec.ErrLimit); got != c.refused || result.LostDropped != c.dropped {
				t.Errorf("%d events refused for a limit, %d losses dropped, want %d and %d", got, result.LostDropped, c.refused, c.dropped)
			}
			if got := lostOf(out); got != result.Lost || got != 0 {
				t.Errorf("the slice has %d lost, the result %d, want 0", got, result.Lost)
			}
			source := edit.NewMergeSource(bytes.NewReader(c.data), edit.MergeSourceOptions{Name: "s"})
			if _, err := edit.Merge(context.Background(), io.Discard, []*edit.MergeSource{source}, edit.MergeOptions{}); err != nil {
				t.Errorf("merge: %v", err)
			}
			if list := source.Changes(); len(list) == 0 || !errors.Is(list[0].Reason, codec.ErrLimit) {
				t.Errorf("merge: changes %v, want a limit", list)
			}
		})
	}
}
