package heap_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/heap"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// without copies a trace without its nth event that is part of a heap dump. It returns
// the id of the event, 0 if the trace has fewer. With renumbered the other events have
// no gap in their sequence numbers.
func without(t *testing.T, stream []byte, nth int, renumbered bool) (copied []byte, id uint32) {
	t.Helper()
	r := codec.NewBytesReader(stream, codec.Options{})
	trace, err := r.Trace()
	expect.NoError(t, err)
	var out bytes.Buffer
	w := codec.NewWriter(&out, codec.WriterOptions{Trace: *trace, PassOn: true})
	metadata := map[*codec.Metadata]uint32{}
	threads := map[uint64]uint64{}
	for e, err := range r.Events() {
		if err != nil {
			t.Fatal(err)
		}
		if e.ID() >= 16 && e.ID() <= 19 {
			if nth--; nth == -1 {
				id = e.ID()
				continue
			}
		}
		m := e.Metadata()
		if metadata[m] == 0 {
			metadata[m], err = w.DefineMetadata(m)
			expect.NoError(t, err)
		}
		number, known := threads[e.ThreadIndex]
		if !known {
			number, err = w.DefineThread(&codec.Thread{ThreadID: e.ThreadIndex, HasThreadID: true})
			expect.NoError(t, err)
			threads[e.ThreadIndex] = number
		}
		record := codec.Record{
			MetadataID: metadata[m], Timestamp: e.Timestamp, Thread: number, CaptureThread: number,
			Processor: e.Processor, Payload: e.Payload(), Sequence: e.Sequence,
		}
		if renumbered {
			record.Sequence = 0
		}
		expect.NoError(t, w.Write(&record))
		expect.Stop(t)
	}
	expect.NoError(t, w.Close())
	return out.Bytes(), id
}

// TestDropped: a dump without any one of its events is refused, and Partial shows the
// rest. The last event of the roots, and of the weak tables, is known to be missing by the
// sequence numbers only.
func TestDropped(t *testing.T) {
	stream := shared.TruthFile(t, leakDumps[0])
	for _, renumbered := range []bool{false, true} {
		t.Run(fmt.Sprint("renumbered ", renumbered), func(t *testing.T) {
			kinds := map[uint32]int{}
			for n := 0; ; n++ {
				copied, id := without(t, stream, n, renumbered)
				if id == 0 {
					_, err := open(t, copied, false)
					expect.NoError(t, err)
					break
				}
				kinds[id]++
				_, err := open(t, copied, false)
				if last := id < 18 && kinds[id] == 2; last && renumbered {
					expect.NoError(t, err)
					continue
				}
				expect.ErrorIs(t, err, heap.ErrIncomplete)
				h, err := open(t, copied, true)
				expect.NoError(t, err)
				expect.Stop(t)
				d, err := h.Dominators(t.Context())
				expect.NoError(t, err)
				const all = 1_094_905 // bytes of the complete dump
				expect.AtMost(t, fmt.Sprintf("bytes without event %d of id %d", n, id), d.Retained(h.Root()), all)
				expect.Stop(t)
			}
			expect.Equal(t, "events", fmt.Sprint(kinds), "map[16:2 17:2 18:10 19:4]")
		})
	}
}

// open reads the dump of a trace.
func open(t *testing.T, stream []byte, partial bool) (*heap.Heap, error) {
	return heap.FromReader(t.Context(), codec.NewBytesReader(stream, codec.Options{}), heap.Options{Partial: partial})
}
