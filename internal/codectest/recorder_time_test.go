package codectest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// blocking is a destination whose Write waits until it is released.
type blocking struct {
	bytes.Buffer
	release chan struct{}
}

func (b *blocking) Write(p []byte) (int, error) {
	<-b.release
	return b.Buffer.Write(p)
}

// at is a record of metadata 1 on a thread.
func at(thread, ticks uint64) *codec.Record {
	return &codec.Record{MetadataID: 1, Thread: thread, CaptureThread: thread, Timestamp: ticks}
}

// TestRecorderBlockedDestination: with a destination that blocks for ever only
// Close waits, until its context ends. When the destination continues, the
// recorded events are written.
func TestRecorderBlockedDestination(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dst := &blocking{release: make(chan struct{})}
		w := codec.NewWriter(dst, codec.WriterOptions{Trace: clock})
		define(t, w, wire.Format{})
		r := codec.NewRecorder(w, codec.RecorderOptions{Queue: 4})
		if !r.Record(at(1, 1)) {
			t.Error("first event refused")
		}
		time.Sleep(time.Second) // FlushEvery has passed: the Recorder is in Write
		synctest.Wait()
		if _, err := r.DefineMetadata(&codec.Metadata{Provider: "Q"}); err != nil {
			t.Errorf("DefineMetadata: %v", err)
		}
		index, err := r.DefineThread(&codec.Thread{Name: "second"})
		if err != nil {
			t.Errorf("DefineThread: %v", err)
		}
		if err := r.Err(); err != nil {
			t.Errorf("Err: %v, want nil", err)
		}
		accepted := 1
		for i := range uint64(10) {
			if r.Record(at(index, 2+i)) {
				accepted++
			}
		}
		if accepted == 1 || accepted == 11 {
			t.Errorf("%d events accepted, want some and not all", accepted)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		start := time.Now()
		if err := r.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Close: %v, want %v", err, context.DeadlineExceeded)
		}
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("Close took %v, want 3s", took)
		}
		if r.Record(at(1, 100)) {
			t.Error("event accepted after Close")
		}
		close(dst.release)
		if err := r.Close(t.Context()); err != nil {
			t.Errorf("second Close: %v, want nil", err)
		}
		if events, _ := readBack(t, dst.Bytes(), false); events != uint64(accepted) {
			t.Errorf("%d events in the file, %d accepted", events, accepted)
		}
		noErrors(t, dst.Bytes())
	})
}

// TestRecorderLate records events that are late for the next sequence point: the
// Recorder waits for them for RecorderOptions.Late.
func TestRecorderLate(t *testing.T) {
	second := clock.TickFrequency
	for _, c := range []struct {
		name    string
		queue   int
		between func(t *testing.T, r *codec.Recorder) // after the point became due at 10 s
		late    bool                                  // an event at 9 s is accepted then
	}{
		{"at once", 100, func(*testing.T, *codec.Recorder) {}, true},
		{"newest event is less than Late after the point", 100, func(t *testing.T, r *codec.Recorder) {
			accept(t, r, at(1, 10*second+second/2))
		}, true},
		{"newest event is Late after the point", 100, func(t *testing.T, r *codec.Recorder) { accept(t, r, at(1, 11*second)) }, false},
		{"half a second later", 100, func(*testing.T, *codec.Recorder) { time.Sleep(time.Second / 2) }, true},
		{"a second later", 100, func(*testing.T, *codec.Recorder) { time.Sleep(1100 * time.Millisecond) }, false},
		{"half of the queue waits", 10, func(t *testing.T, r *codec.Recorder) {
			for i := range uint64(5) {
				accept(t, r, at(1, 10*second+1+i))
			}
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out bytes.Buffer
				w := codec.NewWriter(&out, codec.WriterOptions{Trace: clock, PointEvents: 2})
				define(t, w, wire.Format{})
				r := codec.NewRecorder(w, codec.RecorderOptions{Queue: c.queue, FlushEvery: -1})
				other, err := r.DefineThread(&codec.Thread{Name: "other"})
				if err != nil {
					t.Fatal(err)
				}
				for _, ticks := range []uint64{1, 2, 10 * second} { // the third makes the point due
					accept(t, r, at(1, ticks))
				}
				synctest.Wait()
				c.between(t, r)
				synctest.Wait()
				if got := r.Record(at(other, 9*second)); got != c.late {
					t.Errorf("event at 9 s: accepted %v, want %v", got, c.late)
				}
				if !r.Record(at(other, 12*second)) {
					t.Error("event at 12 s: refused")
				}
				if err := r.Close(t.Context()); err != nil {
					t.Errorf("Close: %v", err)
				}
				if _, lost := readBack(t, out.Bytes(), false); lost != r.Dropped() {
					t.Errorf("a reader counts %d lost, Dropped() = %d", lost, r.Dropped())
				}
				noErrors(t, out.Bytes())
			})
		})
	}
}

