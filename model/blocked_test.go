package model_test

import (
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tracetest"
	"github.com/nettrace-go/nettrace/model"
)

// blocked describes the contentions and the waits of a trace. Each has the time of its begin as what is kept
// of it.
type blocked struct {
	trace *model.Trace
	locks *model.Contending[model.Thread, uint64]
	waits *model.Waiting[model.Thread, uint64]
	all   []string
}

func (b *blocked) Begin(t *model.Trace) {
	b.trace = t
	b.locks = model.NewContending[model.Thread, uint64](t.Limits().Threads, model.Thread.Compare)
	b.waits = model.NewWaiting[model.Thread, uint64](t.Limits().Threads, model.Thread.Compare)
}

func (b *blocked) Lost(thread model.Thread) {
	b.locks.Lost(thread)
	b.waits.Lost(thread)
}

func (b *blocked) Handler(m *codec.Metadata) model.Handler {
	return map[clr.Kind]model.Handler{
		clr.KindContentionStart: func(ev *codec.Event) {
			if one := b.locks.Start(b.trace.Thread(ev), ev); one != nil {
				one.Of = ev.Timestamp
			}
		},
		clr.KindContentionStop: func(ev *codec.Event) {
			one, begun := b.locks.Stop(b.trace.Thread(ev), ev)
			b.lock(&one, begun)
		},
		clr.KindWaitHandleWaitStart: func(ev *codec.Event) {
			thread := b.trace.Thread(ev)
			if one := b.waits.Start(thread, ev, b.locks.Last(thread) != nil); one != nil {
				one.Of = ev.Timestamp
			}
		},
		clr.KindWaitHandleWaitStop: func(ev *codec.Event) {
			one, begun := b.waits.Stop(b.trace.Thread(ev), ev)
			b.wait(&one, begun)
		},
		clr.KindTaskWaitBegin: func(ev *codec.Event) {
			if one := b.waits.StartTask(b.trace.Thread(ev), ev); one != nil {
				one.Of = ev.Timestamp
			}
		},
		clr.KindTaskWaitEnd: func(ev *codec.Event) {
			one, begun := b.waits.StopTask(b.trace.Thread(ev), clr.TaskWaitEnd(ev).TaskID(), ev.Timestamp)
			b.wait(&one, begun)
		},
	}[clr.KindOf(m)]
}

func (b *blocked) lock(one *model.OpenContention[model.Thread, uint64], begun bool) {
	b.all = append(b.all, fmt.Sprintf("lock %d of %d: %d-%d, %v ns, owner %d", one.Thread.ID, one.Of, one.From, one.To, one.Duration, one.Owner)+is(begun, one.Unfinished))
}

func (b *blocked) wait(one *model.OpenWait[model.Thread, uint64], begun bool) {
	text := fmt.Sprintf("wait %d of %d: %d-%d", one.Thread.ID, one.Of, one.From, one.To)
	for _, s := range []struct {
		is   bool
		text string
	}{{one.OnMonitor, " monitor"}, {one.OfTask, " task"}, {one.ByTask, " by task"}, {one.InContention, " in lock"}} {
		if s.is {
			text += s.text
		}
	}
	if begun {
		b.all = append(b.all, text+is(begun, one.Unfinished))
	}
}

func is(begun, unfinished bool) string {
	switch {
	case !begun:
		return ", not begun"
	case unfinished:
		return ", unfinished"
	}
	return ""
}

// close ends what is open.
func (b *blocked) close() {
	for _, one := range b.locks.Close(b.trace.End) {
		b.lock(&one, true)
	}
	for _, one := range b.waits.Close(b.trace.End) {
		b.wait(&one, true)
	}
}

