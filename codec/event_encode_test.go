package codec_test

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// TestEncodeHeader: each method of the header sets its part of the event.
func TestEncodeHeader(t *testing.T) {
	own, related := wire.GUID{1}, wire.GUID{2}
	for _, format := range []wire.Format{wire.V4, wire.V5, wire.V6} {
		t.Run(format.String(), func(t *testing.T) {
			s := encoding(t, codec.WriterOptions{Format: format})
			logger, labels := uint64(4712), []codec.Label(nil)
			if format.HasThreadTable() {
				var err error
				logger, err = s.w.DefineThread(&codec.Thread{Name: "logger"})
				expect.NoError(t, err)
				labels = []codec.Label{{Kind: wire.LabelKeyString, Key: "k", Value: "v"}}
			}
			expect.NoError(t, s.event().CaptureThread(logger).Processor(3).Sequence(5).Stack([]uint64{8, 9}).
				Labels(labels).Activity(own).Related(related).Sorted().Write())
			got := s.only(t)
			expect.Equal(t, "Timestamp", got.Timestamp, 7)
			expect.Equal(t, "ThreadIndex", got.ThreadIndex, s.thread)
			expect.Equal(t, "CaptureThreadIndex", got.CaptureThreadIndex, logger)
			expect.Equal(t, "Processor", got.Processor, 3)
			expect.Equal(t, "Sequence", got.Sequence, 5)
			expect.Slices(t, "Stack", got.Stack(), []uint64{8, 9})
			expect.Equal(t, "Activity", got.Activity(), own)
			expect.Equal(t, "RelatedActivity", got.RelatedActivity(), related)
			expect.Equal(t, "Sorted", got.Sorted(), true)
			if labels != nil {
				expect.Equal(t, "last label", got.Labels()[2], labels[0])
			}
		})
	}
}

// TestEncodeHeaderDefaults: one of the two threads is enough, the processor is
// unknown, and nothing is left of the event before.
func TestEncodeHeaderDefaults(t *testing.T) {
	for name, thread := range map[string]func(*codec.EventEncoder, uint64) *codec.EventEncoder{
		"Thread": (*codec.EventEncoder).Thread, "CaptureThread": (*codec.EventEncoder).CaptureThread,
	} {
		t.Run(name, func(t *testing.T) {
			s := encoding(t, codec.WriterOptions{})
			s.event().Processor(3).Stack([]uint64{1}).Activity(wire.GUID{1}).Sorted().Discard()
			expect.NoError(t, thread(s.request.Event(), s.thread).Timestamp(0).Write())
			got := s.only(t)
			expect.Equal(t, "ThreadIndex", got.ThreadIndex, s.thread)
			expect.Equal(t, "CaptureThreadIndex", got.CaptureThreadIndex, s.thread)
			expect.Equal(t, "Processor", got.Processor, wire.UnknownProcessor)
			expect.Equal(t, "Timestamp", got.Timestamp, 0)
			expect.Len(t, "stack", got.Stack(), 0)
			expect.Equal(t, "Activity", got.Activity(), wire.GUID{})
		})
	}
}

