package codectest_test

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestRecorder: many goroutines log more events than a small queue holds. The
// Recorder counts as many dropped events as a reader counts as lost, and the
// events of each thread are in order.
func TestRecorder(t *testing.T) {
	const threads, each = 8, 5000
	for _, format := range []wire.Format{formatV5, {}} {
		t.Run(fmt.Sprint(format), func(t *testing.T) {
			var out bytes.Buffer
			w := codec.NewWriter(&out, codec.WriterOptions{Format: format, BlockBytes: 4096, PointEvents: -1, Trace: clock})
			rec := codec.NewRecorder(w, codec.RecorderOptions{Queue: 16, FlushEvery: time.Millisecond})
			id, err := rec.DefineMetadata(&codec.Metadata{Provider: "P", EventID: 1})
			if err != nil {
				t.Fatal(err)
			}
			var producers sync.WaitGroup
			for i := range uint64(threads) {
				index := i + 1
				if format.IsZero() {
					if index, err = rec.DefineThread(&codec.Thread{ThreadID: i, HasThreadID: true}); err != nil {
						t.Fatal(err)
					}
				}
				producers.Go(func() {
					payload := []byte{0, byte(index)}
					for n := range uint64(each) {
						payload[0] = byte(n)
						rec.Record(&codec.Record{MetadataID: id, Thread: index, CaptureThread: index, Timestamp: n, Stack: []uint64{n % 7, index}, Payload: payload})
					}
				})
			}
			producers.Wait()
			if err := rec.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			r := codec.NewBytesReader(out.Bytes(), codec.Options{Strict: true})
			events := 0
			for e, err := range r.Events() {
				if err != nil {
					t.Fatal(err)
				}
				events++
				n := e.Sequence - 1
				expect.Equal(t, "e.Payload()[0]", e.Payload()[0], byte(n))
				expect.Equal(t, "e.Payload()[1]", uint64(e.Payload()[1]), e.ThreadIndex)
				expect.Equal(t, "e.Timestamp", e.Timestamp, uint64(n))
				expect.Equal(t, "e.Stack()[0]", e.Stack()[0], uint64(n)%7)
				if t.Failed() {
					t.Fatalf("event %d of thread %d", e.Sequence, e.ThreadIndex)
				}
			}
			expect.Equal(t, "events + dropped", uint64(events)+rec.Dropped(), threads*each)
			expect.Equal(t, "Lost()", r.Lost(), rec.Dropped())
			expect.NotZero(t, "events", events)
			t.Logf("v%v: %d events, %d dropped", format, events, rec.Dropped())
			if rec.Record(&codec.Record{}) {
				t.Error("event accepted after Close")
			}
		})
	}
}

// TestRecorderUnknownThread records an event of a thread that was not defined: it is
// refused and costs no other event.
func TestRecorderUnknownThread(t *testing.T) {
	var out bytes.Buffer
	w := codec.NewWriter(&out, codec.WriterOptions{Trace: clock})
	define(t, w, wire.Format{})
	r := codec.NewRecorder(w, codec.RecorderOptions{FlushEvery: -1})
	for i, thread := range []uint64{1, 99, 1} {
		t.Run(fmt.Sprintf("thread=%v", thread), func(t *testing.T) {
			got := r.Record(&codec.Record{MetadataID: 1, Thread: thread, CaptureThread: thread, Timestamp: uint64(i)})
			if want := thread == 1; got != want {
				t.Errorf("event of thread %d: accepted %v, want %v", thread, got, want)
			}
		})
	}
	if err := r.Close(t.Context()); err != nil {
		t.Errorf("Close: %v, want nil", err)
	}
	if n := r.Dropped(); n != 1 {
		t.Errorf("Dropped() = %d, want 1", n)
	}
	if got := drain(codec.NewBytesReader(out.Bytes(), codec.Options{Strict: true})); got.err != nil || got.events != 2 {
		t.Errorf("read %d events, error %v; want 2 events", got.events, got.err)
	}
}