func accept(t *testing.T, r *codec.Recorder, rec *codec.Record) {
	t.Helper()
	if !r.Record(rec) {
		t.Errorf("event at %d refused", rec.Timestamp)
	}
}

// TestRecorderRefuses: each event that Record refuses is counted, and a reader
// counts it as lost.
func TestRecorderRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		rec  codec.Record
		lost uint64
	}{
		{"before the last event of the thread", codec.Record{MetadataID: 1, Thread: 1, CaptureThread: 1, Timestamp: 9}, 1},
		{"before a sorted event", codec.Record{MetadataID: 1, Thread: 2, CaptureThread: 2, Timestamp: 9}, 1},
		{"metadata that is not defined", codec.Record{MetadataID: 9, Thread: 1, CaptureThread: 1, Timestamp: 20}, 1},
		{"thread that is not defined", codec.Record{MetadataID: 1, Thread: 9, CaptureThread: 1, Timestamp: 20}, 1},
		{"capture thread that is not defined", codec.Record{MetadataID: 1, Thread: 9, CaptureThread: 9, Timestamp: 20}, 0},
		{"payload above a block", codec.Record{MetadataID: 1, Thread: 1, CaptureThread: 1, Timestamp: 20, Payload: make([]byte, 17<<20)}, 1},
		{"payload that does not fit", codec.Record{MetadataID: 2, Thread: 1, CaptureThread: 1, Timestamp: 20}, 1},
		{"label of no kind", codec.Record{MetadataID: 1, Thread: 1, CaptureThread: 1, Timestamp: 20, Labels: []codec.Label{{}}}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			w := codec.NewWriter(&out, codec.WriterOptions{Trace: clock})
			define(t, w, wire.Format{})
			if _, err := w.DefineThread(&codec.Thread{Name: "second"}); err != nil {
				t.Fatal(err)
			}
			r := codec.NewRecorder(w, codec.RecorderOptions{})
			if _, err := r.DefineMetadata(&codec.Metadata{Provider: "P", EventID: 2, Fields: oneField(wire.Int32)}); err != nil {
				t.Fatal(err)
			}
			first := at(1, 10)
			first.Sorted = true
			accept(t, r, first)
			if r.Record(&c.rec) {
				t.Error("accepted")
			}
			accept(t, r, at(1, 30))
			accept(t, r, at(2, 30))
			if err := r.Close(t.Context()); err != nil {
				t.Errorf("Close: %v, want nil", err)
			}
			if n := r.Dropped(); n != 1 {
				t.Errorf("Dropped() = %d, want 1", n)
			}
			events, lost := readBack(t, out.Bytes(), false)
			if events != 3 {
				t.Errorf("%d events in the file, want 3", events)
			}
			if lost != c.lost {
				t.Errorf("a reader counts %d lost, want %d", lost, c.lost)
			}
			noErrors(t, out.Bytes())
		})
	}
}

// TestRecorderClock uses a clock that goes back: events are never late. Without a
// clock 0 is a time.
func TestRecorderClock(t *testing.T) {
	times := []uint64{50, 20, 60, 10}
	for _, withClock := range []bool{true, false} {
		t.Run(fmt.Sprintf("withClock=%v", withClock), func(t *testing.T) {
			var out bytes.Buffer
			w := codec.NewWriter(&out, codec.WriterOptions{Trace: clock})
			define(t, w, wire.Format{})
			opt := codec.RecorderOptions{}
			if withClock {
				opt.Clock = func() uint64 { now := times[0]; times = times[1:]; return now }
			}
			r := codec.NewRecorder(w, opt)
			for range 4 {
				accept(t, r, at(1, 0))
			}
			if err := r.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			var got []uint64
			for e, err := range codec.NewBytesReader(out.Bytes(), codec.Options{Strict: true}).Events() {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, e.Timestamp)
			}
			want := [4]uint64{}
			if withClock {
				want = [4]uint64{50, 50, 60, 60}
			}
			if len(got) != 4 || [4]uint64(got) != want {
				t.Errorf("clock %v: times %v, want %v", withClock, got, want)
			}
		})
	}
}
