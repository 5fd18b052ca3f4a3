package codectest_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
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
// since the last one, and at a later time.
func TestWriterLastPoint(t *testing.T) {
	for _, c := range []struct {
		name string
		then func(w *codec.Writer, rec *codec.Record) error
		want int
	}{
		{"nothing", func(*codec.Writer, *codec.Record) error { return nil }, 1},
		{"event", func(w *codec.Writer, rec *codec.Record) error { return w.Write(rec) }, 2},
		{"drop", func(w *codec.Writer, rec *codec.Record) error { return w.Drop(rec.CaptureThread, 1) }, 2},
		{"event at the time of the point", func(w *codec.Writer, rec *codec.Record) error {
			rec.Timestamp = 9
			return w.Write(rec)
		}, 2},
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
			if slices.Contains(brokenRules(t, out.Bytes()), rule.SQP002) {
				t.Errorf("%v broken, want none: the last point is at the time of the one before", rule.SQP002)
			}
		})
	}
}

// threadsInTurn writes 40 events of four threads, two of each in turn. Every fourth
// one is marked as sorted.
func threadsInTurn(t *testing.T, dst io.Writer, opt codec.WriterOptions) {
	t.Helper()
	opt.Trace = clock
	opt.Trace.Properties = []codec.KeyValue{{Key: codec.ProcessIDKey, Value: "4711"}, {Key: codec.HardwareThreadCountKey, Value: "8"}}
	w := codec.NewWriter(dst, opt)
	define(t, w, opt.Format)
	for i := range uint64(4) {
		if opt.Format.IsZero() {
			if _, err := w.DefineThread(&codec.Thread{ThreadID: 1000 + i, HasThreadID: true}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range uint64(40) {
		thread := 1 + i/2%4
		err := w.Write(&codec.Record{
			MetadataID: 1, Timestamp: 100 + i, Thread: thread, CaptureThread: thread, Processor: wire.UnknownProcessor,
			Stack: []uint64{0x1000 + i}, Sorted: i%4 == 0,
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Flush(), w.Close()); err != nil { // Close alone would mark most rows as sorted
		t.Fatal(err)
	}
}

// TestWriterThreads: the capture thread changes only at the start of a block or on a
// sorted row, so that the checker has no finding, unless MixedThreads is set.
func TestWriterThreads(t *testing.T) {
	for _, c := range []struct {
		name   string
		opt    codec.WriterOptions
		blocks int
		broken []rule.ID
	}{
		{"default", codec.WriterOptions{}, 11, nil},
		{"v4", codec.WriterOptions{Format: formatV4}, 11, nil},
		{"v5", codec.WriterOptions{Format: formatV5}, 11, nil},
		{"uncompressed", codec.WriterOptions{Uncompressed: true}, 11, nil},
		{"v5, uncompressed", codec.WriterOptions{Format: formatV5, Uncompressed: true}, 11, nil},
		{"ordered", codec.WriterOptions{Ordered: true}, 1, nil},
		{"mixed", codec.WriterOptions{MixedThreads: true}, 1, []rule.ID{rule.ORD004}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			threadsInTurn(t, &out, c.opt)
			blocks, events := 0, uint64(0)
			r := codec.NewBytesBlockReader(out.Bytes(), codec.Options{})
			for b, ok := r.Next(); ok; b, ok = r.Next() {
				if b.Kind == wire.KindEvent {
					blocks++
				}
				for e, ok := r.NextEvent(); ok; e, ok = r.NextEvent() {
					if events%4 == 0 && !e.Sorted() {
						t.Errorf("event %d is not sorted, want sorted", events)
					}
					if want := 0x1000 + events; len(e.Stack()) != 1 || e.Stack()[0] != want {
						t.Errorf("stack of event %d: got %x, want %x", events, e.Stack(), want)
					}
					events++
				}
			}
			expect.NoError(t, r.Err())
			expect.Equal(t, "events", events, 40)
			expect.Equal(t, "blocks", blocks, c.blocks)
			expect.Equal(t, "Lost()", r.Lost(), 0)
			expect.Equal(t, "rules", fmt.Sprint(brokenRules(t, out.Bytes())), fmt.Sprint(c.broken))
		})
	}
}

// calls counts the calls of Write.
type calls int

func (n *calls) Write(b []byte) (int, error) {
	*n++
	return len(b), nil
}

// TestWriterThreadsWrites: the blocks of threads in turn are written together, after
// the tables that they refer to.
func TestWriterThreadsWrites(t *testing.T) {
	for _, c := range []struct {
		name string
		opt  codec.WriterOptions
		want int
	}{
		{"default", codec.WriterOptions{}, 7}, // Trace, metadata, threads, stacks, events, the point and the end mark
		{"v4", codec.WriterOptions{Format: formatV4}, 6},
		{"half of the ticks", codec.WriterOptions{BlockTicks: 20}, 9},
	} {
		t.Run(c.name, func(t *testing.T) {
			var n calls
			threadsInTurn(t, &n, c.opt)
			expect.Equal(t, "calls of Write", int(n), c.want)
		})
	}
}