// TestContendingAndWaiting: which events make a contention or a wait, and how they end.
func TestContendingAndWaiting(t *testing.T) {
	event := func(kind clr.Kind, at, thread uint64, payload ...any) tracetest.Event {
		return tracetest.Event{At: at, Thread: thread, Provider: kind.Provider(), ID: kind.ID(), Payload: payload}
	}
	lock := func(at, thread, owner uint64) tracetest.Event {
		return event(clr.KindContentionStart, at, thread, uint8(0), uint16(0), uint64(1), uint64(2), owner)
	}
	unlock := func(at, thread uint64, nanos float64) tracetest.Event {
		return event(clr.KindContentionStop, at, thread, uint8(0), uint16(0), nanos)
	}
	wait := func(at, thread uint64, source uint8) tracetest.Event {
		return event(clr.KindWaitHandleWaitStart, at, thread, source, uint64(0), uint16(0))
	}
	goOn := func(at, thread uint64) tracetest.Event {
		return event(clr.KindWaitHandleWaitStop, at, thread, uint16(0))
	}
	task := func(at, thread uint64, id, behavior int32) tracetest.Event {
		return event(clr.KindTaskWaitBegin, at, thread, int32(0), int32(0), id, behavior, int32(0))
	}
	taskEnds := func(at, thread uint64, id int32) tracetest.Event {
		return event(clr.KindTaskWaitEnd, at, thread, int32(0), int32(0), id)
	}
	const blocks, awaits, monitor = 1, 2, 1
	last := tracetest.Event{At: 100, Thread: 9, ID: 1000}
	lost := tracetest.Event{Sequence: 1} // the loss of an event of thread 5
	for _, c := range []struct {
		name   string
		limit  int64
		events []tracetest.Event
		want   []string
	}{
		{"a lock", 0, []tracetest.Event{lock(10, 5, 6), unlock(30, 5, 21000)}, []string{"lock 5 of 10: 10-30, 21000 ns, owner 6"}},
		{"a duration that is none", 0, []tracetest.Event{lock(10, 5, 6), unlock(30, 5, -5)}, []string{"lock 5 of 10: 10-30, -1 ns, owner 6"}},
		{"nested locks", 0, []tracetest.Event{lock(10, 5, 6), lock(15, 5, 7), unlock(20, 5, 0), unlock(30, 5, 0)},
			[]string{"lock 5 of 15: 15-20, 0 ns, owner 7", "lock 5 of 10: 10-30, 0 ns, owner 6"}},
		{"locks of two threads", 0, []tracetest.Event{lock(10, 5, 6), lock(15, 6, 5), unlock(20, 5, 0), last},
			[]string{"lock 5 of 10: 10-20, 0 ns, owner 6", "lock 6 of 15: 15-100, -1 ns, owner 5, unfinished"}},
		{"a lock without a start", 0, []tracetest.Event{unlock(30, 5, 21000)}, []string{"lock 5 of 0: 30-30, 21000 ns, owner 0, not begun"}},
		{"a lock with a loss", 0, []tracetest.Event{lock(10, 5, 6), lost, unlock(30, 5, 21000)}, []string{"lock 5 of 0: 30-30, 21000 ns, owner 0, not begun"}},
		{"more locks than the limit", 1, []tracetest.Event{lock(10, 5, 6), lock(15, 6, 7), unlock(30, 5, 0)}, []string{"lock 5 of 10: 10-30, 0 ns, owner 6"}},
		{"a wait", 0, []tracetest.Event{wait(10, 5, 0), goOn(30, 5)}, []string{"wait 5 of 10: 10-30"}},
		{"a wait on a monitor that goes on", 0, []tracetest.Event{wait(10, 5, monitor), last}, []string{"wait 5 of 10: 10-100 monitor, unfinished"}},
		{"a wait in a lock", 0, []tracetest.Event{lock(10, 5, 6), wait(15, 5, 0), goOn(20, 5), unlock(30, 5, 0)},
			[]string{"wait 5 of 15: 15-20 in lock", "lock 5 of 10: 10-30, 0 ns, owner 6"}},
		{"a wait with a loss", 0, []tracetest.Event{wait(10, 5, 0), lost, goOn(30, 5)}, nil},
		{"a wait for a task", 0, []tracetest.Event{task(10, 5, 1, blocks), wait(15, 5, 0), goOn(20, 5), taskEnds(30, 5, 1)},
			[]string{"wait 5 of 15: 15-20 task", "wait 5 of 10: 10-30 task by task"}},
		{"an await", 0, []tracetest.Event{task(10, 5, 1, awaits), wait(15, 5, 0), goOn(20, 5), taskEnds(30, 5, 1)}, []string{"wait 5 of 15: 15-20"}},
		{"the end of another task", 0, []tracetest.Event{task(10, 5, 1, blocks), taskEnds(30, 5, 2), last}, []string{"wait 5 of 10: 10-100 task by task, unfinished"}},
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
			var b blocked
			readWith(t, m.Bytes(), model.Limits{Threads: c.limit}, &b)
			b.close()
			expect.Slices(t, "contentions and waits", b.all, c.want)
		})
	}
}
