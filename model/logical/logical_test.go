package logical_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/codec/clr/async"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/model/logical"
)

// made are buffers of one thread, each with the time at which it begins and the records.
type made struct {
	thread, start uint64
	context       uint32
	records       []byte
	count         uint32
	ticks, last   uint64
}

// on begins a buffer of a thread.
func on(thread, start uint64) *made {
	return &made{thread: thread, start: start, context: uint32(thread), ticks: start, last: start}
}

// at adds a record.
func (m *made) at(ticks uint64, id async.ID, payload ...byte) *made {
	m.records = append(m.records, byte(id))
	m.records = binary.AppendUvarint(m.records, ticks-m.last)
	switch id {
	case async.CreateRuntimeCallstack, async.ResumeRuntimeCallstack, async.SuspendRuntimeCallstack, async.ResumeMachineCallstack, async.AppendMachineCallstack, async.WriteMetadata:
		m.records = append(m.records, byte(len(payload)), byte(len(payload)>>8))
	case async.CreateRuntimeContext, async.ResumeRuntimeContext, async.CreateMachineContext, async.ResumeMachineContext, async.UnwindRuntimeException, async.UnwindMachineException:
		m.records = append(m.records, byte(len(payload)))
	}
	m.records = append(m.records, payload...)
	m.last, m.count = ticks, m.count+1
	return m
}

// stack is the payload of a call stack whose frames are at 1, 2, 3 ... from an address on.
func stack(id async.ID, wrapper, dispatcher, first byte, n int) []byte {
	b := []byte{0, wrapper, byte(n)}
	if id == async.CreateRuntimeCallstack {
		b = append(b, 0)
	}
	b = append(b, dispatcher)
	for i := range n {
		if i == 0 {
			b = append(b, first)
		} else {
			b = append(b, 2)
		}
		if id == async.ResumeMachineCallstack || id == async.AppendMachineCallstack {
			b = append(b, 0)
		}
	}
	return b
}

// resume adds the records of a resumption.
func (m *made) resume(ticks uint64, kind async.Kind, wrapper, dispatcher, first byte, n int) *made {
	context, callstack := async.ResumeRuntimeContext, async.ResumeRuntimeCallstack
	if kind == async.Machine {
		context, callstack = async.ResumeMachineContext, async.ResumeMachineCallstack
	}
	return m.at(ticks, context, dispatcher).at(ticks, callstack, stack(callstack, wrapper, dispatcher, first, n)...)
}

