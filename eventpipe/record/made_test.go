package record

import (
	"bytes"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// streamOf returns a stream of version 4 that write writes, with events of two
// types: 1 of a program, 2 of a rundown. All blocks may have events of several
// threads.
func streamOf(t *testing.T, write func(w *codec.Writer) error) []byte {
	t.Helper()
	var out bytes.Buffer
	w := codec.NewWriter(&out, codec.WriterOptions{Format: wire.V4, Trace: codec.Trace{
		SyncTime: time.Date(2026, 11, 23, 0, 0, 0, 0, time.UTC), TickFrequency: uint64(time.Second),
	}})
	for _, provider := range []string{"Program", clr.RundownProvider} {
		_, err := w.DefineMetadata(&codec.Metadata{Provider: provider, EventID: 9})
		expect.NoError(t, err)
	}
	expect.NoError(t, write(w))
	expect.NoError(t, w.Close())
	return out.Bytes()
}

// events writes events with the given types of one thread, 10 ticks apart.
func events(w *codec.Writer, from uint64, types ...uint32) error {
	for i, id := range types {
		err := w.Write(&codec.Record{MetadataID: id, Thread: 7, CaptureThread: 7, Timestamp: from + 10*uint64(i), Stack: []uint64{0x10, 0x20}})
		if err != nil {
			return err
		}
	}
	return nil
}

// arrivals is a Sink that keeps the event blocks that it gets.
type arrivals struct{ list []arrival }

func (a *arrivals) keep(b *arrival) error {
	if b.Kind == wire.KindEvent {
		a.list = append(a.list, *b)
	}
	return nil
}

func (a *arrivals) keepRows(*codec.Trace, *codec.BlockRows) (int64, error) { return 0, nil }

func (a *arrivals) finish() (int64, error) { return 0, nil }

// TestRundownInBlock: a block may have events of a rundown and others, in any
// order. Its newest time is that of the others.
func TestRundownInBlock(t *testing.T) {
	for _, c := range []struct {
		name   string
		types  []uint32
		naming bool
		newest uint64
	}{
		{"no rundown", []uint32{1, 1}, false, 110},
		{"only a rundown", []uint32{2, 2}, true, 0},
		{"rundown last", []uint32{1, 1, 2}, true, 110},
		{"rundown first", []uint32{2, 1}, true, 110},
		{"rundown between", []uint32{1, 2, 1, 2}, true, 120},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := streamOf(t, func(w *codec.Writer) error { return events(w, 100, c.types...) })
			var got arrivals
			_, err := New(Options{}).Run(t.Context(), bytes.NewReader(data), &got)
			expect.NoError(t, err)
			expect.Len(t, "event blocks", got.list, 1)
			expect.Equal(t, "naming", got.list[0].naming, c.naming)
			expect.Equal(t, "newest", got.list[0].newest, c.newest)
		})
	}
}

// TestBoundsOfTruncated: the header of a truncated block gets the times of the
// rows that are kept.
func TestBoundsOfTruncated(t *testing.T) {
	data := streamOf(t, func(w *codec.Writer) error { return events(w, 100, 1, 1, 1) })
	var last int64
	for e := range codec.NewBytesReader(data, codec.Options{}).Events() {
		last = e.Offset()
	}
	var out bytes.Buffer
	file, err := NewStream(&out, Uncompressed)
	expect.NoError(t, err)
	report, err := New(Options{}).Run(t.Context(), bytes.NewReader(data[:last+1]), file)
	expect.NoError(t, err)
	expect.Equal(t, "RecoveredRows", report.RecoveredRows, 2)
	r := codec.NewBytesBlockReader(out.Bytes(), codec.Options{})
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		if b.Kind == wire.KindEvent {
			expect.Equal(t, "MinTimestamp", b.MinTimestamp, 100)
			expect.Equal(t, "MaxTimestamp", b.MaxTimestamp, 110)
		}
	}
	expect.NoError(t, r.Err())
}

// withoutLastPoint returns a stream up to its last sequence point.
func withoutLastPoint(stream []byte) []byte {
	last := int64(0)
	r := codec.NewBytesBlockReader(stream, codec.Options{})
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		if b.Kind == wire.KindSequencePoint {
			last = b.Offset
		}
	}
	return stream[:last]
}

// TestPart: the description of a written snapshot, and the numbers of its events.
// A stack counts once in each region between sequence points.
func TestPart(t *testing.T) {
	data := streamOf(t, func(w *codec.Writer) error {
		err := w.Write(&codec.Record{MetadataID: 1, Thread: 8, CaptureThread: 8, Timestamp: 120})
		if err == nil {
			err = events(w, 100, 1, 1)
		}
		if err == nil {
			err = w.SequencePoint(200)
		}
		if err == nil {
			err = events(w, 200, 1)
		}
		return err
	})
	names := streamOf(t, func(w *codec.Writer) error { return events(w, 300, 2, 2) })
	ring := NewRing(RingOptions{Time: time.Hour})
	_, err := New(Options{}).Run(t.Context(), bytes.NewReader(withoutLastPoint(data)), ring)
	expect.NoError(t, err)
	snapshot, err := ring.Snapshot()
	expect.NoError(t, err)
	var out bytes.Buffer
	part, err := snapshot.Write(&out, bytes.NewReader(names))
	expect.NoError(t, err)
	expect.Equal(t, "part", part, Part{
		Events: 4, RundownEvents: 2, First: 100, Last: 200, Span: 100, Frames: 4, Unnamed: 4,
	})
	var got []uint32
	for e, err := range codec.NewBytesReader(out.Bytes(), codec.Options{}).Events() {
		if err != nil {
			expect.ErrorIs(t, err, codec.ErrTruncated) // Write writes no end mark
			break
		}
		if e.CaptureThreadIndex == 7 {
			got = append(got, e.Sequence)
		}
	}
	expect.Slices(t, "numbers of thread 7", got, []uint32{1, 2, 3})
}
