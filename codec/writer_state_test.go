package codec_test

import (
	"bytes"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// recordAt is an event of thread 1.
func recordAt(ticks uint64) *codec.Record {
	return &codec.Record{MetadataID: 1, Thread: 1, CaptureThread: 1, Timestamp: ticks}
}

// TestWriterResetTimes: a sorted event of one stream promises nothing about the
// next stream.
func TestWriterResetTimes(t *testing.T) {
	w := codec.NewWriter(&bytes.Buffer{}, codec.WriterOptions{Format: wire.V4, Trace: clock})
	define(t, w, wire.V4)
	sorted := recordAt(1000)
	sorted.Sorted = true
	expect.NoError(t, w.Write(sorted))
	expect.ErrorIs(t, w.Write(recordAt(999)), codec.ErrOrder)
	expect.NoError(t, w.Close())
	w.Reset(&bytes.Buffer{})
	define(t, w, wire.V4)
	expect.NoError(t, w.Write(recordAt(10)))
}

// TestWriterBounds: the header of each block has the times of its own rows.
func TestWriterBounds(t *testing.T) {
	var out bytes.Buffer
	w := codec.NewWriter(&out, codec.WriterOptions{Format: wire.V4, Trace: clock})
	define(t, w, wire.V4)
	for _, times := range [][]uint64{{100, 200}, {300}, {400, 500}} {
		for _, ticks := range times {
			expect.NoError(t, w.Write(recordAt(ticks)))
		}
		expect.NoError(t, w.Flush())
	}
	expect.NoError(t, w.Close())
	var got []uint64
	r := codec.NewBytesBlockReader(out.Bytes(), codec.Options{})
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		if b.Kind == wire.KindEvent {
			got = append(got, b.MinTimestamp, b.MaxTimestamp)
		}
	}
	expect.NoError(t, r.Err())
	expect.Slices(t, "bounds", got, []uint64{100, 200, 300, 300, 400, 500})
}

// TestDropAfterPoints: a sequence point shows the dropped events, so that as many
// can be dropped after it.
func TestDropAfterPoints(t *testing.T) {
	const most = 1<<31 - 2
	w := codec.NewWriter(&bytes.Buffer{}, codec.WriterOptions{Format: wire.V4, Trace: clock})
	define(t, w, wire.V4)
	for range 5 {
		expect.NoError(t, w.Drop(1, most))
		expect.NoError(t, w.SequencePoint(0))
	}
}

// TestProcessOfTrace: a thread without a process id is of the process of the trace.
func TestProcessOfTrace(t *testing.T) {
	unknown := sized(varuint(7), byte(wire.ThreadOSThreadID), varuint(70))
	for name, c := range map[string]struct {
		stream *streamV6
		want   uint64
	}{
		"thread without process": {newV6(codec.ProcessIDKey, "42").block(wire.KindThread, unknown), 42},
		"thread of a process":    {newV6(codec.ProcessIDKey, "42").thread(7, 43, 70), 43},
		"no thread":              {newV6(codec.ProcessIDKey, "42"), 42},
	} {
		t.Run(name, func(t *testing.T) {
			stream := c.stream.metadata(1, "E").block(wire.KindEvent, eventBlock(0, rowV6(1, 1, 7, 7, 0, 2000, 0, ""))).end()
			got, ok := only(t, stream, codec.Options{}).ProcessID()
			expect.Equal(t, "process", got, c.want)
			expect.Equal(t, "known", ok, true)
		})
	}
}

// TestRedefinedThreadsHeld: replaced rows do not count for Limits.Total once their
// block was read.
func TestRedefinedThreadsHeld(t *testing.T) {
	s := newV6()
	for i := range uint64(20_000) {
		s.thread(7, 1, 70+i%2)
	}
	got := drain(codec.NewBytesReader(s.end(), codec.Options{Limits: codec.Limits{Total: 2 << 20}}))
	expect.NoError(t, got.err)
}

// TestWriterThreadAgain: in v4 a thread that was removed before a sequence point
// begins with number 1 after it, and the next point lists it.
func TestWriterThreadAgain(t *testing.T) {
	var out bytes.Buffer
	w := codec.NewWriter(&out, codec.WriterOptions{Format: wire.V4, Trace: clock})
	define(t, w, wire.V4)
	expect.NoError(t, w.Write(recordAt(10)))
	expect.NoError(t, w.Write(recordAt(20)))
	expect.NoError(t, w.RemoveThread(1))
	expect.NoError(t, w.SequencePoint(30))
	expect.NoError(t, w.Write(recordAt(40)))
	expect.NoError(t, w.SequencePoint(50))
	expect.NoError(t, w.Write(recordAt(60)))
	expect.NoError(t, w.Close())
	var got []uint32
	r := codec.NewBytesReader(out.Bytes(), codec.Options{})
	for e, err := range r.Events() {
		expect.NoError(t, err)
		got = append(got, e.Sequence)
	}
	expect.Slices(t, "numbers", got, []uint32{1, 2, 1, 2})
	expect.Equal(t, "lost", r.Lost(), 0)
}
