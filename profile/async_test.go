package profile_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tracetest"
	"github.com/nettrace-go/nettrace/profile"
)

// Addresses in methods.
const (
	fMain = 0x1000 * (iota + 1)
	fWork
	fA // async
	fB // async
	fLambda
	fBox
	fExecute
	fLoop
	fDispatch
	fSchedule
	fRun
	fEvent
	fHandle
	fTimer
	fRuntime
)

// asyncMade is a trace with events about tasks.
type asyncMade struct{ *tracetest.Trace }

func newAsyncMade(format wire.Format) asyncMade {
	m := asyncMade{tracetest.New(format)}
	text := func(s string) []uint16 { return append(utf16.Encode([]rune(s)), 0) }
	for address, f := range map[uint64][2]string{
		fMain: {"App", "Main"}, fWork: {"App", "Work"}, fA: {"App+<A>d__1", "MoveNext"}, fB: {"App+<B>d__2", "MoveNext"}, fLambda: {"App+<>c", "Lambda"},
		fBox:     {"System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1+AsyncStateMachineBox`1[System.Int32,App+<A>d__1]", "MoveNext"},
		fExecute: {"System.Threading.Tasks.Task", "ExecuteWithThreadLocal"}, fLoop: {"System.Threading.ExecutionContext", "RunFromThreadPoolDispatchLoop"},
		fDispatch: {"System.Threading.ThreadPoolWorkQueue", "Dispatch"}, fSchedule: {"System.Threading.Tasks.Task", "ScheduleAndStart"},
		fRun: {"System.Threading.Tasks.Task", "Run"}, fEvent: {"System.Threading.Tasks.TplEventSource", "TaskScheduled"},
		fHandle: {"System.Threading.WaitHandle", "WaitOneNoCheck"}, fTimer: {"System.Threading.TimerQueue", "TimerThread"},
		fRuntime: {"System.Runtime.CompilerServices.AsyncHelpers+RuntimeAsyncTask`1[System.Int32]", "DispatchContinuations"},
	} {
		m.Add(tracetest.Event{At: 10, Thread: 9, ID: 143, Payload: []any{
			uint64(1), uint64(2), address - 0x20, uint32(0x100), uint32(0), uint32(0), text(f[0]), text(f[1]), text("void ()"), uint16(0), uint64(0),
		}})
	}
	return m
}

// Ids of events about tasks.
const (
	scheduled, started, completed, awaitBegin, awaitEnd, continuationScheduled, continuationComplete, continuationStarted = 7, 8, 9, 10, 11, 12, 13, 19
	blocks, awaits                                                                                                        = 1, 2
)

// task adds an event about a task. TaskWaitBegin is that of an await.
func (m asyncMade) task(at, thread uint64, id, task uint32, stack ...uint64) {
	m.wait(at, thread, id, task, awaits, stack...)
}

// wait adds an event about a task with a Behavior.
func (m asyncMade) wait(at, thread uint64, id, task, behavior uint32, stack ...uint64) {
	payload := []any{uint32(1), uint32(0), task, behavior, uint32(0)}
	if id == continuationComplete || id == continuationStarted {
		payload = []any{task}
	}
	m.Add(tracetest.Event{At: at, Thread: thread, Provider: "System.Threading.Tasks.TplEventSource", ID: id, Stack: stack, Payload: payload})
}

// sample adds a sample of a thread.
func (m asyncMade) sample(at, thread uint64, stack ...uint64) {
	m.Add(tracetest.Event{At: at, Thread: thread, Provider: "Microsoft-DotNETCore-SampleProfiler", Stack: stack, Payload: []any{uint32(2)}})
}

