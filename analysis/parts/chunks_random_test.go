package parts_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unicode/utf16"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
	"github.com/nettrace-go/nettrace/internal/tracetest"
)

const (
	sampler = "Microsoft-DotNETCore-SampleProfiler"
	rundown = "Microsoft-Windows-DotNETRuntimeRundown"
	tasks   = clr.TasksProvider
)

// random makes a trace of events of all parts on a few threads, with many sequence points.
type random struct {
	*rand.Rand
	m       *tracetest.Trace
	at      uint64
	threads uint64
	sampled bool                       // there are no waits but those that samples show, and few losses
	indexed bool                       // threads are rows of a table
	held    map[uint64]tracetest.Event // the last sample of each thread
}

// newRandom returns an empty trace.
func newRandom(seed uint64, format wire.Format, threads uint64, sampled bool) *random {
	r := &random{rand.New(rand.NewPCG(seed, 1)), tracetest.New(format), 1000, threads, sampled, format.HasThreadTable(), map[uint64]tracetest.Event{}}
	if format.HasThreadTable() {
		for thread := range threads {
			r.m.Of(7+thread%2, 1+thread)
		}
	}
	return r
}

// addresses returns a stack; there are few.
func (r *random) addresses() []uint64 {
	stacks := [][]uint64{{0x1010, 0x3010, 0x4010}, {0x2010, 0x3010, 0x4010}, {0x3020, 0x4010}, {0x1010, 0x4010}, nil}
	return stacks[r.IntN(len(stacks))]
}

// units returns a text of a payload.
func units(s string) []uint16 { return append(utf16.Encode([]rune(s)), 0) }

// one returns a text of a payload that is one of a few.
func (r *random) one(texts ...string) []uint16 { return units(texts[r.IntN(len(texts))]) }

// name adds the names of a method, as at its load or in a rundown.
func (r *random) name(provider string, id uint32) {
	for module, path := range []string{"/usr/System.Private.CoreLib.dll", "/app/App.dll"} {
		r.m.Add(tracetest.Event{At: r.at, Thread: 1, ID: 152, Payload: []any{
			uint64(module), uint64(module), uint32(0), uint32(0), units(path), units(""), uint16(0),
		}})
	}
	for i, name := range []string{"InternalWaitCore", "WaitOneNoCheck", "Work", "WorkerThreadStart"} {
		typ := []string{"System.Threading.Tasks.Task", "System.Threading.WaitHandle", "App.Program", "System.Threading.PortableThreadPool+WorkerThread"}[i]
		r.m.Add(tracetest.Event{At: r.at, Thread: 1 + r.Uint64N(r.threads), Provider: provider, ID: id, Version: 1, Payload: []any{
			uint64(i + 1), []uint64{0, 0, 1, 0}[i], uint64(0x1000 * (i + 1)), uint32(0x100), uint32(0), uint32(0), units(typ), units(name), units("void ()"), uint16(0),
		}})
	}
}

