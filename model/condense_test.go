package model_test

import (
	"bytes"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tracetest"
	"github.com/nettrace-go/nettrace/model"
)

// sum adds up the times of all events. It accepts every third chunk only.
type sum struct {
	total                    uint64
	asked, applied, directly int
}

func (s *sum) Begin(*model.Trace)         {}
func (s *sum) Lost(model.Thread)          {}
func (s *sum) Condenser() model.Condenser { return &chunkSum{} }

func (s *sum) Handler(*codec.Metadata) model.Handler {
	return func(ev *codec.Event) { s.directly++; s.total += ev.Timestamp }
}

func (s *sum) Accepts(model.Condenser) bool {
	s.asked++
	return s.asked%3 == 0
}

func (s *sum) Apply(c model.Condenser, entry int, _ []model.StackID) {
	s.applied++
	s.total += c.(*chunkSum).entries[entry]
}

// chunkSum is the sum of a chunk.
type chunkSum struct {
	log     *model.Log
	entries []uint64
}

func (c *chunkSum) Begin(_ *model.Trace, log *model.Log) { c.log, c.entries = log, []uint64{0} }
func (c *chunkSum) Lost(model.Thread)                    {}
func (c *chunkSum) End()                                 { c.log.Entry(0) }

func (c *chunkSum) Handler(*codec.Metadata) model.Handler {
	return func(ev *codec.Event) { c.entries[0] += ev.Timestamp }
}

// TestReadAgain: a part gets the events of the chunks that it does not accept.
func TestReadAgain(t *testing.T) {
	m := tracetest.New(wire.V4)
	want := uint64(0)
	for at := range uint64(2000) {
		m.Add(tracetest.Event{At: at, Thread: 1 + at%3, ID: 1, Payload: []any{at}})
		if want += at; at%100 == 99 {
			m.SequencePoint(at, 0)
		}
	}
	b := m.Bytes()
	index, err := codec.NewIndex(bytes.NewReader(b), int64(len(b)), codec.Options{Order: codec.ByTime})
	expect.NoError(t, err)
	var part sum
	trace, join, err := model.ReadChunks(t.Context(), model.Chunks{Index: index, Size: int64(len(b)), Workers: 2}, model.Options{Consumers: []model.Consumer{&part}})
	expect.NoError(t, err)
	expect.Equal(t, "sum", part.total, want)
	expect.Equal(t, "events", join.Count(), 2000)
	expect.Equal(t, "lost", trace.Lost, uint64(0))
	expect.AtLeast(t, "chunks", part.asked, 10)
	expect.Equal(t, "accepted chunks", part.applied, part.asked/3)
	expect.AtLeast(t, "events of the others", part.directly, 1000)
}

// TestOutOfOrder: the number of events that are older than one before them is that of one goroutine,
// with chunks that have few of them or many.
func TestOutOfOrder(t *testing.T) {
	const events = 3000 // of a chunk
	for _, c := range []struct {
		name  string
		back  uint64 // ticks from the last event of a chunk to the first one of the next one
		want  int64  // late events of each chunk but the first one
		asked int    // chunks that parts are asked about, with an empty last one; the others are read again
	}{
		{"none", 0, 0, 5},
		{"few", 100, 100, 5},
		{"the most that are known", 1023, 1023, 5},
		{"more", 1025, 1025, 2},
		{"all but one", events - 1, events - 1, 2},
		{"all", events, events, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := tracetest.New(wire.V4)
			at := uint64(4 * events)
			for range 4 {
				for range events {
					m.Add(tracetest.Event{At: at, Thread: 1, ID: 1, Payload: []any{at}})
					at++
				}
				m.SequencePoint(at, 0)
				at -= 1 + c.back
			}
			b := m.Bytes()
			index, err := codec.NewIndex(bytes.NewReader(b), int64(len(b)), codec.Options{Order: codec.ByTime})
			expect.NoError(t, err)
			for _, workers := range []int{1, 2, 3} {
				var part sum
				trace, join, err := model.ReadChunks(t.Context(), model.Chunks{Index: index, Size: int64(len(b)), Workers: workers}, model.Options{Consumers: []model.Consumer{&part}})
				expect.NoError(t, err)
				expect.Equal(t, "events", join.Count(), 4*events)
				expect.Equal(t, "out of order", trace.OutOfOrder, 3*c.want)
				expect.Equal(t, "chunks that the part is asked about", part.asked, c.asked)
			}
		})
	}
}