// read reads the trace with Async.
func (m asyncMade) read(t *testing.T) *profile.Profile {
	t.Helper()
	sameProfiles(t, m.Bytes(), profile.Options{Async: true})
	p, err := profile.FromReader(t.Context(), codec.NewReader(bytes.NewReader(m.Bytes()), codec.Options{}), profile.Options{Async: true})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// described returns the samples of type Wall in order of time: each with its
// Join and the names of its frames.
func described(p *profile.Profile) string {
	byTime := map[uint64]string{}
	last := uint64(0)
	for s := range p.Samples(profile.Wall) {
		text := s.Join.String() + ":"
		for _, f := range p.Stack(s.Stack) {
			name := p.Function(p.Frame(f).Function).Symbol.Method
			if class, ok := strings.CutPrefix(p.Function(p.Frame(f).Function).Symbol.Namespace, "App+<"); ok && name == "MoveNext" {
				name, _, _ = strings.Cut(class, ">")
			}
			text += " " + name
		}
		byTime[s.Ticks] = text
		last = max(last, s.Ticks)
	}
	var list []string
	for at := range last + 1 {
		if byTime[at] != "" {
			list = append(list, byTime[at])
		}
	}
	return strings.Join(list, "; ")
}

// resumedA is a stack within a continuation of A, which the pool runs.
var resumedA = []uint64{fWork, fA, fBox, fDispatch}

// TestAsyncJoins: which stacks are joined with which.
func TestAsyncJoins(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(asyncMade)
		want  string
	}{
		{"await", func(m asyncMade) {
			m.task(100, 1, awaitBegin, 5, fEvent, fA, fMain)
			m.task(200, 2, awaitEnd, 5)
			m.sample(250, 2, resumedA...)
			m.task(300, 2, continuationComplete, 5)
			m.sample(350, 2, resumedA...)
		}, "joined: Work A Main; unjoined: Work A MoveNext Dispatch"},
		{"yield", func(m asyncMade) {
			m.task(100, 1, continuationScheduled, 5, fEvent, fA, fMain)
			m.task(200, 2, continuationStarted, 5)
			m.sample(250, 2, resumedA...)
			m.task(300, 2, continuationComplete, 5)
		}, "joined: Work A Main"},
		{"task", func(m asyncMade) {
			m.task(100, 1, scheduled, 5, fEvent, fSchedule, fRun, fMain)
			m.task(200, 2, started, 5)
			m.sample(250, 2, fWork, fLambda, fLoop, fExecute, fDispatch)
			m.sample(260, 2, fWork, fLambda, fExecute, fDispatch)
			m.task(300, 2, completed, 5)
			m.sample(350, 2, fWork, fDispatch)
		}, "joined: Work Lambda ScheduleAndStart Run Main; joined: Work Lambda ScheduleAndStart Run Main; not async: Work Dispatch"},
		{"task within a task", func(m asyncMade) {
			m.task(100, 1, scheduled, 5, fEvent, fRun, fMain)
			m.task(200, 2, started, 5)
			m.task(210, 2, scheduled, 6, fEvent, fRun, fLambda, fExecute, fDispatch)
			m.task(220, 2, started, 6)
			m.sample(250, 2, fWork, fExecute, fLambda, fExecute, fDispatch)
			m.task(260, 2, completed, 6)
			m.sample(270, 2, fWork, fLambda, fExecute, fDispatch)
			m.task(300, 2, completed, 5)
		}, "joined: Work Run Lambda Run Main; joined: Work Lambda Run Main"},
		{"await after an await", func(m asyncMade) {
			m.task(100, 1, awaitBegin, 5, fEvent, fA, fB, fMain)
			m.task(200, 2, awaitEnd, 5)
			m.task(210, 2, awaitBegin, 6, fEvent, fA, fBox, fDispatch)
			m.task(220, 2, continuationComplete, 5)
			m.task(300, 3, awaitEnd, 6)
			m.sample(350, 3, resumedA...)
			m.task(400, 3, continuationComplete, 6)
		}, "joined: Work A B Main"},
		{"what ran the continuation is left out", func(m asyncMade) {
			m.task(100, 1, awaitBegin, 5, fEvent, fA, fLambda, fBox, fB, fBox, fDispatch)
			m.task(200, 2, awaitEnd, 5)
			m.sample(250, 2, fWork, fA, fBox, fB, fBox, fDispatch)
			m.task(300, 2, continuationComplete, 5)
		}, "joined: Work A Lambda"},
		{"in the runtime before the method", func(m asyncMade) {
			m.task(100, 1, awaitBegin, 5, fEvent, fA, fMain)
			m.task(200, 2, awaitEnd, 5)
			m.sample(250, 2, fWork, fBox, fDispatch)
			m.task(300, 2, continuationComplete, 5)
		}, "joined: Work A Main"},
		{"several waiters", func(m asyncMade) {
			m.task(100, 1, awaitBegin, 5, fEvent, fA, fMain)
			m.task(110, 1, awaitBegin, 5, fEvent, fB, fMain)
			m.task(200, 2, awaitEnd, 5)
			m.sample(250, 2, resumedA...)
			m.task(300, 2, continuationComplete, 5)
			m.task(310, 2, awaitEnd, 5)
			m.sample(350, 2, fWork, fB, fBox, fDispatch)
			m.task(400, 2, continuationComplete, 5)
			m.task(410, 1, awaitBegin, 5, fEvent, fA, fMain)
			m.task(420, 2, awaitEnd, 5)
			m.sample(450, 2, resumedA...)
			m.task(460, 2, continuationComplete, 5)
		}, "ambiguous: Work A MoveNext Dispatch; ambiguous: Work B MoveNext Dispatch; joined: Work A Main"},
		{"await after an ambiguous one", func(m asyncMade) {
			m.task(100, 1, awaitBegin, 5, fEvent, fA, fMain)
			m.task(110, 1, awaitBegin, 5, fEvent, fB, fMain)
			m.task(200, 2, awaitEnd, 5)
			m.task(210, 2, awaitBegin, 6, fEvent, fA, fBox, fDispatch)
			m.task(220, 2, continuationComplete, 5)
			m.task(230, 2, awaitEnd, 6)
			m.sample(250, 2, resumedA...)
			m.task(300, 2, continuationComplete, 6)
		}, "ambiguous: Work A MoveNext Dispatch"},
		{"another method than the one that awaits", func(m asyncMade) {
			m.task(100, 1, awaitBegin, 5, fEvent, fA, fMain)
			m.task(200, 2, awaitEnd, 5)
			m.sample(250, 2, fWork, fB, fBox, fDispatch)
			m.task(300, 2, continuationComplete, 5)
		}, "unjoined: Work B MoveNext Dispatch"},
		{"blocked thread", func(m asyncMade) {
			m.task(50, 3, awaitBegin, 4, fEvent, fA, fMain)
			m.task(60, 3, awaitEnd, 4)
			m.task(70, 3, continuationComplete, 4)
			m.wait(100, 1, awaitBegin, 5, blocks, fEvent, fLambda, fMain)
			m.task(200, 1, awaitEnd, 5)
			m.sample(250, 1, fWork, fLambda, fMain)
		}, "not async: Work Lambda Main"},
		{"blocked and awaited", func(m asyncMade) {
			m.wait(100, 1, awaitBegin, 5, blocks, fEvent, fMain)
			m.task(110, 2, awaitBegin, 5, fEvent, fA, fMain)
			m.task(200, 1, awaitEnd, 5)
			m.sample(250, 1, resumedA...)
			m.task(300, 1, continuationComplete, 5)
		}, "ambiguous: Work A MoveNext Dispatch"},
		{"nested continuation", func(m asyncMade) {
			m.task(100, 1, awaitBegin, 5, fEvent, fA, fMain)
			m.task(110, 1, awaitBegin, 6, fEvent, fB, fLambda)
			m.task(200, 2, awaitEnd, 5)
			m.task(210, 2, awaitEnd, 6)
			m.sample(220, 2, fWork, fB, fBox, fA, fBox, fDispatch)
			m.task(230, 2, continuationComplete, 6)
			m.sample(250, 2, resumedA...)
			m.task(300, 2, continuationComplete, 5)
		}, "joined: Work B Lambda; joined: Work A Main"},
		{"end of a continuation that began before the trace", func(m asyncMade) {
			m.task(100, 1, awaitBegin, 5, fEvent, fA, fMain)
			m.task(200, 2, awaitEnd, 5)
			m.task(210, 2, continuationComplete, 77)
			m.sample(250, 2, resumedA...)
		}, "unjoined: Work A MoveNext Dispatch"},
		{"idle thread", func(m asyncMade) {
			m.task(100, 1, awaitBegin, 5, fEvent, fA, fMain)
			m.task(110, 1, awaitBegin, 6, fEvent, fA, fMain)
			m.task(200, 2, awaitEnd, 5)
			m.Add(tracetest.Event{At: 210, Thread: 2, ID: 57, Payload: []any{uint32(1), uint32(0), uint16(0)}})
			m.sample(250, 2, resumedA...)
			m.task(300, 2, continuationComplete, 5)
		}, "unjoined: Work A MoveNext Dispatch"},
		{"end without a beginning", func(m asyncMade) {
			m.task(100, 1, awaitBegin, 6, fEvent, fA, fMain)
			m.task(200, 2, awaitEnd, 5)
			m.sample(250, 2, resumedA...)
			m.task(300, 2, continuationComplete, 5)
		}, "unjoined: Work A MoveNext Dispatch"},
		{"order of threads in the file", func(m asyncMade) {
			m.task(200, 2, awaitEnd, 5)
			m.sample(250, 2, resumedA...)
			m.task(300, 2, continuationComplete, 5)
			m.task(100, 1, awaitBegin, 5, fEvent, fA, fMain)
		}, "joined: Work A Main"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newAsyncMade(wire.V4)
			c.build(m)
			expect.Equal(t, "samples", described(m.read(t)), c.want)
		})
	}
}

