package model

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestNoAllocation: an event that no part needs allocates nothing.
func TestNoAllocation(t *testing.T) {
	r := codec.NewBytesReader(shared.Trace(t, "net10-mix-cpu.v4"), codec.Options{})
	header, err := r.Trace()
	expect.NoError(t, err)
	d := &dispatcher{trace: newTrace(header, Limits{}.withDefaults(), nil)}
	d.losses.init(d.trace)
	ev, ok := r.Next()
	for ok && ev.Provider() != "Microsoft-DotNETCore-SampleProfiler" {
		ev, ok = r.Next()
	}
	if !ok {
		t.Fatal("no sample in the trace")
	}
	d.event(ev)
	expect.Equal(t, "allocations", testing.AllocsPerRun(100, func() { d.event(ev) }), 0.0)
}

// TestNewRoute: a row has the handlers of its own events, whatever its id.
func TestNewRoute(t *testing.T) {
	const id = 1 << 31
	d := &dispatcher{trace: newTrace(&codec.Trace{}, Limits{}.withDefaults(), nil)}
	m := &codec.Metadata{Provider: clr.RuntimeProvider, EventID: 143}
	for range 2 {
		expect.Len(t, "handlers of a naming event", d.route(id, m).handlers, 1)
	}
	other := &codec.Metadata{Provider: "Contoso", EventID: 1}
	expect.Len(t, "handlers of a row with the same id", d.route(id, other).handlers, 0)
	expect.Equal(t, "route of events without metadata", d.route(id, nil), &d.unnamed)
}

// TestSteps: which steps of the sequence numbers of a thread mean a loss.
func TestSteps(t *testing.T) {
	one, same, other := &codec.Thread{ThreadID: 1}, &codec.Thread{ThreadID: 1}, &codec.Thread{ThreadID: 2}
	for _, c := range []struct {
		name     string
		from, to lastEvent
		indexed  bool
		want     bool
	}{
		{"the first event", lastEvent{}, lastEvent{sequence: 1}, false, false},
		{"the first one in the trace", lastEvent{}, lastEvent{sequence: 9}, false, true},
		{"one without a number", lastEvent{}, lastEvent{sequence: 0}, false, false},
		{"the next number", lastEvent{sequence: 4, round: 1}, lastEvent{sequence: 5}, false, false},
		{"a gap", lastEvent{sequence: 4, round: 1}, lastEvent{sequence: 6}, false, true},
		{"the same number", lastEvent{sequence: 4, round: 1}, lastEvent{sequence: 4}, false, false},
		{"a lower number", lastEvent{sequence: 4, round: 1}, lastEvent{sequence: 3}, false, false},
		{"wrap-around", lastEvent{sequence: 1<<32 - 1, round: 1}, lastEvent{sequence: 0}, false, false},
		{"another thread with the id", lastEvent{sequence: 4, round: 1}, lastEvent{sequence: 1}, false, true},
		{"1 in v6", lastEvent{row: one, sequence: 4, round: 1}, lastEvent{row: one, sequence: 1}, true, false},
		{"the row again", lastEvent{row: one, sequence: 4, round: 1}, lastEvent{row: same, sequence: 5}, true, false},
		{"another row", lastEvent{row: one, sequence: 4, round: 1}, lastEvent{row: other, sequence: 5}, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := losses{indexed: c.indexed}
			last := c.from
			expect.Equal(t, "lost", l.next(&last, c.to), c.want)
			expect.Equal(t, "number", last.sequence, c.to.sequence)
		})
	}
}
