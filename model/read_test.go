package model_test

import (
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tracetest"
	"github.com/nettrace-go/nettrace/model"
)

// recorder is a consumer that records what it is called with.
type recorder struct {
	wanted  uint32 // the id of the events that it handles
	trace   *model.Trace
	asked   []uint32       // ids for which Handler was called
	handled []uint64       // times
	threads []model.Thread // of the handled events
	stacks  []model.StackID
	lost    []model.Thread
	lostAt  []int // number of events handled before each
}

func (p *recorder) Begin(t *model.Trace) { p.trace = t }

func (p *recorder) Handler(m *codec.Metadata) model.Handler {
	p.asked = append(p.asked, m.EventID)
	if m.EventID != p.wanted {
		return nil
	}
	return func(ev *codec.Event) {
		p.handled = append(p.handled, ev.Timestamp)
		p.threads = append(p.threads, p.trace.Thread(ev))
		p.stacks = append(p.stacks, p.trace.Stack(ev))
	}
}

func (p *recorder) Lost(thread model.Thread) {
	p.lost, p.lostAt = append(p.lost, thread), append(p.lostAt, len(p.handled))
}

// readWith reads a trace with consumers.
func readWith(t *testing.T, trace []byte, limits model.Limits, list ...model.Consumer) *model.Trace {
	t.Helper()
	r := codec.NewBytesReader(trace, codec.Options{Order: codec.ByTime})
	tr, err := model.Read(t.Context(), r, model.Options{Consumers: list, Limits: limits})
	expect.NoError(t, err)
	return tr
}

// TestDispatch: a consumer is asked once for each type of event, and gets the events that
// it wants.
func TestDispatch(t *testing.T) {
	m := tracetest.New(wire.V4)
	for at := range uint64(100) {
		m.Add(tracetest.Event{At: at, Thread: 5, ID: uint32(at % 4)})
	}
	first, second := &recorder{wanted: 2}, &recorder{wanted: 3}
	readWith(t, m.Bytes(), model.Limits{}, first, second)
	expect.Slices(t, "types that the first part was asked for", first.asked, []uint32{0, 1, 2, 3})
	expect.Equal(t, "events of the first part", len(first.handled), 25)
	expect.Equal(t, "time of its second event", first.handled[1], 6)
	expect.Equal(t, "events of the second part", len(second.handled), 25)
	expect.Equal(t, "thread", first.threads[0], model.Thread{Process: tracetest.Process, ID: 5})
}

// TestLost: the consumers hear of losses of a thread before its next event.
func TestLost(t *testing.T) {
	for _, format := range []wire.Format{wire.V4, wire.V6} {
		t.Run(format.String(), func(t *testing.T) {
			m := tracetest.New(format)
			if format.HasThreadTable() {
				m.Of(tracetest.Process, 5)
				m.Of(tracetest.Process, 6)
			}
			m.Add(tracetest.Event{At: 1, Thread: 5, ID: 1})
			m.Add(tracetest.Event{At: 2, Thread: 6, ID: 1})
			m.Lose(5, 3)
			m.Add(tracetest.Event{At: 3, Thread: 6, ID: 1})
			m.Add(tracetest.Event{At: 4, Thread: 5, ID: 1})
			m.Add(tracetest.Event{At: 5, Thread: 5, ID: 1})
			p := &recorder{wanted: 1}
			tr := readWith(t, m.Bytes(), model.Limits{}, p)
			expect.Slices(t, "threads", p.lost, []model.Thread{{Process: tracetest.Process, ID: 5}})
			expect.Slices(t, "events before", p.lostAt, []int{3})
			expect.Equal(t, "events lost", tr.Lost, 3)
		})
	}
}

// TestLossTimes: losses before, between and after the events of a thread, and of a
// thread without events.
func TestLossTimes(t *testing.T) {
	for _, c := range []struct {
		name    string
		format  wire.Format
		silent  model.Thread // the thread without events
		limits  model.Limits
		leftOut int64
	}{
		{"v4", wire.V4, model.Thread{Process: tracetest.Process, ID: 6}, model.Limits{}, 0},
		{"v6", wire.V6, model.Thread{ID: 1<<32 + 6}, model.Limits{}, 0},
		{"limit", wire.V4, model.Thread{}, model.Limits{Rows: 1}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := tracetest.New(c.format)
			if c.format.HasThreadTable() {
				m.Of(tracetest.Process, 5)
				m.Of(tracetest.Process, 6)
			}
			m.Lose(5, 2)
			m.Add(tracetest.Event{At: 10, Thread: 5, ID: 1})
			m.Add(tracetest.Event{At: 20, Thread: 5, ID: 1})
			m.Lose(5, 3)
			m.Add(tracetest.Event{At: 30, Thread: 5, ID: 1})
			m.Lose(5, 4)
			m.Lose(6, 7)
			m.SequencePoint(40, 0)
			tr := readWith(t, m.Bytes(), c.limits)
			five := model.Thread{Process: tracetest.Process, ID: 5}
			want := []model.Loss{
				{Thread: five, From: 10, To: 10, Count: 2}, {Thread: five, From: 20, To: 30, Count: 3},
				{Thread: five, From: 30, To: 40, Count: 4}, {Thread: c.silent, From: 10, To: 40, Count: 7},
			}
			expect.Slices(t, "losses", tr.Losses, want[:len(want)-int(c.leftOut)])
			expect.Equal(t, "left out", tr.LossesLeftOut, c.leftOut)
			expect.Equal(t, "events lost", tr.Lost, 16)
		})
	}
}

