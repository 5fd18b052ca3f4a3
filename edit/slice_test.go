package edit_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/internal/shared"
)

func sliceReader(data []byte) *codec.Reader {
	return codec.NewBytesReader(data, codec.Options{OnError: codec.Skip, Schemas: clr.Schemas})
}

// sliceBlocks is sliceReader for a BlockReader.
func sliceBlocks(data []byte) *codec.BlockReader {
	return codec.NewBytesBlockReader(data, codec.Options{OnError: codec.Skip, Schemas: clr.Schemas})
}

func slice(t *testing.T, data []byte, opt edit.SliceOptions) ([]byte, edit.SliceResult) {
	t.Helper()
	var out bytes.Buffer
	result, err := edit.Slice(context.Background(), &out, sliceBlocks(data), opt)
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), result
}

// TestSliceAll: a slice of everything has the same content as its source, in the
// source's version and in v6, including sequence numbers and losses.
func TestSliceAll(t *testing.T) {
	for _, name := range shared.Small(t) {
		t.Run(name, func(t *testing.T) {
			data := shared.Trace(t, name)
			for _, format := range []wire.Format{{}, {Major: 6}} {
				out, result := slice(t, data, edit.SliceOptions{Format: format})
				d, err := edit.Diff(context.Background(), sliceReader(data), sliceReader(out), edit.DiffOptions{Ignore: []string{"sequencePoints"}})
				if err != nil {
					t.Fatal(err)
				}
				if !d.Equal() || result.Unknown > 0 || result.LeftOut > 0 {
					t.Errorf("%s in v%v: %v\n%+v", name, format, d, result)
				}
			}
		})
	}
}

// partOf reads a stream and keeps the events of a part without their numbers, and
// the losses of the part as SliceOptions defines them.
func partOf(data []byte, opt edit.SliceOptions) (events []string, lost uint64) {
	seen := map[uint64]bool{}
	ropt := codec.Options{OnError: codec.Skip}
	within := opt.Time.Contains
	atPoint, inside := false, !opt.Time.HasFrom
	ropt.OnLost = func(l codec.Lost) {
		if l.HasBefore && within(l.Before) && (atPoint || inside || seen[l.CaptureThread]) {
			lost += l.Count
		}
	}
	r := codec.NewBytesBlockReader(data, ropt)
	trace, err := r.Trace()
	old := err == nil && !trace.Format.HasRemovedThreads() // points list all threads
	for atPoint = true; ; atPoint = true {
		b, ok := r.Next()
		if !ok {
			return events, lost
		}
		inside = inside || b.Kind == wire.KindSequencePoint && old && within(b.SequencePoint.Timestamp)
		for atPoint = false; b.Kind == wire.KindEvent; {
			e, ok := r.NextEvent()
			if !ok {
				break
			}
			if !within(e.Timestamp) {
				continue
			}
			seen[e.CaptureThreadIndex] = true
			if opt.Keep == nil || opt.Keep(e) {
				events = append(events, sliceMeaning(e))
			}
		}
	}
}