// TestAsyncProcesses: tasks of two processes with one id are two tasks.
func TestAsyncProcesses(t *testing.T) {
	m := newAsyncMade(wire.V6)
	for thread, process := range map[uint64]uint64{1: 7, 2: 7, 3: 8, 9: 7} {
		m.Of(process, thread)
	}
	m.task(100, 1, awaitBegin, 5, fEvent, fA, fMain)
	m.task(110, 3, awaitBegin, 5, fEvent, fB, fMain)
	m.task(200, 2, awaitEnd, 5)
	m.sample(250, 2, resumedA...)
	m.task(300, 2, continuationComplete, 5)
	p := m.read(t)
	expect.Equal(t, "joins", p.CountJoins(profile.Wall), profile.JoinSummary{Joined: 1})
}

// TestAsyncLost: where events are lost that could have changed the result, the
// stack is left as recorded.
func TestAsyncLost(t *testing.T) {
	gap := func(m asyncMade, at, thread uint64) {
		m.Add(tracetest.Event{At: at, Thread: thread, ID: 200, Sequence: 100})
	}
	const as, not = "joined: Work A Main", "unjoined: Work A MoveNext Dispatch"
	for _, c := range []struct {
		name string
		lose func(asyncMade, uint64) // is called at some times
		want string
	}{
		{"nothing", func(asyncMade, uint64) {}, as},
		{"before the await", func(m asyncMade, at uint64) {
			if at == 90 {
				m.task(at, 3, scheduled, 1)
				gap(m, at+1, 3)
			}
		}, as},
		{"by another thread during the await", func(m asyncMade, at uint64) {
			switch at {
			case 90:
				m.task(at, 3, scheduled, 1)
			case 190:
				gap(m, at, 3)
			}
		}, not},
		{"by the thread in the continuation", func(m asyncMade, at uint64) {
			if at == 260 {
				gap(m, at, 2)
			}
		}, not},
		{"by the thread after the continuation", func(m asyncMade, at uint64) {
			if at == 310 {
				gap(m, at, 2)
			}
		}, as},
		{"by the thread at its end", func(m asyncMade, at uint64) {
			if at == 240 {
				m.Point(codec.SequencePoint{Timestamp: at, Threads: []codec.ThreadSequence{{Thread: 1, Sequence: 3}, {Thread: 2, Sequence: 7}}})
			}
		}, not},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newAsyncMade(wire.V4)
			c.lose(m, 90)
			m.task(100, 1, awaitBegin, 5, fEvent, fA, fMain)
			m.task(110, 1, completed, 77)
			c.lose(m, 190)
			m.task(200, 2, awaitEnd, 5)
			c.lose(m, 240)
			m.Add(tracetest.Event{At: 250, Thread: 2, Capture: 9, Provider: "Microsoft-DotNETCore-SampleProfiler", Stack: resumedA, Payload: []any{uint32(2)}})
			c.lose(m, 260)
			if c.name != "by the thread at its end" {
				m.task(300, 2, continuationComplete, 5)
			}
			c.lose(m, 310)
			expect.Equal(t, "samples", described(m.read(t)), c.want)
		})
	}
}

