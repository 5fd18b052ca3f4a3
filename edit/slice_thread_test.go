package edit_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// eventAt is an event of a thread with a time of its own.
func eventAt(thread uint64, number uint32, ticks uint64) *codec.BlockRows {
	b := eventsOf(thread, number)
	b.Events[0].Timestamp, b.MinTimestamp, b.MaxTimestamp = ticks, ticks, ticks
	return b
}

// TestSliceThreadAfterTo: a block of the same region may have a newer event than the
// row of a thread whose events are within the bounds. Losses before its first event
// count if the thread began within the bounds.
func TestSliceThreadAfterTo(t *testing.T) {
	data := stream(t, 6,
		threadRow(1, 7, 1), eventAt(1, 1, 10), threadRow(2, 7, 2), eventAt(2, 1, 11), eventAt(1, 2, 30),
		threadRow(3, 7, 3), eventAt(3, 5, 15))
	for name, c := range map[string]struct {
		time codec.TimeRange
		lost uint64
	}{
		"to 20":          {codec.TimeRange{To: 20, HasTo: true}, 4},
		"from 5 to 20":   {between(5, 20), 4},
		"from 12 to 20":  {between(12, 20), 0}, // no row came within the bounds
		"without bounds": {codec.TimeRange{}, 4},
	} {
		t.Run(name, func(t *testing.T) {
			out, result := slice(t, data, edit.SliceOptions{Time: c.time})
			expect.Equal(t, "result.Lost", result.Lost, c.lost)
			expect.Equal(t, "lost of the slice", lostOf(out), c.lost)
		})
	}
}

// TestSliceNumberZero: an event with the number 0 after lost ones keeps its number.
func TestSliceNumberZero(t *testing.T) {
	out, result := slice(t, stream(t, 4, eventsOf(9, 1<<32-3, 0, 1)), edit.SliceOptions{})
	var numbers []uint32
	for e, err := range sliceReader(out).Events() {
		expect.NoError(t, err)
		numbers = append(numbers, e.Sequence)
	}
	expect.Slices(t, "numbers", numbers, []uint32{1<<32 - 3, 0, 1})
	expect.Equal(t, "result.Lost", result.Lost, 1<<32-4+2)
	expect.Equal(t, "lost of the slice", lostOf(out), result.Lost)
}

// firstNames takes the events of thread 1 for naming events, all of which are needed.
type firstNames struct{}

func (firstNames) Names(e *codec.Event) bool          { return e.CaptureThreadIndex == 1 }
func (firstNames) Add(*codec.Event) error             { return nil }
func (firstNames) Use(int, *codec.Event) error        { return nil }
func (firstNames) End()                               {}
func (n firstNames) Needs(_ int, e *codec.Event) bool { return n.Names(e) }
func (firstNames) Forget(int)                         {}

// TestSliceNamesWithoutStacks: naming events that are not selected lose their stacks,
// the selected ones keep them.
func TestSliceNamesWithoutStacks(t *testing.T) {
	blocks := []*codec.BlockRows{
		{Kind: wire.KindStack, FirstID: 3, Stacks: []codec.StackBytes{{Addresses: []uint64{0x1000, 0x2000}}}},
		eventAt(1, 1, 10), eventAt(1, 2, 20), eventAt(2, 1, 20), eventAt(1, 3, 21),
	}
	for _, b := range blocks[1:] {
		b.Events[0].StackID = 3
	}
	data := stream(t, 4, blocks...)
	for name, first := range map[string]*codec.BlockReader{"two readings": sliceBlocks(data), "one reading": nil} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			opt := edit.SliceOptions{Time: between(20, 21), Naming: firstNames{}, First: first}
			result, err := edit.Slice(context.Background(), &out, sliceBlocks(data), opt)
			expect.NoError(t, err)
			var frames []string
			for e, err := range sliceReader(out.Bytes()).Events() {
				expect.NoError(t, err)
				frames = append(frames, fmt.Sprintf("%d of thread %d: %d", e.Timestamp, e.CaptureThreadIndex, len(e.Stack())))
			}
			expect.Slices(t, "frames", frames, []string{"10 of thread 1: 0", "20 of thread 1: 2", "20 of thread 2: 2", "21 of thread 1: 0"})
			expect.Equal(t, "result.Names", result.Names, 2)
		})
	}
}

// TestCompactLosses: a compact stream lists the threads without events that lost some,
// and leaves out those that lost none.
func TestCompactLosses(t *testing.T) {
	begin := []*codec.BlockRows{threadRow(5, 7, 50), threadRow(6, 7, 60), threadRow(8, 7, 80), eventsOf(5, 1)}
	entries := []codec.ThreadSequence{{Thread: 5, Sequence: 1}, {Thread: 6, Sequence: 4}, {Thread: 8}}
	for name, end := range map[string]*codec.BlockRows{
		"at a sequence point": point(0, entries...),
		"removed":             {Kind: wire.KindRemoveThread, Removed: entries},
	} {
		t.Run(name, func(t *testing.T) {
			data := stream(t, 6, append(begin, end)...)
			out, _ := convert(t, data, edit.ConvertOptions{Compact: true})
			_, lost := readViews(t, out)
			expect.Equal(t, "lost by thread", fmt.Sprint(lost), "map[60:4]")
			var threads []uint64
			r := codec.NewBytesBlockReader(out, codec.Options{})
			for b, ok := r.Next(); ok; b, ok = r.Next() {
				for _, row := range b.Threads {
					threads = append(threads, row.ThreadID)
				}
			}
			expect.NoError(t, r.Err())
			expect.Slices(t, "threads", threads, []uint64{50, 60})
		})
	}
}