// TestSlicePart compares parts with the events that a plain reading finds, and
// the losses of the part with the expected ones.
func TestSlicePart(t *testing.T) {
	keeps := map[string]func(*codec.Event) bool{
		"all": nil,
		"one": func(e *codec.Event) bool { return e.ThreadIndex%2 == 1 },
		"low": func(e *codec.Event) bool { return e.ID() < 100 },
	}
	for _, name := range shared.Small(t) {
		t.Run(name, func(t *testing.T) {
			data := shared.Trace(t, name)
			if len(data) > 4<<20 {
				return
			}
			first, last := bounds(data)
			third := (last - first) / 3
			for what, keep := range keeps {
				for _, bound := range []codec.TimeRange{
					{}, between(first+third, last-third), {To: first + third, HasTo: true}, {From: last - third, HasFrom: true},
				} {
					opt := edit.SliceOptions{Time: bound, Keep: keep}
					want, lost := partOf(data, opt)
					if len(want) == 0 && (bound.Bounded() || keep != nil) {
						wantNothing(t, data, opt)
						continue
					}
					out, result := slice(t, data, opt)
					r := codec.NewBytesReader(out, codec.Options{Strict: !slices.Contains(defective, name)})
					var got []string
					for e, err := range r.Events() {
						if err != nil {
							t.Fatalf("%s %s %v: %v", name, what, bound, err)
						}
						got = append(got, sliceMeaning(e))
					}
					if !slices.Equal(got, want) || result.Events != int64(len(want)) {
						t.Errorf("%s %s %v: %d events, want %d", name, what, bound, len(got), len(want))
					}
					if r.Lost() != lost || result.Lost != lost {
						t.Errorf("%s %s %v: %d lost, result has %d, want %d", name, what, bound, r.Lost(), result.Lost, lost)
					}
					onlyUsedRows(t, out)
				}
			}
		})
	}
}

// wantNothing checks that a slice without events is an error.
func wantNothing(t *testing.T, data []byte, opt edit.SliceOptions) {
	t.Helper()
	if _, err := edit.Slice(context.Background(), io.Discard, sliceBlocks(data), opt); !errors.Is(err, edit.ErrNothing) {
		t.Errorf("%+v selects nothing: error %v, want ErrNothing", opt.Time, err)
	}
}

// TestNothingError: the message mentions a time range only if there is one.
func TestNothingError(t *testing.T) {
	for _, c := range []struct {
		name string
		err  edit.NothingError
		want string
	}{
		{"no events", edit.NothingError{}, "edit: no event is selected: the source has no events"},
		{"no time range", edit.NothingError{Events: 5}, "edit: no event is selected: the options exclude all 5 events"},
		{"in the time range", edit.NothingError{Events: 5, Outside: 2, Time: between(1, 9)}, "edit: no event is selected: the options exclude all 3 events in the time range"},
		{"outside of the time range", edit.NothingError{Events: 5, Outside: 5, First: 20, Last: 30, Time: between(1, 9)}, "edit: no event is selected: the events are at ticks 20 to 30, all outside of the time range"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.err.Error(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func between(from, to uint64) codec.TimeRange {
	return codec.TimeRange{From: from, HasFrom: true, To: to, HasTo: true}
}

// defective are the traces whose own rows break rules that a slice keeps.
var defective = []string{"perfview-voicememo-32bit.v4"}

func bounds(data []byte) (first, last uint64) {
	first = 1<<64 - 1
	for e, err := range sliceReader(data).Events() {
		if err == nil {
			first, last = min(first, e.Timestamp), max(last, e.Timestamp)
		}
	}
	return min(first, last), last
}

// onlyUsedRows looks for rows that no event refers to. Threads may be there for
// their losses.
func onlyUsedRows(t *testing.T, data []byte) {
	t.Helper()
	r := codec.NewBytesBlockReader(data, codec.Options{})
	var rows codec.BlockRows
	metadata, used := 0, map[uint32]bool{}
	stacks, usedStacks := 0, map[uint32]bool{}
	check := func() {
		if len(usedStacks) != stacks {
			t.Errorf("%d stacks, %d are used", stacks, len(usedStacks))
		}
		stacks = 0
		clear(usedStacks)
	}
	for _, ok := r.Next(); ok; _, ok = r.Next() {
		r.Rows(&rows)
		metadata += len(rows.Metadata)
		stacks += len(rows.Stacks)
		for i := range rows.Events {
			used[rows.Events[i].MetadataID] = true
			if id := rows.Events[i].StackID; id > 0 {
				usedStacks[id] = true
			}
		}
		if rows.Kind == wire.KindSequencePoint {
			check()
		}
	}
	if check(); len(used) != metadata {
		t.Errorf("%d metadata rows, %d are used", metadata, len(used))
	}
}