// TestAsyncLoop: a method that awaits in a loop keeps its caller.
func TestAsyncLoop(t *testing.T) {
	m := newAsyncMade(wire.V4)
	m.task(100, 1, awaitBegin, 5, fEvent, fA, fB, fMain)
	const rounds = 1000
	for i := range uint32(rounds) {
		at := 200 + 10*uint64(i)
		m.task(at, 2, awaitEnd, 5+i)
		m.task(at+1, 2, awaitBegin, 6+i, fEvent, fA, fBox, fDispatch)
		if i+1 == rounds {
			m.sample(at+2, 2, resumedA...)
		}
		m.task(at+3, 2, continuationComplete, 5+i)
	}
	expect.Equal(t, "samples", described(m.read(t)), "joined: Work A B Main")
}

// TestAsyncState: the state of a sample follows from its own stack: this one would
// be an idle timer.
func TestAsyncState(t *testing.T) {
	m := newAsyncMade(wire.V4)
	m.task(100, 1, awaitBegin, 5, fEvent, fA, fTimer)
	m.task(200, 2, awaitEnd, 5)
	m.sample(250, 2, fHandle, fA, fBox, fDispatch)
	m.task(300, 2, continuationComplete, 5)
	p := m.read(t)
	for s := range p.Samples(profile.Wall) {
		state, _ := p.State(&s)
		expect.Equal(t, "result", s.Join, profile.Joined)
		expect.Equal(t, "state", state, profile.Waiting)
	}
}

