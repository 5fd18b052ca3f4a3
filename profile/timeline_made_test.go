package profile_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tracetest"
	"github.com/nettrace-go/nettrace/profile"
)

// madeLine is a trace for the test of time lines. Times are microseconds.
type madeLine struct{ *tracetest.Trace }

// Addresses in methods.
const (
	inHandleWait = 0x1000
	inSleep      = 0x2000
	inTimer      = 0x3000
	inMonitor    = 0x4000
)

func (m madeLine) method(address uint64, typ, name string) {
	text := func(s string) []uint16 { return append(utf16.Encode([]rune(s)), 0) }
	m.Add(tracetest.Event{Thread: 99, ID: 143, Payload: []any{
		address, uint64(2), address, uint32(0x100), uint32(0), uint32(0), text(typ), text(name), text("void ()"), uint16(0), uint64(0),
	}})
}

// sample adds a sample of thread 1: of managed code without a stack.
func (m madeLine) sample(at uint64, stack ...uint64) {
	kind := uint32(1)
	if stack == nil {
		kind = 2
	}
	m.Add(tracetest.Event{At: at, Thread: 1, Provider: "Microsoft-DotNETCore-SampleProfiler", Stack: stack, Payload: []any{kind}})
}

// wait adds a wait for a handle.
func (m madeLine) wait(from, until uint64, stack ...uint64) { m.waitOf(0, from, until, stack...) }

// waitOf adds a wait with a source: 1 is Monitor.Wait.
func (m madeLine) waitOf(source uint8, from, until uint64, stack ...uint64) {
	m.Add(tracetest.Event{At: from, Thread: 1, ID: 301, Stack: stack, Payload: []any{source, uint64(0), uint16(0)}})
	m.Add(tracetest.Event{At: until, Thread: 1, ID: 302, Payload: []any{uint8(0), uint16(0)}})
}

// locked adds the begin of a contention about a lock of thread 9.
func (m madeLine) locked(at uint64) {
	m.Add(tracetest.Event{At: at, Thread: 1, ID: 81, Payload: []any{uint8(0), uint16(0), uint64(5), uint64(6), uint64(9)}})
}

// unlocked adds its end, with a duration in microseconds.
func (m madeLine) unlocked(at uint64, duration float64) {
	m.Add(tracetest.Event{At: at, Thread: 1, ID: 91, Version: 1, Payload: []any{uint8(0), uint16(0), duration * 1000}})
}

// pause adds a pause of the garbage collector, which a thread makes.
func (m madeLine) pause(thread, from, until uint64) {
	m.Add(tracetest.Event{At: from, Thread: thread, ID: 9, Version: 1, Payload: []any{uint32(1), uint32(1), uint16(0)}})
	m.Add(tracetest.Event{At: until, Thread: thread, ID: 3, Version: 1, Payload: []any{uint16(0)}})
}

// lineOf returns the time line of a thread: "100-200 blocked lock 9", and so on.
func lineOf(t *testing.T, trace []byte, id uint64) []string {
	t.Helper()
	sameProfiles(t, trace, profile.Options{})
	p, err := profile.FromReader(t.Context(), codec.NewBytesReader(trace, codec.Options{}), profile.Options{})
	expect.NoError(t, err)
	var list []string
	for thread, row := range p.Threads() {
		if row.ID != id {
			continue
		}
		for _, s := range p.TimeLine(thread) {
			text := fmt.Sprintf("%d-%d %v %s", s.From, s.Until, s.State, s.Cause)
			if s.Owner != 0 {
				text += fmt.Sprintf(" %d", s.Owner)
			}
			list = append(list, strings.TrimSpace(text))
		}
	}
	return list
}

