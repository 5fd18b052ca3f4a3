package codec_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/traces"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// clocked are options with a clock of one tick a nanosecond.
func clocked(f wire.Format) codec.WriterOptions {
	return codec.WriterOptions{Format: f, Trace: codec.Trace{SyncTime: time.Unix(1e9, 0), TickFrequency: 1e9}}
}

// TestThreadChurn: threads that were removed use no memory of a Writer and a Recorder, so that any
// number of them can be defined. Without room for them it failed at the 100,057th.
func TestThreadChurn(t *testing.T) {
	w := codec.NewWriter(io.Discard, clocked(wire.V6))
	if _, err := w.DefineThread(&codec.Thread{Name: "main"}); err != nil {
		t.Fatal(err)
	}
	for i := range 150_000 {
		thread, err := w.DefineThread(&codec.Thread{Name: fmt.Sprintf("worker-%d", i), ThreadID: uint64(i), HasThreadID: true})
		if err == nil {
			err = w.RemoveThread(thread)
		}
		if err != nil {
			t.Fatalf("thread %d: %v", i, err)
		}
	}
}

// TestDropBeforeRemove: losses after the last event of a thread are in the stream when the thread is
// removed, also if another thread with its id follows.
func TestDropBeforeRemove(t *testing.T) {
	for _, again := range []bool{false, true} {
		var b bytes.Buffer
		w := codec.NewWriter(&b, clocked(wire.V4))
		m, err := w.DefineMetadata(&codec.Metadata{Provider: "P", EventID: 1})
		events := []*codec.Record{{MetadataID: m, Timestamp: 1, Thread: 5, CaptureThread: 5}, {MetadataID: m, Timestamp: 2, Thread: 5, CaptureThread: 5}}
		err = errors.Join(err, w.Write(events[0]), w.Drop(5, 7), w.RemoveThread(5))
		if again {
			err = errors.Join(err, w.Write(events[1]), w.RemoveThread(5), w.SequencePoint(3), w.Write(&codec.Record{MetadataID: m, Timestamp: 4, Thread: 5, CaptureThread: 5}))
		}
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		if _, lost := readAll(t, b.Bytes()); lost != 7 {
			t.Errorf("again %v: lost %d, want 7", again, lost)
		}
	}
}

// readAll returns the number of events of a stream without defects, and its losses.
func readAll(t *testing.T, data []byte) (events, lost uint64) {
	t.Helper()
	r := codec.NewBytesReader(data, codec.Options{Strict: true})
	for _, err := range r.Events() {
		if err != nil {
			t.Fatal(err)
		}
		events++
	}
	return events, r.Lost()
}

// TestRecorderThreads: whatever the order in which threads are defined, used and removed, the stream
// has the accepted events and the number of dropped ones.
func TestRecorderThreads(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		format := []wire.Format{wire.V4, wire.V6}[seed%2]
		var b bytes.Buffer
		opt := clocked(format)
		opt.PointEvents = []int64{0, 20}[random.IntN(2)]
		r := codec.NewRecorder(codec.NewWriter(&b, opt), codec.RecorderOptions{Queue: 1 + random.IntN(30), Late: -1, FlushEvery: -1})
		m, err := r.DefineMetadata(&codec.Metadata{Provider: "P", EventID: 1})
		if err != nil {
			t.Fatal(err)
		}
		threads := []uint64{1, 2, 3}
		if format == wire.V6 {
			threads = nil
		}
		accepted, dropped := uint64(0), uint64(0)
		for tick := range uint64(300) {
			if format == wire.V6 && (len(threads) == 0 || random.IntN(10) == 0) {
				thread, err := r.AddThread(&codec.Thread{Name: "worker"})
				if err != nil {
					t.Fatal(err)
				}
				threads = append(threads, thread)
			}
			at := random.IntN(len(threads))
			thread := threads[at]
			switch random.IntN(8) {
			case 0:
				if err := r.RemoveThread(thread); err != nil {
					t.Fatal(err)
				}
				if format == wire.V6 {
					threads = append(threads[:at], threads[at+1:]...)
					if err := r.RemoveThread(thread); !errors.Is(err, codec.ErrUndefined) {
						t.Fatalf("seed %d: a second removal: %v", seed, err)
					}
				}
			case 1:
				if err := r.Drop(thread, 3); err != nil {
					t.Fatal(err)
				}
				dropped += 3
			default:
				if r.Record(&codec.Record{MetadataID: m, Timestamp: tick, Thread: thread, CaptureThread: thread}) {
					accepted++
				} else {
					dropped++
				}
			}
		}
		if err := r.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
		events, lost := readAll(t, b.Bytes())
		if events != accepted || lost != dropped || r.Dropped() != dropped {
			t.Fatalf("seed %d, %v: %d events, %d lost, %d dropped; want %d, %d", seed, format, events, lost, r.Dropped(), accepted, dropped)
		}
	}
}

// stalled is a destination that takes nothing before it is closed.
type stalled chan struct{}

func (s stalled) Write(p []byte) (int, error) { <-s; return len(p), nil }

// TestRecorderMemory: the events in the queue of a stalled destination are bounded in bytes, and their memory is
// released when they are written.
func TestRecorderMemory(t *testing.T) {
	if !traces.Check {
		t.Skip("make check runs it")
	}
	destination := make(stalled)
	r := codec.NewRecorder(codec.NewWriter(destination, clocked(wire.V6)), codec.RecorderOptions{})
	thread, err1 := r.DefineThread(&codec.Thread{})
	m, err2 := r.DefineMetadata(&codec.Metadata{Provider: "P", EventID: 1})
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	payload := make([]byte, 128<<10)
	record := func(tick int) bool {
		return r.Record(&codec.Record{MetadataID: m, Timestamp: uint64(tick), Thread: thread, CaptureThread: thread, Payload: payload})
	}
	accepted := 0
	for tick := range 1000 {
		if record(tick) {
			accepted++
		}
	}
	if accepted > 16<<20/len(payload) {
		t.Errorf("%d events of %d bytes are in the queue", accepted, len(payload))
	}
	close(destination)
	for tick := 1000; !record(tick); tick++ { // until events were written
		runtime.Gosched()
	}
	if err := r.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	var s runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&s)
	if s.HeapAlloc > 24<<20 {
		t.Errorf("%d MB in use after all events are written", s.HeapAlloc>>20)
	}
	runtime.KeepAlive(r)
}