// TestAsyncRepair: a truncated stack of an await is repaired before it is joined.
func TestAsyncRepair(t *testing.T) {
	var deep []uint64
	for i := range uint64(99) {
		deep = append(deep, 0x100000+0x100*i)
	}
	m := newAsyncMade(wire.V4)
	m.sample(50, 1, append(slices.Clone(deep[50:]), fMain)...)
	m.task(100, 1, awaitBegin, 5, append([]uint64{fA}, deep...)...)
	m.task(200, 2, awaitEnd, 5)
	m.sample(250, 2, resumedA...)
	m.task(300, 2, continuationComplete, 5)
	p := m.read(t)
	for s := range p.Samples(profile.Wall) {
		if s.Ticks != 250 {
			continue
		}
		stack := p.Stack(s.Stack)
		expect.Equal(t, "result", s.Join, profile.Joined)
		expect.Len(t, "frames", stack, 2+len(deep)+1)
		expect.Equal(t, "root", p.Function(p.Frame(stack[len(stack)-1]).Function).Symbol.Method, "Main")
	}
}

// TestAsyncCut: a stack that is joined with a truncated one says that its outer end is missing.
func TestAsyncCut(t *testing.T) {
	deep := []uint64{fA}
	for i := range uint64(99) {
		deep = append(deep, 0x100000+0x100*i)
	}
	m := newAsyncMade(wire.V4)
	m.task(100, 1, awaitBegin, 5, deep...)
	m.task(200, 2, awaitEnd, 5)
	m.sample(250, 2, resumedA...)
	m.task(300, 2, continuationComplete, 5)
	p := m.read(t)
	for s := range p.Samples(profile.Wall) {
		stack := p.Stack(s.Stack)
		expect.Equal(t, "result", s.Join, profile.Joined)
		expect.Equal(t, "cut", s.Cut, true)
		root := p.Frame(stack[len(stack)-1])
		expect.Equal(t, "root is made up", p.IsSynthesized(root.Function), true)
		expect.Equal(t, "kind of the root", root.Kind, profile.OnStack)
	}
}