// TestEncodeCallOrder: calls that belong to no event, or to two, are errors of the
// next Write, which writes nothing.
func TestEncodeCallOrder(t *testing.T) {
	for _, c := range []struct {
		name string
		call func(s *encoded) error
		want error
	}{
		{"zero EventEncoder", func(*encoded) error { return new(codec.EventEncoder).Int32(1).String("x").End().Write() }, codec.ErrCallOrder},
		{"no thread", func(s *encoded) error { return s.request.Event().Timestamp(7).Int32(1).Write() }, codec.ErrUndefined},
		{"no timestamp", func(s *encoded) error { return s.request.Event().Thread(s.thread).Int32(1).Write() }, codec.ErrUndefined},
		{"thread that is not defined", func(s *encoded) error { return s.event().Thread(9).Int32(1).Write() }, codec.ErrUndefined},
		{"event before not written", func(s *encoded) error { s.event().Int32(1); return s.event().Int32(2).Write() }, codec.ErrCallOrder},
		{"value after Discard", func(s *encoded) error { e := s.event(); e.Discard(); return e.Int32(2).Write() }, codec.ErrCallOrder},
		{"value after Discard, another event", func(s *encoded) error {
			e := s.event()
			e.Discard()
			e.Int32(1)
			return s.event().Int32(2).Write()
		}, codec.ErrCallOrder},
		{"Write after Discard", func(s *encoded) error { e := s.event(); e.Discard(); return e.Write() }, codec.ErrCallOrder},
		{"Write after Write", func(s *encoded) error {
			e := s.event().Float64(1)
			return errors.Join(nil, ignore(e.Write()), e.Write())
		}, codec.ErrCallOrder},
		{"values after Write", func(s *encoded) error {
			e := s.event().Float64(1)
			return errors.Join(nil, ignore(e.Write()), e.Array().Object().String("x").Bytes(nil).End().Int32(2).Write())
		}, codec.ErrCallOrder},
		{"value after Write, another event", func(s *encoded) error {
			e := s.event().Float64(1)
			err := ignore(e.Write())
			e.Int32(2)
			return errors.Join(err, s.event().Int32(2).Write())
		}, codec.ErrCallOrder},
		{"after Close", func(s *encoded) error { return errors.Join(s.w.Close(), s.event().Int32(1).Write()) }, codec.ErrClosed},
		{"after Reset", func(s *encoded) error {
			s.w.Reset(&s.out)
			_, err := s.w.DefineThread(&codec.Thread{})
			_, err2 := s.w.DefineEvent(&codec.Metadata{Provider: "other"})
			return errors.Join(err, err2, s.event().Int32(1).Write())
		}, codec.ErrUndefined},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := encoding(t, codec.WriterOptions{}, codec.Field{Name: "n", Type: scalar(wire.Int32)})
			expect.ErrorIs(t, c.call(s), c.want)
			expect.NoError(t, s.w.Close())
			expect.Len(t, "events", drain(codec.NewBytesReader(s.out.Bytes(), codec.Options{})).events, 0)
		})
	}
}

// ignore returns nil for an expected error.
func ignore(err error) error {
	if errors.Is(err, codec.ErrPayload) {
		return nil
	}
	return errors.New("want ErrPayload")
}

// TestDefineEvent: metadata that the Writer refuses has no EventType, and the same
// metadata has the same id.
func TestDefineEvent(t *testing.T) {
	s := encoding(t, codec.WriterOptions{Format: wire.V4})
	bad := codec.Metadata{Fields: []codec.Field{{Name: "n", Type: scalar(wire.VarInt)}}}
	_, err := s.w.DefineEvent(&bad)
	expect.ErrorIs(t, err, codec.ErrNotExpressible)
	again, err := s.w.DefineEvent(&codec.Metadata{Provider: "P", EventID: 1, Name: "E"})
	expect.NoError(t, err)
	expect.Equal(t, "id", again.MetadataID(), s.request.MetadataID())
	r := codec.NewRecorder(s.w, codec.RecorderOptions{})
	_, err = r.DefineEvent(&bad)
	expect.ErrorIs(t, err, codec.ErrNotExpressible)
	expect.NoError(t, r.Close(t.Context()))
}

// TestEncodePassOn: a Writer with PassOn accepts text that is not valid UTF-8,
// and the encoder checks the fields nevertheless.
func TestEncodePassOn(t *testing.T) {
	s := encoding(t, codec.WriterOptions{PassOn: true}, codec.Field{Name: "s", Type: scalar(wire.NullTerminatedUTF16String)})
	expect.ErrorIs(t, s.event().Int32(1).Write(), codec.ErrPayload)
	expect.ErrorIs(t, s.event().String("\x00").Write(), codec.ErrPayload)
	half := "a\xed\xa0\xbd" // of a surrogate pair
	expect.NoError(t, s.event().String(half).Write())
	expect.Equal(t, "text", fieldOf(s.only(t), "s").Text(), half)
}