// TestReusedThreadID: the number that an ended thread had reached at the last sequence
// point is no loss of a new thread with its id.
func TestReusedThreadID(t *testing.T) {
	m := tracetest.New(wire.V4)
	for at := range uint64(3) {
		m.Add(tracetest.Event{At: at, Thread: 5, ID: 1})
	}
	m.SequencePoint(20, 0)
	m.EndThread(5)
	m.Add(tracetest.Event{At: 30, Thread: 5, ID: 1})
	tr := readWith(t, m.Bytes(), model.Limits{})
	expect.Len(t, "losses", tr.Losses, 0)
	expect.Equal(t, "events lost", tr.Lost, 0)
}

// TestLargeThreadIDs: losses of threads with ids above those in the table of pages.
func TestLargeThreadIDs(t *testing.T) {
	m := tracetest.New(wire.V4)
	const thread = 1 << 40
	m.Add(tracetest.Event{At: 1, Thread: thread, ID: 1})
	m.Lose(thread, 1)
	m.Add(tracetest.Event{At: 2, Thread: thread, ID: 1})
	p := &recorder{wanted: 1}
	readWith(t, m.Bytes(), model.Limits{}, p)
	expect.Slices(t, "threads", p.lost, []model.Thread{{Process: tracetest.Process, ID: thread}})
	q := &recorder{wanted: 1}
	readWith(t, m.Bytes(), model.Limits{Threads: 1}, &recorder{}, q)
	expect.Len(t, "losses of one thread within the limit", q.lost, 1)
}

// TestStackLimits: beyond a limit stacks have no frames, and are counted.
func TestStackLimits(t *testing.T) {
	m := tracetest.New(wire.V4)
	for at := range uint64(10) {
		m.Add(tracetest.Event{At: at, Thread: 5, ID: 1, Stack: []uint64{0x1000 + at/2, 0x2000}})
	}
	for _, c := range []struct {
		name    string
		limits  model.Limits
		leftOut int64
	}{
		{"default", model.Limits{}, 0}, {"stacks", model.Limits{Stacks: 3}, 4}, {"frames", model.Limits{Frames: 4}, 6},
		{"unlimited", model.Limits{Stacks: -1, Frames: -1}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &recorder{wanted: 1}
			tr := readWith(t, m.Bytes(), c.limits, p)
			expect.Equal(t, "left out", tr.LeftOut.Stacks, c.leftOut)
			expect.Equal(t, "equal stacks", p.stacks[0] == p.stacks[1], true)
			expect.Equal(t, "frames", len(tr.Frames(p.stacks[0], 0)), 2)
			expect.Equal(t, "empty stacks", int64(len(slices.DeleteFunc(p.stacks, func(id model.StackID) bool { return id != 0 }))), c.leftOut)
		})
	}
}

// TestBounds: each process of a trace of v6 has its own recording.
func TestBounds(t *testing.T) {
	m := tracetest.New(wire.V6)
	m.Of(1, 5)
	m.Of(2, 6)
	for _, e := range []tracetest.Event{{At: 10, Thread: 5}, {At: 20, Thread: 6}, {At: 30, Thread: 5}, {At: 40, Thread: 6}} {
		m.Add(e)
	}
	tr := readWith(t, m.Bytes(), model.Limits{})
	expect.Slices(t, "processes", tr.Processes(), []uint64{1, 2})
	for process, want := range map[uint64][2]uint64{1: {10, 30}, 2: {20, 40}} {
		from, to := tr.Bounds(process)
		expect.Equal(t, "bounds", [2]uint64{from, to}, want)
	}
	expect.Equal(t, "nanoseconds", tr.Nanos(30), 30e3)
}

// TestOrder: events out of order are counted.
func TestOrder(t *testing.T) {
	m := tracetest.New(wire.V4)
	for _, e := range []tracetest.Event{{At: 10, Thread: 5}, {At: 5, Thread: 6}, {At: 20, Thread: 5}} {
		m.Add(e)
	}
	for order, want := range map[codec.Order]int64{codec.FileOrder: 1, codec.ByTime: 0} {
		tr, err := model.Read(t.Context(), codec.NewBytesReader(m.Bytes(), codec.Options{Order: order}), model.Options{})
		expect.NoError(t, err)
		expect.Equal(t, "out of order", tr.OutOfOrder, want)
	}
}

// TestMisuse: a Reader that cannot return all events is refused.
func TestMisuse(t *testing.T) {
	m := tracetest.New(wire.V4)
	m.Add(tracetest.Event{At: 1, Thread: 1})
	started := codec.NewBytesReader(m.Bytes(), codec.Options{})
	started.Next()
	_, err := model.Read(t.Context(), started, model.Options{})
	expect.ErrorIs(t, err, codec.ErrStarted)
	_, err = model.Read(t.Context(), codec.NewBytesReader(m.Bytes(), codec.Options{NoStacks: true}), model.Options{})
	expect.ErrorIs(t, err, codec.ErrNoStacks)
	tr, err := model.Read(t.Context(), codec.NewBytesReader([]byte("no trace"), codec.Options{}), model.Options{})
	expect.ErrorIs(t, err, codec.ErrNotNetTrace)
	expect.Equal(t, "trace", tr, nil)
}

// TestMalformed: a stream that is truncated or malformed at any offset has the
