package codectest_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// load is the size of the load test: 64 goroutines record events without a pause.
func load() (events, runs int) {
	switch {
	case tier.Nightly:
		return 2_000_000, 20
	case tier.Check:
		return 200_000, 2
	}
	return 50_000, 1
}

// produce records events from 64 goroutines and returns how many were accepted.
// Half of the threads take their times from a counter before they record, the
// others leave the time to the Recorder's clock.
func produce(t *testing.T, r *codec.Recorder, format wire.Format, now *atomic.Uint64, events int) (accepted uint64) {
	t.Helper()
	const threads = 64
	id, err := r.DefineMetadata(&codec.Metadata{
		Provider: "P", EventID: 1, Name: "E", Fields: []codec.Field{{Name: "n", Type: codec.Type{Code: wire.UInt16}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var producers sync.WaitGroup
	var taken atomic.Uint64
	for i := uint64(1); i <= threads && format.IsZero(); i++ {
		if index, err := r.DefineThread(&codec.Thread{ThreadID: i, HasThreadID: true}); err != nil || index != i {
			t.Fatal(index, err)
		}
	}
	for i := range threads {
		index := uint64(i) + 1
		producers.Go(func() {
			n := uint64(0)
			rec := codec.Record{MetadataID: id, Thread: index, CaptureThread: index, Payload: make([]byte, 2), Stack: make([]uint64, 2)}
			for k := range events / threads {
				if rec.Timestamp = 0; i%2 == 0 {
					rec.Timestamp = now.Add(1)
				}
				rec.Payload[0], rec.Stack[0], rec.Stack[1] = byte(k), 0x1000+uint64(k%512), 0x2000+index
				if r.Record(&rec) {
					n++
				}
			}
			taken.Add(n)
		})
	}
	producers.Wait()
	return taken.Load()
}

// readBack counts the events and the losses of a stream.
func readBack(t *testing.T, stream []byte, cut bool) (events, lost uint64) {
	t.Helper()
	r := codec.NewBytesReader(stream, codec.Options{})
	for _, err := range r.Events() {
		if err != nil {
			if cut && (errors.Is(err, codec.ErrTruncated)) {
				break
			}
			t.Fatal(err)
		}
		events++
	}
	if list := r.Defects(); len(list) > 0 {
		t.Errorf("defects %v, want none", list)
	}
	return events, r.Lost()
}

// pointsOf counts the sequence points of a stream.
func pointsOf(stream []byte) int { return blocksOf(stream, wire.KindSequencePoint) }

// blocksOf counts the blocks of a kind.
func blocksOf(stream []byte, kind wire.Kind) (n int) {
	r := codec.NewBytesBlockReader(stream, codec.Options{})
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		if b.Kind == kind {
			n++
		}
	}
	return n
}

// ordered reads a stream in order of time with default limits.
func ordered(t *testing.T, stream []byte) {
	t.Helper()
	r := codec.NewBytesReader(stream, codec.Options{Order: codec.ByTime, Strict: true})
	for _, err := range r.Events() {
		if err != nil {
			t.Fatalf("in order of time: %v", err)
		}
	}
	if n := r.OutOfOrder(); n > 0 {
		t.Errorf("%d events out of order, want none", n)
	}
}

// TestRecorderLoad records from 64 goroutines without a pause. The file has the
// accepted events, a reader counts the refused ones as lost, and a Reader with
// default limits delivers all of them in time order.
func TestRecorderLoad(t *testing.T) {
	events, runs := load()
	for run := range runs {
		format := []wire.Format{{}, formatV5}[run%2]
		t.Run(fmt.Sprintf("run=%d/format=%v", run, format), func(t *testing.T) {
			var out bytes.Buffer
			var now atomic.Uint64
			opt := codec.WriterOptions{Format: format, Trace: clock}
			if run%4 > 1 || runs < 4 { // many sequence points
				opt.PointEvents = 1000
			}
			w := codec.NewWriter(&out, opt)
			queue := 0
			if run%4%3 == 0 { // long enough that most events are accepted
				queue = 1 << 20
			}
			r := codec.NewRecorder(w, codec.RecorderOptions{Queue: queue, Clock: func() uint64 { return now.Add(1) }})
			started := time.Now()
			accepted := produce(t, r, format, &now, events)
			refused := uint64(events/64*64) - accepted
			if err := r.Close(t.Context()); err != nil {
				t.Errorf("Close: %v, want nil", err)
			}
			took := time.Since(started)
			inFile, lost := readBack(t, out.Bytes(), false)
			if inFile != accepted {
				t.Errorf("%d events in the file, %d accepted", inFile, accepted)
			}
			if lost != refused {
				t.Errorf("a reader counts %d lost, %d refused", lost, refused)
			}
			if n := r.Dropped(); n != refused {
				t.Errorf("Dropped() = %d, %d refused", n, refused)
			}
			if n := r.Failed(); n != 0 {
				t.Errorf("Failed() = %d, want 0", n)
			}
			noErrors(t, out.Bytes())
			if slices.Contains(brokenRules(t, out.Bytes()), rule.ORD004) {
				t.Errorf("%v broken, want none: the capture thread changes on a row that is not sorted", rule.ORD004)
			}
			if queue == 0 {
				ordered(t, out.Bytes())
			}
			t.Logf("%d accepted, %d refused, %d sequence points, in %v", accepted, refused, pointsOf(out.Bytes()), took.Round(time.Millisecond))
		})
	}
}

// TestRecorderOrdered records from 64 goroutines in time order: the checker has no
// finding, and a change of the thread begins no block.
func TestRecorderOrdered(t *testing.T) {
	var out bytes.Buffer
	var now atomic.Uint64
	r := codec.NewRecorder(
		codec.NewWriter(&out, codec.WriterOptions{Trace: clock, Ordered: true, PointEvents: 5000}),
		codec.RecorderOptions{Clock: func() uint64 { return now.Add(1) }, FlushEvery: -1},
	)
	accepted := produce(t, r, wire.Format{}, &now, 64_000)
	if err := r.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	inFile, lost := readBack(t, out.Bytes(), false)
	if inFile != accepted || lost != 64_000-accepted {
		t.Errorf("%d events in the file and %d lost, want %d and %d", inFile, lost, accepted, 64_000-accepted)
	}
	if list := brokenRules(t, out.Bytes()); len(list) > 0 {
		t.Errorf("findings %v, want none", list)
	}
	if blocks, most := blocksOf(out.Bytes(), wire.KindEvent), 2+2*int(accepted)/1000; blocks > most {
		t.Errorf("%d event blocks for %d events, want at most %d", blocks, accepted, most)
	}
	ordered(t, out.Bytes())
}

// partial accepts a number of bytes and then fails, in the middle of a write.
type partial struct {
	bytes.Buffer
	left int
}

func (p *partial) Write(b []byte) (int, error) {
	if len(b) <= p.left {
		p.left -= len(b)
		return p.Buffer.Write(b)
	}
	n, _ := p.Buffer.Write(b[:p.left])
	p.left = 0
	return n, errFull
}

// TestRecorderLoadFails records to destinations that fail at some byte: accepted
// events are in the file or counted by Failed.
func TestRecorderLoadFails(t *testing.T) {
	events, _ := load()
	for _, format := range []wire.Format{{}, formatV5} {
		for _, plain := range []bool{false, true} {
			for _, room := range []int{0, 30, 1000, 25_001, 100_003} {
				t.Run(fmt.Sprintf("format=%v/plain=%v/room=%d", format, plain, room), func(t *testing.T) {
					dst := &partial{left: room}
					var now atomic.Uint64
					w := codec.NewWriter(dst, codec.WriterOptions{Format: format, Trace: clock, Uncompressed: plain, BlockBytes: 20_000})
					r := codec.NewRecorder(w, codec.RecorderOptions{Queue: 1 << 15, FlushEvery: -1, Clock: func() uint64 { return now.Add(1) }})
					accepted := produce(t, r, format, &now, min(events, 100_000))
					if err := r.Close(t.Context()); !errors.Is(err, errFull) {
						t.Errorf("Close: %v, want %v", err, errFull)
					}
					inFile := uint64(0)
					if room >= 1000 {
						inFile, _ = readBack(t, dst.Bytes(), true)
					}
					if failed := r.Failed(); inFile+failed != accepted {
						t.Errorf("%d in the file, Failed() = %d, %d accepted", inFile, failed, accepted)
					}
					if r.Record(&codec.Record{MetadataID: 1, Thread: 1, CaptureThread: 1, Timestamp: 1 << 40, Payload: make([]byte, 2)}) {
						t.Error("event accepted after the destination failed")
					}
					if _, err := r.DefineMetadata(&codec.Metadata{Provider: "Q"}); !errors.Is(err, errFull) {
						t.Errorf("DefineMetadata: %v, want %v", err, errFull)
					}
				})
			}
		}
	}
}

// TestRecorderFailsInBlock has destinations that fail at each byte of a block of
// events: the rows before that byte are in the file, the others failed.
func TestRecorderFailsInBlock(t *testing.T) {
	for _, format := range []wire.Format{{}, formatV5} {
		t.Run(fmt.Sprint(format), func(t *testing.T) {
			for room := 150; room < 1200; room++ {
				dst := &partial{left: room}
				w := codec.NewWriter(dst, codec.WriterOptions{Format: format, Trace: clock})
				define(t, w, format)
				r := codec.NewRecorder(w, codec.RecorderOptions{Queue: 64, FlushEvery: -1})
				for i := range uint64(50) {
					accept(t, r, &codec.Record{MetadataID: 1, Thread: 1, CaptureThread: 1, Timestamp: i, Payload: make([]byte, 10)})
				}
				err := r.Close(t.Context())
				inFile, _ := readBack(t, dst.Bytes(), true)
				if failed := r.Failed(); inFile+failed != 50 || err == nil && failed > 0 {
					t.Errorf("v%v, %d bytes: %d in the file, Failed() = %d, 50 accepted; Close: %v", format, room, inFile, failed, err)
				}
			}
		})
	}
}