// requestFields are those of an event of an HTTP server.
func requestFields() []codec.Field {
	return []codec.Field{
		{Name: "Path", Type: scalar(wire.NullTerminatedUTF16String)}, {Name: "Seconds", Type: scalar(wire.Double)},
		{Name: "Sizes", Type: of(wire.Array, scalar(wire.Int32))}, {Name: "At", Type: of(wire.RelLoc, scalar(wire.UTF8CodeUnit))},
		{Name: "Peer", Type: object(codec.Field{Name: "ID", Type: scalar(wire.VarUInt)}, codec.Field{Name: "Key", Type: fixedOf(4, scalar(wire.Byte))})},
	}
}

func encodeRequest(e *codec.EventEncoder, i uint64) *codec.EventEncoder {
	return e.String("/cart/é").Float64(1.5).Array().Int32(1).Int32(2).End().String("here").Object().VarUint(i).Bytes([]byte("abcd")).End()
}

// TestEncodeAllocs: an event costs no allocation.
func TestEncodeAllocs(t *testing.T) {
	stack := []uint64{1, 2, 3}
	t.Run("Writer", func(t *testing.T) {
		s := encoding(t, codec.WriterOptions{}, requestFields()...)
		s.w.Reset(io.Discard)
		_, err := s.w.DefineThread(&codec.Thread{})
		expect.NoError(t, err)
		request, err := s.w.DefineEvent(&codec.Metadata{Provider: "P", Fields: requestFields()})
		expect.NoError(t, err)
		n, failed := uint64(0), error(nil)
		got := testing.AllocsPerRun(5000, func() {
			n++
			if err := encodeRequest(request.Event().Thread(1).Timestamp(n).Stack(stack), n).Write(); err != nil {
				failed = err
			}
		})
		expect.NoError(t, failed)
		expect.Equal(t, "allocations of an event", got, 0)
	})
	t.Run("Recorder", func(t *testing.T) {
		w := codec.NewWriter(io.Discard, codec.WriterOptions{Trace: clock})
		r := codec.NewRecorder(w, codec.RecorderOptions{Queue: 64})
		thread, err := r.DefineThread(&codec.Thread{})
		expect.NoError(t, err)
		request, err := r.DefineEvent(&codec.Metadata{Provider: "P", Fields: requestFields()})
		expect.NoError(t, err)
		n, failed := uint64(0), error(nil)
		got := testing.AllocsPerRun(20_000, func() {
			n++
			err := encodeRequest(request.Event().Thread(thread).Timestamp(n).Stack(stack), n).Write()
			if err != nil && err != codec.ErrDropped { // the queue may be full
				failed = err
			}
		})
		expect.NoError(t, failed)
		expect.NoError(t, r.Close(t.Context()))
		expect.AtLeast(t, "events that were recorded", n-r.Dropped(), 64)
		expect.Equal(t, "allocations of an event", got, 0)
	})
}

