package profile_test

import (
	"context"
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/profile"
)

// Providers of the made traces.
const (
	runtimeEvents = "Microsoft-Windows-DotNETRuntime"
	sampleEvents  = "Microsoft-DotNETCore-SampleProfiler"
	rundownEvents = "Microsoft-Windows-DotNETRuntimeRundown"
	samplerID     = 900
)

// makingTrace makes a small trace. Times are in microseconds.
type makingTrace struct {
	*gen.Builder
	types map[metadataKey]uint32
	leaf  uint64 // id of the following stacks; 0 for none
}

type metadataKey struct {
	provider string
	id       uint32
}

func makeTrace(format wire.Format, properties ...codec.KeyValue) *makingTrace {
	head := codec.Trace{SyncTicks: 0, TickFrequency: 1e6, PointerSize: 8, Properties: properties}
	return &makingTrace{Builder: gen.NewBuilder(gen.BuilderOptions{Format: format, Trace: head}), types: map[metadataKey]uint32{}}
}

// event adds an event of a thread that another one logs.
func (m *makingTrace) event(at uint64, provider string, id uint32, capture, thread uint64, payload ...byte) {
	key := metadataKey{provider, id}
	if m.types[key] == 0 {
		m.types[key] = m.Metadata(&codec.Metadata{Provider: provider, EventID: id, Version: 2, Level: 4})
	}
	stack := []uint64{thread, 0x1000 + uint64(id)}
	if m.leaf > 0 {
		stack = append([]uint64{m.leaf}, stack...)
	}
	m.Now = at
	m.Event(&codec.EventRow{
		MetadataID: m.types[key], CaptureThreadIndex: capture, ThreadIndex: thread, Timestamp: at, Payload: payload,
		StackID: m.Stack(stack), Processor: wire.UnknownProcessor,
	})
}

// on adds an event that a thread logs about itself.
func (m *makingTrace) on(at uint64, id uint32, thread uint64, payload ...byte) {
	m.event(at, runtimeEvents, id, thread, thread, payload...)
}

func (m *makingTrace) sample(at, thread uint64) {
	m.event(at, sampleEvents, 0, samplerID, thread, 2, 0, 0, 0)
}

func (m *makingTrace) read(t *testing.T, opt profile.Options) *profile.Profile {
	t.Helper()
	sameProfiles(t, m.Trace().Bytes(), opt)
	p, err := profile.FromReader(context.Background(), codec.NewBytesReader(m.Trace().Bytes(), codec.Options{}), opt)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Events and payloads of the runtime.
const (
	gcRestarted   = 3
	gcSuspending  = 9
	contention    = 81
	contentionEnd = 91
	waitStart     = 301
	waitEnd       = 302
)

var forGC = []byte{1, 0, 0, 0, 1, 0, 0, 0, 0, 0}

// lasted is the payload of an end of a contention with its duration.
func lasted(micros float64) []byte {
	b := make([]byte, 3, 11)
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(micros*1e3))
}

// span is the time that a sample covers.
type span struct {
	from, length int64 // microseconds
	unfinished   bool
}

func spans(p *profile.Profile, of profile.Type) []span {
	var list []span
	for s := range p.Samples(of) {
		unfinished := slices.ContainsFunc(p.Labels(&s), func(l profile.Label) bool { return l.Key == "unfinished" && l.Text == "true" })
		if unfinished != s.Unfinished {
			list = append(list, span{-1, -1, unfinished})
		}
		list = append(list, span{int64(s.Ticks), s.Value / 1e3, s.Unfinished})
	}
	return list
}