// TestAsyncLimits: the limits of a Profile hold for the events of tasks and for
// the frames of joined stacks.
func TestAsyncLimits(t *testing.T) {
	m := newAsyncMade(wire.V4)
	m.task(100, 1, awaitBegin, 5, fEvent, fA, fMain)
	m.task(200, 2, awaitEnd, 5)
	m.sample(250, 2, resumedA...)
	m.task(300, 2, continuationComplete, 5)
	const frames, joined, events = 7, 3, 5 // events: a sample and its round too
	for _, c := range []struct {
		name   string
		limits profile.Limits
		join   profile.Join
		over   string // exceeded limit
	}{
		{"enough", profile.Limits{Frames: frames + joined, Samples: events}, profile.Joined, ""},
		{"no frames for joined stacks", profile.Limits{Frames: frames + joined - 1}, profile.Unjoined, ""},
		{"no room for an event", profile.Limits{Samples: events - 1}, profile.Joined, "Samples"},
		{"threads", profile.Limits{Threads: 1}, profile.NotAsync, "Threads"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := codec.NewReader(bytes.NewReader(m.Bytes()), codec.Options{})
			p, err := profile.FromReader(t.Context(), r, profile.Options{Async: true, Limits: c.limits})
			var limit *profile.LimitError
			if errors.As(err, &limit) {
				expect.Equal(t, "exceeded limit", limit.What, c.over)
				return
			}
			expect.NoError(t, err)
			expect.Equal(t, "exceeded limit", "", c.over)
			for s := range p.Samples(profile.Wall) {
				expect.Equal(t, "result", s.Join, c.join)
			}
		})
	}
}

// TestAsyncLimit: at most 32 stacks are joined to one.
func TestAsyncLimit(t *testing.T) {
	m := newAsyncMade(wire.V4)
	m.task(100, 1, scheduled, 5, fEvent, fRun, fMain)
	for i := range uint32(40) {
		at := 200 + 10*uint64(i)
		m.task(at, 2, started, 5+i)
		m.task(at+1, 2, scheduled, 6+i, fEvent, fRun, fLambda, fExecute, fDispatch)
		if i == 39 {
			m.sample(at+2, 2, fWork, fLambda, fExecute, fDispatch)
		}
		m.task(at+3, 2, completed, 5+i)
	}
	expect.Equal(t, "samples", described(m.read(t)), "joined: Work Lambda"+strings.Repeat(" Run Lambda", 32))
}

// TestAsyncRuntime: events about tasks do not say who awaits a method that is compiled with
// runtime-async, also if it runs within a continuation that they know.
func TestAsyncRuntime(t *testing.T) {
	m := newAsyncMade(wire.V4)
	m.task(100, 1, awaitBegin, 5, fEvent, fA, fMain)
	m.task(200, 2, awaitEnd, 5)
	m.sample(250, 2, append([]uint64{fWork, fB, fRuntime}, resumedA...)...)
	m.sample(260, 2, fWork, fRuntime, fLoop, fDispatch)
	m.task(300, 2, continuationComplete, 5)
	m.sample(350, 2, fWork, fRuntime, fLoop, fDispatch)
	p := m.read(t)
	expect.Equal(t, "joins", p.CountJoins(profile.Wall), profile.JoinSummary{Unjoined: 3})
}

// TestAsyncNoEvents: without events about tasks Async is an error that says how
// to record them.
func TestAsyncNoEvents(t *testing.T) {
	m := newAsyncMade(wire.V4)
	m.task(100, 1, awaitBegin, 5, fEvent, fA, fMain)
	m.task(200, 2, awaitEnd, 5)
	m.sample(250, 2, resumedA...)
	r := codec.NewReader(bytes.NewReader(m.Bytes()), codec.Options{})
	p, err := profile.FromReader(t.Context(), r, profile.Options{Async: true})
	expect.ErrorIs(t, err, profile.ErrNoTaskEvents)
	expect.Contains(t, "error", err.Error(), "System.Threading.Tasks.TplEventSource:0x7f:5")
	expect.Equal(t, "source of joins", p.JoinedBy(), profile.NoJoins)
}
