package codectest_test

import (
	"bytes"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// TestWriterAddThread: threads whose rows say the same are kept apart when the
// program says so.
func TestWriterAddThread(t *testing.T) {
	w := codec.NewWriter(&bytes.Buffer{}, codec.WriterOptions{Trace: clock})
	row := &codec.Thread{ThreadID: 7, HasThreadID: true}
	first, _ := w.DefineThread(row)
	added, err := w.AddThread(row)
	again, _ := w.DefineThread(row)
	if err != nil || added == first || again != first {
		t.Errorf("defined %d, added %d (%v), defined again %d", first, added, err, again)
	}
	if _, err := codec.NewWriter(&bytes.Buffer{}, codec.WriterOptions{Format: wire.V4, Trace: clock}).AddThread(row); err == nil {
		t.Error("v4 has no thread table")
	}
}

// TestWriterLastPoint: Close writes a sequence point only when there is
// something to tell since the one before.
func TestWriterLastPoint(t *testing.T) {
	for _, c := range []struct {
		name string
		then func(w *codec.Writer, rec *codec.Record) error
		want int
	}{
		{"nothing", func(*codec.Writer, *codec.Record) error { return nil }, 1},
		{"event", func(w *codec.Writer, rec *codec.Record) error { return w.Write(rec) }, 2},
		{"drop", func(w *codec.Writer, rec *codec.Record) error { return w.Drop(rec.CaptureThread, 1) }, 2},
	} {
		var out bytes.Buffer
		w := codec.NewWriter(&out, codec.WriterOptions{Format: wire.V4, Trace: clock})
		id, _ := w.DefineMetadata(&codec.Metadata{Provider: "P", EventID: 1})
		rec := &codec.Record{MetadataID: id, Timestamp: 5, CaptureThread: 1, Thread: 1}
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
		if err := w.SequencePoint(9); err != nil {
			t.Fatal(err)
		}
		rec.Timestamp = 10
		if err := c.then(w, rec); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		points := 0
		r := codec.NewBytesBlockReader(out.Bytes(), codec.Options{})
		for b, ok := r.Next(); ok; b, ok = r.Next() {
			if b.Kind == wire.KindSequencePoint {
				points++
			}
		}
		if points != c.want || r.Err() != nil {
			t.Errorf("%s: %d sequence points, want %d; %v", c.name, points, c.want, r.Err())
		}
	}
}

// TestWriterThreadBlocks: the capture thread changes only at the start of a
// block or on a sorted row.
func TestWriterThreadBlocks(t *testing.T) {
	for _, plain := range []bool{false, true} {
		var out bytes.Buffer
		w := codec.NewWriter(&out, codec.WriterOptions{Format: wire.V5, Trace: clock, ThreadBlocks: true, Uncompressed: plain})
		id, _ := w.DefineMetadata(&codec.Metadata{Provider: "P", EventID: 1})
		for i := range uint64(40) {
			thread := 1 + i/2%4
			if err := w.Write(&codec.Record{MetadataID: id, Timestamp: 100 + i, Thread: thread, CaptureThread: thread, Sorted: i%4 == 0}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		blocks, events := 0, uint64(0)
		r := codec.NewBytesBlockReader(out.Bytes(), codec.Options{})
		for b, ok := r.Next(); ok; b, ok = r.Next() {
			if b.Kind == wire.KindEvent {
				blocks++
			}
			last := uint64(0)
			for e, ok := r.NextEvent(); ok; e, ok = r.NextEvent() {
				if last > 0 && last != e.CaptureThreadIndex && !e.Sorted() || events%4 == 0 && !e.Sorted() {
					t.Errorf("uncompressed %v: event %d, sorted %v", plain, events, e.Sorted())
				}
				last = e.CaptureThreadIndex
				events++
			}
		}
		if events != 40 || blocks != 11 || r.Lost() > 0 || r.Err() != nil {
			t.Errorf("uncompressed %v: %d events in %d blocks, %d lost; %v", plain, events, blocks, r.Lost(), r.Err())
		}
	}
}
