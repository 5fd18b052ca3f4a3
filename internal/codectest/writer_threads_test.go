package codectest_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestWriterAddThread: threads with equal rows are kept separate if the program
// asks for it.
func TestWriterAddThread(t *testing.T) {
	w := codec.NewWriter(&bytes.Buffer{}, codec.WriterOptions{Trace: clock})
	row := &codec.Thread{ThreadID: 7, HasThreadID: true}
	first, _ := w.DefineThread(row)
	added, err := w.AddThread(row)
	again, _ := w.DefineThread(row)
	expect.NoError(t, err)
	if added == first {
		t.Errorf("added: got %v, want another value than %v", added, first)
	}
	expect.Equal(t, "again", again, first)
	if _, err := codec.NewWriter(&bytes.Buffer{}, codec.WriterOptions{Format: wire.V4, Trace: clock}).AddThread(row); err == nil {
		t.Error("v4 has no thread table")
	}
}

// TestWriterLastPoint: Close writes a sequence point only if something changed
// since the last one.
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
		t.Run(c.name, func(t *testing.T) {
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
				t.Errorf("%d sequence points, want %d; %v", points, c.want, r.Err())
			}
		})
	}
}

// TestWriterThreadBlocks: the capture thread changes only at the start of a
// block or on a sorted row.
func TestWriterThreadBlocks(t *testing.T) {
	for _, plain := range []bool{false, true} {
		t.Run(fmt.Sprintf("plain=%v", plain), func(t *testing.T) {
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
					if last > 0 && last != e.CaptureThreadIndex && !e.Sorted() {
						t.Errorf("uncompressed %v: event %d, sorted %v", plain, events, e.Sorted())
					}
					if events%4 == 0 && !e.Sorted() {
						t.Errorf("uncompressed %v: event %d, sorted %v", plain, events, e.Sorted())
					}
					last = e.CaptureThreadIndex
					events++
				}
			}
			expect.Equal(t, "events", events, 40)
			expect.Equal(t, "blocks", blocks, 11)
			expect.AtMost(t, "Lost()", r.Lost(), 0)
			expect.Equal(t, "Err()", r.Err(), nil)
		})
	}
}