// TestDurations checks the times of waits, contentions and pauses: nested and
// unfinished ones, and their parts in windows.
func TestDurations(t *testing.T) {
	first := func(m *makingTrace) { m.on(100, 0xfff, 1) }
	for _, c := range []struct {
		name   string
		format wire.Format
		head   []codec.KeyValue
		make   func(*makingTrace)
		of     profile.Type
		in     codec.TimeRange
		want   []span
	}{
		{
			name: "a wait", of: profile.Wait, want: []span{{200, 300, false}},
			make: func(m *makingTrace) { m.on(200, waitStart, 1); m.on(500, waitEnd, 1) },
		},
		{
			name: "nested waits", of: profile.Wait, want: []span{{200, 700, false}, {300, 100, false}},
			make: func(m *makingTrace) {
				m.on(200, waitStart, 1)
				m.on(300, waitStart, 1)
				m.on(400, waitEnd, 1)
				m.on(900, waitEnd, 1)
			},
		},
		{
			name: "nested contentions", of: profile.Lock, want: []span{{190, 710, false}, {300, 100, false}},
			make: func(m *makingTrace) {
				m.on(200, contention, 1)
				m.on(300, contention, 1)
				m.on(400, contentionEnd, 1, lasted(100)...)
				m.on(900, contentionEnd, 1, lasted(710)...)
			},
		},
		{
			name: "a wait that has not ended", of: profile.Wait, want: []span{{200, 800, true}},
			make: func(m *makingTrace) { m.on(200, waitStart, 1); m.on(1000, 0xfff, 2) },
		},
		{
			name: "a nested wait that has not ended", of: profile.Wait, want: []span{{200, 800, true}, {300, 100, false}},
			make: func(m *makingTrace) {
				m.on(200, waitStart, 1)
				m.on(300, waitStart, 1)
				m.on(400, waitEnd, 1)
				m.on(1000, 0xfff, 2)
			},
		},
		{
			name: "a contention that has not ended", of: profile.Lock, want: []span{{200, 800, true}},
			make: func(m *makingTrace) { m.on(200, contention, 1); m.on(1000, 0xfff, 2) },
		},
		{
			name: "a pause that has not ended", of: profile.GC, want: []span{{200, 800, true}},
			make: func(m *makingTrace) { m.on(200, gcSuspending, 1, forGC...); m.on(1000, 0xfff, 2) },
		},
		{
			name: "two suspensions before the restart", of: profile.GC, want: []span{{300, 200, false}},
			make: func(m *makingTrace) {
				m.on(200, gcSuspending, 1, forGC...)
				m.on(300, gcSuspending, 1, forGC...)
				m.on(500, gcRestarted, 1)
			},
		},
		{
			name: "the recording ends where the rundown begins", of: profile.Wait, want: []span{{200, 4800, true}},
			make: func(m *makingTrace) {
				m.on(200, waitStart, 1)
				m.on(1000, 0xfff, 2)
				m.event(5000, rundownEvents, 146, 3, 3)
				m.event(9000, rundownEvents, 146, 3, 3)
			},
		},
		{
			name: "a rundown at the beginning", of: profile.Wait, want: []span{{200, 800, true}},
			make: func(m *makingTrace) {
				m.event(100, rundownEvents, 146, 3, 3)
				m.on(200, waitStart, 1)
				m.on(1000, 0xfff, 2)
			},
		},
		{
			name: "waits before lost events", of: profile.Wait, want: []span{{500, 100, false}},
			make: func(m *makingTrace) {
				m.on(200, waitStart, 1)
				m.on(210, waitStart, 1)
				m.Lose(1, 3)
				m.on(500, waitStart, 1)
				m.on(600, waitEnd, 1)
				m.on(900, waitEnd, 1)
			},
		},
		{
			name: "a pause before lost events", of: profile.GC, want: nil,
			make: func(m *makingTrace) {
				m.on(200, gcSuspending, 1, forGC...)
				m.Lose(1, 3)
				m.on(900, gcRestarted, 1)
			},
		},
		{
			name: "events lost before the last sequence point", of: profile.Wait, want: []span{{200, 700, true}},
			make: func(m *makingTrace) {
				m.on(200, waitStart, 1)
				m.on(200, waitStart, 2)
				m.Lose(1, 1)
				m.SequencePoint(300, 0)
				m.on(900, 0xfff, 3)
			},
		},
		{
			name: "a wait whose end may be lost", of: profile.Wait, want: nil,
			make: func(m *makingTrace) {
				m.on(200, waitStart, 1)
				m.Lose(1, 3)
				m.on(900, 0xfff, 1)
				m.on(1000, 0xfff, 2)
			},
		},
		{
			name: "losses of another thread", of: profile.Wait, want: []span{{200, 800, true}},
			make: func(m *makingTrace) {
				m.on(200, waitStart, 1)
				m.on(300, 0xfff, 2)
				m.Lose(2, 3)
				m.on(1000, 0xfff, 2)
			},
		},
		{
			name: "a contention that began before the trace", of: profile.Lock, want: []span{{50, 250, false}},
			make: func(m *makingTrace) { m.on(300, contentionEnd, 1, lasted(250)...) },
		},
		{
			name: "a window in a wait", of: profile.Wait, in: window(300, 400), want: []span{{300, 100, false}},
			make: func(m *makingTrace) { m.on(200, waitStart, 1); m.on(500, waitEnd, 1) },
		},
		{
			name: "a window in a contention", of: profile.Lock, in: window(300, 400), want: []span{{300, 100, false}},
			make: func(m *makingTrace) { m.on(200, contention, 1); m.on(500, contentionEnd, 1, lasted(300)...) },
		},
		{
			name: "a window in a pause", of: profile.GC, in: window(300, 400), want: []span{{300, 100, false}},
			make: func(m *makingTrace) { m.on(200, gcSuspending, 1, forGC...); m.on(500, gcRestarted, 1) },
		},
		{
			name: "a window that begins in a wait", of: profile.Wait, in: since(300), want: []span{{300, 200, false}},
			make: func(m *makingTrace) { m.on(200, waitStart, 1); m.on(500, waitEnd, 1) },
		},
		{
			name: "a window after a wait", of: profile.Wait, in: since(500), want: nil,
			make: func(m *makingTrace) { m.on(200, waitStart, 1); m.on(500, waitEnd, 1) },
		},
		{
			name: "a window in a wait that has not ended", of: profile.Wait, in: window(300, 400), want: []span{{300, 100, true}},
			make: func(m *makingTrace) { m.on(200, waitStart, 1); m.on(1000, 0xfff, 2) },
		},
		{
			name: "the end of a slice", of: profile.Wait, want: []span{{200, 500, true}},
			head: []codec.KeyValue{{Key: codec.SliceToKey, Value: "700"}}, format: wire.V6,
			make: func(m *makingTrace) {
				m.on(200, waitStart, 1)
				m.on(600, 0xfff, 2)
				m.event(5000, rundownEvents, 146, 3, 3)
			},
		},
		{
			name: "the beginning of a slice", of: profile.Lock, want: []span{{150, 150, false}},
			head: []codec.KeyValue{{Key: codec.SliceFromKey, Value: "150"}, {Key: codec.SliceToKey, Value: "700"}}, format: wire.V6,
			make: func(m *makingTrace) { m.on(300, contentionEnd, 1, lasted(250)...) },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.format.IsZero() {
				c.format = wire.V4
			}
			m := makeTrace(c.format, c.head...)
			if c.format == wire.V6 {
				for _, id := range []uint64{1, 2, 3} {
					m.Thread(&codec.Thread{Index: id, ThreadID: id, HasThreadID: true, ProcessID: 7, HasProcessID: true})
				}
			}
			first(m)
			c.make(m)
			if got := spans(m.read(t, profile.Options{Time: c.in}), c.of); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// TestCountUnfinished counts the samples of a type that are unfinished.
func TestCountUnfinished(t *testing.T) {
	p := read(t, "net10-mix-locks.v4", profile.Options{})
	for _, of := range []profile.Type{profile.Wait, profile.Lock, profile.Wall} {
		t.Run(of.String(), func(t *testing.T) {
			n := int64(0)
			for s := range p.Samples(of) {
				if s.Unfinished {
					n++
				}
			}
			expect.Equal(t, "unfinished", p.CountUnfinished(of), n)
		})
	}
	expect.Equal(t, "open waits", p.CountUnfinished(profile.Wait), 3)
}
