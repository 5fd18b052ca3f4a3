package model_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tracetest"
	"github.com/nettrace-go/nettrace/model"
)

// suspensions keeps all suspensions.
type suspensions struct{ all []suspensionBy }

// suspensionBy is a suspension by a thread.
type suspensionBy struct {
	thread model.Thread
	model.Suspension
}

func (s *suspensions) Begin(t *model.Trace) {
	t.Suspensions().Each(func(by model.Thread, one *model.Suspension) { s.all = append(s.all, suspensionBy{by, *one}) })
}

func (s *suspensions) Handler(*codec.Metadata) model.Handler { return nil }

func (s *suspensions) Lost(model.Thread) {}

// TestSuspensions: which events make a suspension, and how it ends.
func TestSuspensions(t *testing.T) {
	const sampler, collector, background = 0, 1, 6 // reasons
	begin := func(at, thread uint64, reason uint32) tracetest.Event {
		return tracetest.Event{At: at, Thread: thread, ID: clr.KindGCSuspendEEBegin.ID(), Payload: []any{reason, uint32(1), uint16(0)}}
	}
	end := func(at, thread uint64) tracetest.Event {
		return tracetest.Event{At: at, Thread: thread, ID: clr.KindGCRestartEEEnd.ID(), Payload: []any{uint16(0)}}
	}
	stopped := func(at, thread uint64) tracetest.Event {
		return tracetest.Event{At: at, Thread: thread, ID: clr.KindGCSuspendEEEnd.ID(), Payload: []any{uint16(0)}}
	}
	last := tracetest.Event{At: 100, Thread: 9, ID: 1000}
	lost := tracetest.Event{Thread: 5, Sequence: 1} // the loss of an event
	one := func(thread uint64, reason uint32, from, to uint64) suspensionBy {
		of := model.Suspension{Process: tracetest.Process, Reason: reason, Count: 1, HasCount: true, From: from, To: to}
		return suspensionBy{model.Thread{Process: tracetest.Process, ID: thread}, of}
	}
	unfinished, until := one(5, collector, 10, 100), one(5, collector, 10, 15)
	unfinished.Unfinished = true
	until.Next, until.Unfinished = 15, true
	later := unfinished
	later.Stopped = 20
	for _, c := range []struct {
		name   string
		events []tracetest.Event
		want   []suspensionBy
		pauses int
	}{
		{"of the collector", []tracetest.Event{begin(10, 5, collector), end(30, 5)}, []suspensionBy{one(5, collector, 10, 30)}, 1},
		{"of the sampler", []tracetest.Event{begin(10, 5, sampler), end(30, 5)}, []suspensionBy{one(5, sampler, 10, 30)}, 0},
		{"of two threads", []tracetest.Event{begin(10, 5, collector), begin(15, 6, background), end(20, 5), end(30, 6)},
			[]suspensionBy{one(5, collector, 10, 20), one(6, background, 15, 30)}, 2},
		{"without a begin", []tracetest.Event{end(30, 5)}, nil, 0},
		{"without an end", []tracetest.Event{begin(10, 5, collector), last}, []suspensionBy{unfinished}, 1},
		{"without an end before the next", []tracetest.Event{begin(10, 5, collector), begin(15, 6, sampler), end(20, 6), last}, []suspensionBy{one(6, sampler, 15, 20), until}, 1},
		{"stopped after the next", []tracetest.Event{begin(10, 5, collector), begin(15, 6, sampler), stopped(20, 5), end(25, 6), last}, []suspensionBy{one(6, sampler, 15, 25), later}, 1},
		{"begun again", []tracetest.Event{begin(10, 5, collector), begin(20, 5, collector), end(30, 5)}, []suspensionBy{one(5, collector, 20, 30)}, 1},
		{"with a loss", []tracetest.Event{begin(10, 5, collector), lost, end(30, 5)}, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := tracetest.New(wire.V4)
			for _, e := range c.events {
				if e.Sequence == lost.Sequence {
					m.Lose(5, 1)
					continue
				}
				m.Add(e)
			}
			var s suspensions
			readWith(t, m.Bytes(), model.Limits{}, &s)
			expect.Slices(t, "suspensions", s.all, c.want)
			pauses := 0
			for i := range s.all {
				if s.all[i].IsPause() {
					pauses++
				}
			}
			expect.Equal(t, "pauses", pauses, c.pauses)
		})
	}
}

// TestSuspendingInFileOrder: a suspension without an end lasts until another thread of its process begins one, which can
// stand before it in the file. One of another process does not end it.
func TestSuspendingInFileOrder(t *testing.T) {
	of := func(process, from uint64) model.Suspension { return model.Suspension{Process: process, From: from} }
	var s model.Suspending[uint64, struct{}]
	s.Begin(6, of(1, 40))
	s.End(6, 41)
	s.Begin(6, of(1, 30))
	s.End(6, 31)
	s.Begin(5, of(1, 10))
	s.Stopped(5, 20)
	s.Begin(7, of(2, 25))
	s.End(7, 26)
	s.Begin(6, of(1, 50))
	s.End(6, 51)
	list := s.Close(func(uint64) uint64 { return 100 })
	expect.Equal(t, "open suspensions", len(list), 1)
	expect.Equal(t, "end", list[0].To, 30)
	expect.Equal(t, "unfinished", list[0].Unfinished, true)
}