// TestTimeLineRules has a case for each rule of TimeLine.
func TestTimeLineRules(t *testing.T) {
	for _, c := range []struct {
		name   string
		build  func(madeLine)
		thread uint64
		want   string
	}{
		{"wait", func(m madeLine) { m.wait(100, 300, inHandleWait) }, 1, "100-300 waiting wait handle"},
		{"wait without names", func(m madeLine) { m.wait(100, 300, 0x9000) }, 1, "100-300 waiting unknown"},
		{"wait of an idle thread", func(m madeLine) { m.wait(100, 300, inHandleWait, inTimer) }, 1, "100-300 idle timer"},
		{"wait for a pulse", func(m madeLine) { m.waitOf(1, 100, 300, inMonitor) }, 1, "100-300 waiting monitor"},
		{"lock taken again", func(m madeLine) { m.waitOf(1, 100, 300, inMonitor); m.waitOf(0, 300, 400, 0x9000, inMonitor) }, 1,
			"100-300 waiting monitor, 300-400 blocked lock"},
		{"between waits", func(m madeLine) { m.wait(100, 300, inHandleWait); m.wait(400, 500, inHandleWait) }, 1,
			"100-300 waiting wait handle, 300-400 not sampled, 400-500 waiting wait handle"},
		{"contention", func(m madeLine) { m.locked(100); m.unlocked(300, 250) }, 1, "50-300 blocked lock 9"},
		{"wait in a contention", func(m madeLine) { m.locked(100); m.wait(110, 290, inHandleWait); m.unlocked(300, 200) }, 1, "100-300 blocked lock 9"},
		{"wait in a contention with a shorter duration", func(m madeLine) { m.locked(100); m.wait(110, 290, inHandleWait); m.unlocked(300, 180) }, 1,
			"110-300 blocked lock 9"},
		{"wait in a contention that lasts longer", func(m madeLine) {
			m.locked(100)
			m.Add(tracetest.Event{At: 110, Thread: 1, ID: 301, Payload: []any{uint8(0), uint64(0), uint16(0)}})
			m.unlocked(300, 200)
			m.Add(tracetest.Event{At: 310, Thread: 1, ID: 302, Payload: []any{uint8(0), uint16(0)}})
		}, 1, "100-310 blocked lock 9"},
		{"wait after a contention", func(m madeLine) { m.locked(100); m.unlocked(300, 200); m.wait(300, 400, inHandleWait) }, 1,
			"100-300 blocked lock 9, 300-400 waiting wait handle"},
		{"open contention", func(m madeLine) { m.locked(100); m.sample(500) }, 1, "100-500 blocked lock 9, 500-1500 running"},
		{"samples", func(m madeLine) { m.sample(1000); m.sample(2000, inSleep); m.sample(3000) }, 1,
			"1000-2000 running, 2000-3000 waiting sleep, 3000-4000 running"},
		{"native code", func(m madeLine) { m.sample(1000, 0x9000) }, 1, "1000-2000 native"},
		{"sample in a wait that ends", func(m madeLine) { m.wait(900, 1200, inHandleWait); m.sample(2000) }, 1,
			"900-1200 waiting wait handle, 1200-2000 not sampled, 2000-3000 running"},
		{"rest of a sample in a wait", func(m madeLine) {
			m.Add(tracetest.Event{At: 900, Thread: 1, ID: 301, Stack: []uint64{inHandleWait}, Payload: []any{uint8(0), uint64(0), uint16(0)}})
			m.sample(1000, inHandleWait)
			m.Add(tracetest.Event{At: 1200, Thread: 1, ID: 302, Payload: []any{uint8(0), uint16(0)}})
			m.sample(2000, inSleep)
		}, 1, "900-1200 waiting wait handle, 1200-2000 running, 2000-3000 waiting sleep"},
		{"pause", func(m madeLine) { m.sample(1000); m.pause(2, 1400, 1600); m.sample(2000) }, 1,
			"1000-1400 running, 1400-1600 stopped, 1600-3000 running"},
		{"pause while it waits", func(m madeLine) { m.sample(1000, inSleep); m.pause(2, 1400, 1600); m.sample(2000, inSleep) }, 1, "1000-3000 waiting sleep"},
		{"pause in native code", func(m madeLine) { m.sample(1000, 0x9000); m.pause(2, 1400, 1600) }, 1, "1000-2000 native"},
		{"thread of the pause", func(m madeLine) { m.sample(1000); m.pause(2, 1400, 1600); m.sample(2000) }, 2, "1400-1600 running"},
		{"lost events", func(m madeLine) {
			m.Add(tracetest.Event{At: 100, Thread: 1, ID: 301, Stack: []uint64{inHandleWait}, Payload: []any{uint8(0), uint64(0), uint16(0)}})
			m.Lose(1, 1)
			m.sample(500)
			m.sample(1500)
		}, 1, "500-2500 running"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := madeLine{tracetest.New(wire.V4)}
			m.Add(tracetest.Event{Thread: 99, ID: 187, Payload: []any{uint16(0), uint16(0), uint16(10)}}) // the version of the runtime
			m.method(inHandleWait, "System.Threading.WaitHandle", "WaitOneNoCheck")
			m.method(inSleep, "System.Threading.Thread", "Sleep")
			m.method(inTimer, "System.Threading.TimerQueue", "TimerThread")
			m.method(inMonitor, "System.Threading.Monitor", "Wait")
			c.build(m)
			expect.Equal(t, "time line", strings.Join(lineOf(t, m.Bytes(), c.thread), ", "), c.want)
		})
	}
}