// event adds some event.
func (r *random) event() {
	r.at += r.Uint64N(2000)
	thread := 1 + r.Uint64N(r.threads)
	native := func(id uint32, fields ...any) tracetest.Event {
		return tracetest.Event{At: r.at, Thread: thread, ID: id, Stack: r.addresses(), Payload: fields}
	}
	var ev tracetest.Event
	choice := r.IntN(29)
	if rare := choice < 15 && choice != 7 || choice > 15 && choice < 20; rare && r.sampled && (choice == 4 || choice == 13 || r.IntN(200) > 0) {
		choice = 20
	}
	switch choice {
	case 0:
		ev = native(55, float64(1), uint32(r.IntN(9)), []uint32{6, 8, 3}[r.IntN(3)], uint16(0))
	case 1, 2:
		ev = native(57, uint32(1), uint32(0), uint16(0))
	case 3:
		ev = native([]uint32{50, 51}[r.IntN(2)], uint32(1), uint32(0), uint16(0))
	case 4:
		ev = native([]uint32{301, 302}[r.IntN(2)], uint8(r.IntN(2)), uint64(0), uint16(0))
	case 5:
		ev = native(81, uint8(0), uint16(0), uint64(1), uint64(r.IntN(3)), r.Uint64N(r.threads+1))
	case 6:
		ev = native(91, uint8(0), uint16(0), float64(1000))
	case 7, 8, 9:
		ev = native([]uint32{9, 8, 7, 3}[r.IntN(4)], uint32(r.IntN(2)), uint32(1), uint16(r.IntN(2)))
	case 10:
		ev = native([]uint32{1, 2, 4, 35}[r.IntN(4)], uint32(r.IntN(5)), uint32(0), uint32(0), uint32(0), uint16(0))
	case 11:
		ev = native(10, uint32(100_000), uint32(r.IntN(4)), uint16(r.IntN(2)), uint64(r.IntN(4))*r.Uint64N(300_000))
		if r.IntN(4) > 0 {
			ev.Payload = append(ev.Payload, uint64(0), r.one("System.String", "App.\U0001f600", ""), uint32(0), uint64(0), r.Uint64N(200_000))
		}
	case 12:
		ev = native([]uint32{283, 284, 145, 80}[r.IntN(4)], uint32(1), uint64(0))
	case 13:
		ev = native([]uint32{10, 11}[r.IntN(2)], uint32(1), uint32(0), uint32(5), uint32(1), uint32(0))
		ev.Provider = tasks
	case 14:
		r.m.Lose(thread, 1+r.Uint32N(3))
		return
	case 15:
		ev = native([]uint32{3, 4}[r.IntN(2)], []uint16{'G', 0, '/', 0})
		ev.Provider = clr.HostingProvider
		if !r.indexed {
			ev.Activity = wire.GUID{byte(1 + r.IntN(20))}
		}
	case 16:
		ev = native(303, uint32(r.IntN(4)), uint16(0), uint64(0), r.one("System.Byte[]", "App.Order"), uint64(0), uint64(r.IntN(4))*r.Uint64N(200_000))
	case 17, 18:
		ev = native(80, r.one("System.Exception", "App.Failure"), r.one("order 1 failed", "order 2 failed", "", "no order"), uint64(0), uint32(0), uint16(r.IntN(4)), uint16(0))
		if r.IntN(10) == 0 {
			ev.Payload = ev.Payload[:r.IntN(len(ev.Payload))]
		}
		if !r.indexed {
			ev.Activity = wire.GUID{byte(r.IntN(20))}
		}
	case 19:
		method := r.one("App.Program::Main()", "System.Threading.Thread::StartCallback(class Object)")
		ev = native([]uint32{250, 250, 254, 255, 256}[r.IntN(5)], uint64(0), uint64(0), method, uint16(0))
	default: // samples, whose stacks often are those before
		ev = tracetest.Event{Provider: sampler, Stack: r.addresses(), Payload: []any{uint32(1 + r.IntN(4)/3)}}
		if have, ok := r.held[thread]; ok && r.IntN(4) > 0 {
			ev = have
		}
		r.held[thread] = ev
		ev.At, ev.Thread, ev.Capture = r.at, thread, r.threads
	}
	r.m.Add(ev)
}

// bytes returns a trace of some events.
func (r *random) bytes(events int) []byte {
	point := func() {
		r.m.SequencePoint(r.at, 0)
		r.at -= min(r.Uint64N(3)/2*500, r.at) // some points are too early
	}
	r.name("", 143)
	for i := range events {
		r.event()
		if i%60 == 59 {
			point()
		}
		if i%1000 == 999 {
			r.name(rundown, 144)
			point()
		}
	}
	return r.m.Bytes()
}

// TestChunksOfRandomTraces: the reports of random traces are the same whether one goroutine reads
// them or several do.
func TestChunksOfRandomTraces(t *testing.T) {
	traces := 40
	switch {
	case tier.Check:
		traces = 250
	case shared.Race:
		traces = 6 // one of each kind of the switch below
	}
	for seed := range traces {
		for _, format := range []wire.Format{wire.V4, wire.V6} {
			t.Run(fmt.Sprint(format, " ", seed), func(t *testing.T) {
				b := newRandom(uint64(seed), format, 1+uint64(seed%7), seed%2 == 0).bytes(3000)
				expect.Equal(t, "several goroutines read", sameReports(t, b, analysis.Limits{}), true)
				switch seed % 6 { // those with few samples
				case 1:
					sameReports(t, b[:len(b)/4*3], analysis.Limits{})
				case 3:
					sameReports(t, b, analysis.Limits{Symbols: 20, Stacks: 3})
				case 5:
					sameReports(t, b, analysis.Limits{Symbols: 200, Stacks: 3, Rows: 5})
				}
			})
		}
	}
}

// TestChunksOfManyThreads: the same for traces with more threads than the parts know.
func TestChunksOfManyThreads(t *testing.T) {
	for _, c := range []struct {
		threads uint64
		sampled bool
	}{{600, false}, {5000, false}, {20_000, true}} {
		t.Run(fmt.Sprint(c.threads), func(t *testing.T) {
			if !tier.Check && c.threads > 5000 {
				t.Skip("make check runs it")
			}
			b := newRandom(1, wire.V4, c.threads, c.sampled).bytes(max(3000, int(c.threads)*5/2))
			expect.Equal(t, "several goroutines read", sameReports(t, b, analysis.Limits{}), true)
			sameReports(t, b, analysis.Limits{Threads: 300})
		})
	}
}
