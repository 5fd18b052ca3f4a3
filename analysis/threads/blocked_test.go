package threads_test

import (
	"testing"
	"unicode/utf16"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tracetest"
)

// Addresses in methods.
const (
	taskWait = 0x1000 * (iota + 1)
	handleWait
	work
	root
)

// text is a text in a payload.
func text(s string) []uint16 { return append(utf16.Encode([]rune(s)), 0) }

// named adds the names of the methods.
func named(m *tracetest.Trace) {
	const core, app = 1, 2
	for id, path := range map[uint64]string{core: "/usr/System.Private.CoreLib.dll", app: "/app/App.dll"} {
		m.Add(tracetest.Event{Thread: 9, ID: 152, Payload: []any{id, id, uint32(0), uint32(0), text(path), text(""), uint16(0)}})
	}
	for _, f := range []struct {
		at, module uint64
		typ, name  string
	}{
		{taskWait, core, "System.Threading.Tasks.Task", "InternalWaitCore"}, {handleWait, core, "System.Threading.WaitHandle", "WaitOneNoCheck"},
		{work, app, "App.Program", "Work"}, {root, core, "System.Threading.PortableThreadPool+WorkerThread", "WorkerThreadStart"},
	} {
		m.Add(tracetest.Event{Thread: 9, ID: 143, Version: 1, Payload: []any{
			f.at, f.module, f.at - 0x20, uint32(0x100), uint32(0), uint32(0), text(f.typ), text(f.name), text("void ()"), uint16(0),
		}})
	}
}

// behave is a wait for a task: it blocks the thread or awaits.
func behave(at uint64, behavior uint32, stack ...uint64) tracetest.Event {
	return tracetest.Event{
		At: at, Thread: 1, Provider: "System.Threading.Tasks.TplEventSource", ID: 10, Version: 3, Stack: stack,
		Payload: []any{uint32(1), uint32(0), uint32(5), behavior, uint32(0)},
	}
}

// sampled is a sample.
func sampled(at uint64, stack ...uint64) tracetest.Event {
	return tracetest.Event{At: at, Thread: 1, Provider: "Microsoft-DotNETCore-SampleProfiler", Stack: stack, Payload: []any{uint32(1)}}
}

// wait is an event of a wait: its begin (301) or its end (302).
func wait(at uint64, id uint32, stack ...uint64) tracetest.Event {
	return tracetest.Event{At: at, Thread: 1, ID: id, Stack: stack, Payload: []any{uint8(0), uint64(0), uint16(0)}}
}

// TestBlocked: what the only thread of the pool does when the pool adds threads, and
// whether that is a finding.
func TestBlocked(t *testing.T) {
	idle := tracetest.Event{At: 2, Thread: 1, ID: 57, Payload: []any{uint32(1), uint32(0), uint16(0)}}
	ended := tracetest.Event{At: 2, Thread: 1, Provider: "System.Threading.Tasks.TplEventSource", ID: 11, Payload: []any{uint32(1), uint32(0), uint32(5)}}
	for _, c := range []struct {
		name   string
		before []tracetest.Event
		want   int
	}{
		{"nothing", nil, 0},
		{"a wait for a task", []tracetest.Event{behave(1, 1, taskWait, work, root)}, 1},
		{"await", []tracetest.Event{behave(1, 2, taskWait, work, root)}, 0},
		{"a wait for a task that has ended", []tracetest.Event{behave(1, 1, taskWait, work, root), ended}, 0},
		{"a wait for a handle", []tracetest.Event{wait(1, 301, handleWait, work, root)}, 1},
		{"a wait for a handle that has ended", []tracetest.Event{wait(1, 301, handleWait, work, root), wait(2, 302)}, 0},
		{"a wait within another", []tracetest.Event{behave(1, 1, taskWait, work, root), wait(2, 301, root), wait(3, 302)}, 1},
		{"a sample of a wait", []tracetest.Event{sampled(1, handleWait, work, root)}, 1},
		{"a sample of work", []tracetest.Event{sampled(1, work, root)}, 0},
		{"a sample that shows no work", []tracetest.Event{sampled(1, handleWait, root)}, 0},
		{"a thread that is not of the pool", []tracetest.Event{behave(1, 1, taskWait, work)}, 0},
		{"a thread that waits for work", []tracetest.Event{behave(1, 1, taskWait, work, root), idle}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := tracetest.New(wire.V4)
			named(m)
			for _, ev := range c.before {
				m.Add(ev)
			}
			for i := range 5 {
				m.Add(adjust(1000*uint64(i+1), up(i), 8))
			}
			findings := made(t, m, analysis.Limits{})[0].Findings
			expect.Len(t, "findings", findings, c.want)
			for _, f := range findings {
				expect.Contains(t, "text", f.Text, "100 % of its threads were blocked in App.Program.Work(")
				expect.Equal(t, "adjustments within 5 s", f.Value, 5)
			}
		})
	}
}

// TestOldSample: a sample does not show what its thread does half a second later.
func TestOldSample(t *testing.T) {
	m := tracetest.New(wire.V4)
	named(m)
	m.Add(sampled(1, handleWait, work, root))
	for i := range 5 {
		m.Add(adjust(600_000+1000*uint64(i), up(i), 8))
	}
	expect.Len(t, "findings", made(t, m, analysis.Limits{})[0].Findings, 0)
}

// TestLost: after a loss it is unknown whether a thread still waits.
func TestLost(t *testing.T) {
	m := tracetest.New(wire.V4)
	named(m)
	m.Add(behave(1, 1, taskWait, work, root))
	m.Lose(1, 1)
	m.Add(tracetest.Event{At: 2, Thread: 1, ID: 1})
	for i := range 5 {
		m.Add(adjust(1000*uint64(i+1), up(i), 8))
	}
	expect.Len(t, "findings", made(t, m, analysis.Limits{})[0].Findings, 0)
}