// TestTimeLineSwitches: a thread with context switches runs between them.
func TestTimeLineSwitches(t *testing.T) {
	m := madeLine{tracetest.New(wire.V6)}
	m.Of(7, 1)
	switched := m.Metadata(&codec.Metadata{Provider: "Universal.Events", EventID: 1, Name: "cswitch"})
	for _, s := range []struct{ at, length uint64 }{{100, 50}, {300, 20}} {
		m.Now = s.at
		m.Event(&codec.EventRow{
			MetadataID: switched, CaptureThreadIndex: 1, ThreadIndex: 1, Timestamp: s.at, Processor: wire.UnknownProcessor,
			Payload: []byte{byte(s.length), 0},
		})
	}
	m.pause(1, 200, 250)
	expect.Equal(t, "time line", strings.Join(lineOf(t, m.Bytes(), 1), ", "),
		"100-150 blocked off the processor, 150-300 running, 300-320 blocked off the processor")
}

// TestCover compares the spans of two lists with those that are painted tick by
// tick.
func TestCover(t *testing.T) {
	const ticks = 40
	random := rand.New(rand.NewPCG(1, 2))
	list := func(states ...profile.State) (spans []profile.ThreadSpan) {
		for at := uint64(1); at < ticks; {
			from := at + random.Uint64N(6)
			until := min(from+1+random.Uint64N(6), ticks)
			if from < until {
				spans = append(spans, profile.ThreadSpan{From: from, Until: until, State: states[random.IntN(len(states))]})
			}
			at = until
		}
		return spans
	}
	for range 2000 {
		base, top := list(profile.Running, profile.Native), list(profile.Waiting, profile.Blocked)
		var painted, got [ticks]string
		for _, spans := range [][]profile.ThreadSpan{base, top} {
			paint(&painted, spans)
		}
		covered := profile.Cover(base, top)
		paint(&got, covered)
		expect.Equal(t, fmt.Sprint("states of ", base, top), got, painted)
		for i := range covered {
			if covered[i].From >= covered[i].Until || i > 0 && covered[i].From < covered[i-1].Until {
				t.Fatalf("%v on %v: span %d of %v", top, base, i, covered)
			}
		}
	}
}

// paint sets the state of each tick of some spans.
func paint(ticks *[40]string, spans []profile.ThreadSpan) {
	for _, s := range spans {
		for at := s.From; at < s.Until; at++ {
			ticks[at] = s.State.String()
		}
	}
}