// buffer is the event that has the records.
func (m *made) buffer(written uint64) logical.Buffer {
	size := uint32(37 + len(m.records))
	b := binary.LittleEndian.AppendUint32(nil, size)
	b = append(binary.LittleEndian.AppendUint32(append(b, 1), size), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(b[9:], m.context)
	b = binary.LittleEndian.AppendUint64(b, m.thread)
	b = binary.LittleEndian.AppendUint32(b, m.count)
	b = binary.LittleEndian.AppendUint64(b, m.start)
	b = binary.LittleEndian.AppendUint64(b, m.last)
	return logical.Buffer{Ticks: written, Payload: append(b, m.records...), Writer: m.thread}
}

// tracker replays buffers.
func tracker(lossy bool, buffers ...logical.Buffer) *logical.Tracker {
	var log logical.Log
	for _, b := range buffers {
		log.Add(b)
	}
	return log.Tracker(lossy)
}

// callers describes what waits for the method at an address, which a thread runs.
func callers(t *logical.Tracker, thread, ticks uint64, b logical.Boundary, running uint64) string {
	segments, result := t.Callers(nil, t.At(thread, ticks), b,
		func(f async.Frame) bool { return f.Address == running }, func(a, b async.Frame) bool { return a.Address == b.Address })
	text := [...]string{"physical", "found", "cut", "not covered", "began early", "ambiguous"}[result]
	for _, s := range segments {
		text += ":"
		if s.CreatedBy {
			text += " by"
		}
		for i, f := range t.List(s.List)[s.From:] {
			if i < 5 {
				text += fmt.Sprint(" ", f.Address)
			}
		}
	}
	return text
}

// wrapped is the boundary of a runtime-async method, and boxed that of a state machine.
func wrapped(number int) logical.Boundary {
	return logical.Boundary{At: 3, Kind: async.Runtime, Wrapper: number}
}

var boxed = logical.Boundary{At: 3, Kind: async.Machine, Wrapper: -1}

// TestCallers: what waits for the code of a thread, and why it is not known.
func TestCallers(t *testing.T) {
	chain := func() *made { // the thread 7 runs 11, then 12 of the frames 11 to 14
		return on(7, 100).at(100, async.ResetThread).resume(110, async.Runtime, 30, 5, 11, 4).
			at(120, async.CompleteRuntimeMethod).at(130, async.CompleteRuntimeMethod).at(130, async.ResetWrapperIndex).at(140, async.SuspendRuntimeContext)
	}
	machines := func() *made {
		return on(7, 100).at(100, async.ResetThread).resume(110, async.Machine, 0, 5, 11, 2).at(115, async.ResumeMachineMethod).
			at(120, async.AppendMachineCallstack, stack(async.AppendMachineCallstack, 0, 5, 21, 1)...).at(130, async.CompleteMachineMethod).at(140, async.CompleteMachineContext)
	}
	nested := on(7, 100).at(100, async.ResetThread).resume(110, async.Machine, 0, 5, 11, 2).resume(120, async.Runtime, 0, 6, 31, 2).
		at(130, async.CompleteRuntimeContext).at(140, async.CompleteMachineMethod).at(150, async.CompleteMachineContext)
	twice := on(7, 100).at(100, async.ResetThread).at(110, async.ResumeMachineContext, 5).
		at(110, async.ResumeMachineCallstack, 0, 0, 3, 5, 11, 0, 0, 0, 4, 0).at(150, async.CompleteMachineContext)
	long := on(7, 100).at(100, async.ResetThread).resume(110, async.Runtime, 0, 5, 11, 255).at(150, async.SuspendRuntimeContext)
	attached := on(7, 100).at(100, async.ResetThread).resume(100, async.Runtime, 0, 0, 11, 0).at(150, async.SuspendRuntimeContext)
	mixed := on(7, 100).at(100, async.ResetThread).resume(110, async.Runtime, 0, 5, 11, 2).at(120, async.CompleteMachineMethod).at(150, async.CompleteMachineContext)
	broken := on(7, 100).at(100, async.ResetThread).resume(110, async.Runtime, 0, 5, 11, 2).at(150, 200)
	for _, c := range []struct {
		what    string
		m       *made
		ticks   uint64
		b       logical.Boundary
		running uint64
		want    string
	}{
		{"the first method", chain(), 115, wrapped(30), 11, "found: 12 13 14"},
		{"the second one", chain(), 125, wrapped(31), 12, "found: 13 14"},
		{"the wrappers begin again", chain(), 135, wrapped(0), 13, "found: 14"},
		{"another wrapper than the records say", chain(), 125, wrapped(0), 12, "ambiguous"},
		{"another method", chain(), 125, wrapped(31), 13, "ambiguous"},
		{"another kind", chain(), 125, boxed, 12, "ambiguous"},
		{"no method was resumed", chain(), 105, logical.Boundary{At: 3, Wrapper: -1}, 0, "physical"},
		{"no boundary, although a dispatcher runs", chain(), 115, logical.Boundary{At: 3, Wrapper: -1}, 0, "ambiguous"},
		{"a boundary, although none runs", chain(), 145, wrapped(30), 11, "ambiguous"},
		{"before the records", chain(), 99, wrapped(30), 11, "not covered"},
		{"after the last buffer", chain(), 201, wrapped(30), 11, "not covered"},
		{"resumed without records", chain(), 115, logical.Boundary{At: 3, Kind: async.Runtime, Untraced: true}, 11, "began early"},
		{"frames that come late", machines(), 116, boxed, 11, "found: 12 21"},
		{"a state machine", machines(), 135, boxed, 12, "found: 21"},
		{"the inner one of two kinds", nested, 125, wrapped(0), 31, "found: 32"},
		{"the outer one of two kinds", nested, 135, boxed, 11, "found: 12"},
		{"one of two frames of a method, without records of methods", twice, 120, boxed, 11, "ambiguous"},
		{"the only frame of a method, without them", twice, 120, boxed, 13, "found:"},
		{"255 frames", long, 120, wrapped(0), 11, "cut: 12 13 14 15 16"},
		{"suspended before the session", attached, 120, wrapped(0), 11, "began early"},
		{"records that contradict each other", mixed, 130, wrapped(0), 11, "not covered"},
		{"a buffer that cannot be read to its end", broken, 180, wrapped(0), 11, "not covered"},
	} {
		expect.Equal(t, c.what, callers(tracker(false, c.m.buffer(200)), 7, c.ticks, c.b, c.running), c.want)
	}
}

// TestLoss: after a lost buffer nothing is known until the next resumption.
func TestLoss(t *testing.T) {
	first := on(7, 100).at(100, async.ResetThread).resume(110, async.Runtime, 0, 5, 11, 2)
	second := func(start uint64) *made {
		return on(7, start).resume(start+100, async.Runtime, 0, 6, 21, 2).at(start+200, async.SuspendRuntimeContext)
	}
	numbered := func(m *made, written uint64, losses int) logical.Buffer {
		b := m.buffer(written)
		b.Losses = losses
		return b
	}
	for _, c := range []struct {
		what  string
		lossy bool
		start uint64
		loss  int
		want  string
	}{
		{"complete", false, 201, 0, "found: 12"},
		{"an event of the thread is lost", true, 201, 1, "not covered"},
		{"a gap in a trace that lost events", true, 5e6, 0, "not covered"},
		{"a gap in one that lost none", false, 5e6, 0, "found: 12"},
		{"buffers that overlap", false, 105, 0, "not covered"},
	} {
		of := tracker(c.lossy, numbered(second(c.start), c.start+300, c.loss), numbered(first, 200, 0)) // in any order
		if c.loss > 0 {
			of = tracker(c.lossy, numbered(first, 200, 0), numbered(second(c.start), c.start+300, c.loss))
		}
		expect.Equal(t, c.what, callers(of, 7, c.start+50, wrapped(0), 11), c.want)
		expect.Equal(t, c.what+", resumed", callers(of, 7, c.start+150, wrapped(0), 21), "found: 22")
	}
}

// TestUnknownIDs: a buffer before the metadata that lists its ids is read after it.
func TestUnknownIDs(t *testing.T) {
	early := on(7, 100).at(100, async.ResetThread).at(105, 60).resume(110, async.Runtime, 0, 5, 11, 2).at(150, async.SuspendRuntimeContext).buffer(200)
	list := []byte{0, 0, 0, 0, 32, 6, 20, 1, 0, 60, 1, 0, 2, 1, 1, 7, 1, 2, 3, 1, 0, 22, 1, 2}
	describing := on(8, 50).at(50, async.WriteMetadata, list...).buffer(60)
	expect.Equal(t, "with it", callers(tracker(false, early, describing), 7, 120, wrapped(0), 11), "found: 12")
	expect.Equal(t, "without it", callers(tracker(false, early), 7, 120, wrapped(0), 11), "not covered")
}

// TestCreators: who created a dispatcher, as far as the records say it.
func TestCreators(t *testing.T) {
	begin := func() *made {
		return on(7, 100).at(100, async.ResetThread).resume(110, async.Runtime, 0, 5, 11, 2)
	}
	child := func(m *made, ticks uint64, dispatcher, first byte) *made {
		return m.at(ticks, async.CreateRuntimeContext, 5, dispatcher).at(ticks, async.CreateRuntimeCallstack, stack(async.CreateRuntimeCallstack, 0, dispatcher, first, 1)...)
	}
	ends := func(m *made) *made {
		return m.at(200, async.SuspendRuntimeCallstack, stack(async.SuspendRuntimeCallstack, 0, 5, 12, 1)...).at(200, async.SuspendRuntimeContext)
	}
	other := func() *made { return on(9, 100).at(100, async.ResetThread).resume(300, async.Runtime, 0, 6, 31, 1) }
	alone := ends(child(begin(), 120, 6, 31)).buffer(900)
	two := ends(child(child(begin(), 120, 6, 31), 130, 8, 41)).buffer(900)
	expect.Equal(t, "the only one that a run created", callers(tracker(false, alone, other().at(400, async.CompleteRuntimeContext).buffer(900)), 9, 350, wrapped(0), 31), "found:: by 12")
	expect.Equal(t, "one of two", callers(tracker(false, two, other().at(400, async.CompleteRuntimeContext).buffer(900)), 9, 350, wrapped(0), 31), "found:")
	goesOn := other().at(400, async.CompleteRuntimeContext).resume(401, async.Runtime, 0, 8, 41, 1).at(500, async.CompleteRuntimeContext).buffer(900)
	expect.Equal(t, "one that lets the last one go on", callers(tracker(false, two, goesOn), 9, 350, wrapped(0), 31), "found:: by 41: by 12")
	endless := child(begin(), 120, 6, 31).buffer(900)
	expect.Equal(t, "by a run without an end", callers(tracker(false, endless, other().at(400, async.CompleteRuntimeContext).buffer(900)), 9, 350, wrapped(0), 31), "found:")
}

// TestBoundary: where the runtime resumed a method.
func TestBoundary(t *testing.T) {
	const services = "System.Runtime.CompilerServices."
	const box = services + "AsyncTaskMethodBuilder`1+AsyncStateMachineBox`1[System.Int32,App+<A>d__1]"
	for _, c := range []struct {
		what  string
		stack [][2]string
		want  logical.Boundary
	}{
		{"a wrapper", [][2]string{{"App", "A"}, {services + "AsyncProfiler+ContinuationWrapper", "Continuation_Wrapper_31"}}, logical.Boundary{At: 1, Kind: async.Runtime, Wrapper: 31}},
		{"no wrapper", [][2]string{{"App", "A"}, {services + "AsyncHelpers+RuntimeAsyncTask`1[System.Int32]", "DispatchContinuations"}}, logical.Boundary{At: 1, Kind: async.Runtime, Wrapper: -1, Untraced: true}},
		{"a box with records", [][2]string{{"App+<A>d__1", "MoveNext"}, {"System.Threading.ExecutionContext", "RunInternal"}, {box, "MoveNext"}, {services + "AsyncTaskMethodBuilder`1+AsyncProfilerAsyncStateMachineBox`1[App]", "MoveNextAsDispatcher"}}, logical.Boundary{At: 1, Kind: async.Machine, Wrapper: -1}},
		{"a box without", [][2]string{{"App+<A>d__1", "MoveNext"}, {box, "MoveNext"}, {"System.Threading.Tasks.Task", "RunContinuations"}, {box, "InstrumentedMoveNext"}}, logical.Boundary{At: 1, Kind: async.Machine, Wrapper: -1, Untraced: true}},
		{"a box that resumes nothing", [][2]string{{box, "GetDiagnosticData"}, {"App", "Main"}}, logical.Boundary{At: 2, Wrapper: -1}},
		{"another program's name", [][2]string{{"App.AsyncProfiler+ContinuationWrapper", "Continuation_Wrapper_1"}}, logical.Boundary{At: 1, Wrapper: -1}},
	} {
		got := logical.BoundaryOf(len(c.stack), func(i int) logical.Role { return logical.RoleOf(c.stack[i][0], c.stack[i][1]) })
		expect.Equal(t, c.what, got, c.want)
	}
}

// TestLateCallers: a list of state machines whose outermost method has a caller elsewhere is cut as long as
// the code that made the first call has not returned to it.
func TestLateCallers(t *testing.T) {
	whole := func(ticks uint64) logical.Buffer { // 31 waits for 21 here
		return on(8, 100).at(100, async.ResetThread).resume(ticks, async.Machine, 0, 9, 21, 2).at(ticks+10, async.CompleteMachineContext).buffer(900)
	}
	runs := on(9, 100).at(100, async.ResetThread).resume(300, async.Machine, 0, 6, 21, 1).at(400, async.CompleteMachineContext).buffer(900)
	for _, c := range []struct {
		what    string
		creator *made
		want    string
	}{
		{"without a dispatcher", on(7, 100).at(100, async.ResetThread).at(200, async.CreateMachineContext, 0, 6).at(350, async.CreateMachineContext, 0, 7), "cut:"},
		{"before the next dispatcher", on(7, 100).at(100, async.ResetThread).at(200, async.CreateMachineContext, 0, 6).resume(250, async.Machine, 0, 7, 41, 1), "found:"},
		{"in a run", on(7, 100).at(100, async.ResetThread).resume(150, async.Machine, 0, 5, 41, 1).at(200, async.CreateMachineContext, 5, 6).at(350, async.SuspendMachineContext), "cut:"},
		{"before the end of the run", on(7, 100).at(100, async.ResetThread).resume(150, async.Machine, 0, 5, 41, 1).at(200, async.CreateMachineContext, 5, 6).at(250, async.SuspendMachineContext), "found:"},
		{"not recorded", on(7, 100).at(100, async.ResetThread), "found:"},
	} {
		expect.Equal(t, c.what, callers(tracker(false, c.creator.buffer(900), whole(200), runs), 9, 310, boxed, 21), c.want)
		if c.want == "cut:" {
			expect.Equal(t, c.what+", awaited by no one elsewhere", callers(tracker(false, c.creator.buffer(900), runs), 9, 310, boxed, 21), "found:")
		}
	}
}