// TestEncodeRecorder: goroutines with a type each, and goroutines that take an
// encoder from a pool, record events that a Reader finds.
func TestEncodeRecorder(t *testing.T) {
	const goroutines, events = 8, 200
	var out bytes.Buffer
	r := codec.NewRecorder(codec.NewWriter(&out, codec.WriterOptions{Trace: clock}), codec.RecorderOptions{Queue: 2 * goroutines * events})
	metadata := &codec.Metadata{Provider: "P", Fields: []codec.Field{{Name: "text", Type: scalar(wire.NullTerminatedUTF16String)}, {Name: "thread", Type: scalar(wire.UInt64)}}}
	pool := sync.Pool{New: func() any {
		request, err := r.DefineEvent(metadata)
		if err != nil {
			t.Error(err)
		}
		return request
	}}
	var workers sync.WaitGroup
	for i := range uint64(goroutines) {
		thread, err := r.DefineThread(&codec.Thread{ThreadID: i, HasThreadID: true})
		expect.NoError(t, err)
		own := pool.New().(*codec.EventType)
		workers.Go(func() {
			for n := range uint64(events) {
				pooled := pool.Get().(*codec.EventType)
				err := own.Event().Thread(thread).Timestamp(n).String("own").Uint64(thread).Write()
				err2 := pooled.Event().Thread(thread).Timestamp(n).String("pooled").Uint64(thread).Write()
				if err := errors.Join(err, err2); err != nil {
					t.Error(err)
				}
				pool.Put(pooled)
			}
		})
	}
	workers.Wait()
	expect.NoError(t, r.Close(t.Context()))
	count := map[string]int{}
	for e, err := range codec.NewBytesReader(out.Bytes(), codec.Options{Strict: true}).Events() {
		expect.NoError(t, err)
		expect.Equal(t, "thread", fieldOf(e, "thread").Uint64(), e.ThreadIndex)
		count[fieldOf(e, "text").Text()]++
	}
	expect.Equal(t, "own", count["own"], goroutines*events)
	expect.Equal(t, "pooled", count["pooled"], goroutines*events)
}

// TestEncodeRecorderRefuses: each event that Write refuses is counted as dropped, and
// readers count it as lost, if its thread is known.
func TestEncodeRecorderRefuses(t *testing.T) {
	var out bytes.Buffer
	now := uint64(100)
	r := codec.NewRecorder(codec.NewWriter(&out, codec.WriterOptions{Trace: clock}), codec.RecorderOptions{Clock: func() uint64 { return now }})
	thread, err := r.DefineThread(&codec.Thread{})
	expect.NoError(t, err)
	request, err := r.DefineEvent(&codec.Metadata{Provider: "P", Fields: []codec.Field{{Name: "n", Type: scalar(wire.Int32)}}})
	expect.NoError(t, err)

	expect.NoError(t, request.Event().Thread(thread).Int32(1).Write()) // at the time of the clock
	expect.ErrorIs(t, request.Event().Thread(thread).Timestamp(99).Int32(2).Write(), codec.ErrDropped)
	expect.ErrorIs(t, request.Event().Thread(thread).Timestamp(101).Float64(3).Write(), codec.ErrPayload)
	expect.ErrorIs(t, request.Event().CaptureThread(thread).Write(), codec.ErrPayload)
	expect.ErrorIs(t, request.Event().Int32(4).Write(), codec.ErrUndefined)
	request.Event().Thread(thread).Discard()
	expect.Equal(t, "Dropped", r.Dropped(), 3)
	expect.NoError(t, request.Event().Thread(thread).Timestamp(102).Int32(5).Write())
	expect.NoError(t, r.Close(t.Context()))
	expect.ErrorIs(t, request.Event().Thread(thread).Int32(6).Write(), codec.ErrClosed)

	got := drain(codec.NewBytesReader(out.Bytes(), codec.Options{Strict: true}))
	expect.NoError(t, got.err)
	expect.Len(t, "events", got.events, 2)
	expect.Equal(t, "lost", got.lost, 3)
}

// TestEncodeRecorderNeedsTime: without a Clock an event needs a time.
func TestEncodeRecorderNeedsTime(t *testing.T) {
	r := codec.NewRecorder(codec.NewWriter(io.Discard, codec.WriterOptions{Trace: clock}), codec.RecorderOptions{})
	thread, err := r.DefineThread(&codec.Thread{})
	expect.NoError(t, err)
	request, err := r.DefineEvent(&codec.Metadata{Provider: "P"})
	expect.NoError(t, err)
	expect.ErrorIs(t, request.Event().Thread(thread).Write(), codec.ErrUndefined)
	expect.Equal(t, "Dropped", r.Dropped(), 1)
	expect.NoError(t, r.Close(t.Context()))
}
