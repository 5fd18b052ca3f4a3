//go:build unix

package agent

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/analysis/trigger"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
)

// TestFiltered: the session has only events of which profiles are made where the
// runtime can filter, unless there are rules, which can be about any event.
func TestFiltered(t *testing.T) {
	rule, err := trigger.Parse("ExceptionThrown")
	expect.NoError(t, err)
	for _, c := range []struct {
		name, version string
		rules         []*trigger.Rule
		want          []uint32
	}{
		{".NET 9", "9.0.1", nil, nil},
		{".NET 10", "10.0.1", nil, profiledEvents},
		{"rules", "10.0.1", []*trigger.Rule{rule}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLife(newAgent(&log{}, Options{Rules: c.rules}), eventpipe.Process{})
			l.info = &eventpipe.ProcessInfo{Version: c.version}
			cfg := eventpipe.SessionConfig{Providers: []eventpipe.Provider{{Name: provider.Runtime}, {Name: "other"}}}
			got := (&events{}).filtered(cfg, l)
			var ids []uint32
			if f := got.Providers[0].Filter; f != nil {
				expect.Equal(t, "deny", f.Deny, false)
				ids = f.IDs
			}
			expect.Slices(t, "events", ids, c.want)
			expect.Equal(t, "the other provider is filtered", got.Providers[1].Filter != nil, false)
			expect.Equal(t, "the given configuration is filtered", cfg.Providers[0].Filter != nil, false)
		})
	}
}

// TestProfiledEvents: the filter leaves no event out of which a profile is made.
func TestProfiledEvents(t *testing.T) {
	made := map[profile.Type]bool{}
	for _, k := range (&Options{Kinds: AllKinds()}).eventKinds() {
		made[kinds[k].of] = true
	}
	var want []uint32
	for id := range uint32(1000) {
		if made[profile.EventType(&codec.Metadata{Provider: provider.Runtime, EventID: id})] {
			want = append(want, id)
		}
	}
	expect.Slices(t, "events", slices.Sorted(slices.Values(profiledEvents)), want)
}

// TestObserverAllocations: an event that is no counter allocates nothing.
func TestObserverAllocations(t *testing.T) {
	selection, err := counters.ParseSelection("System.Runtime")
	expect.NoError(t, err)
	l := newLife(newAgent(&log{}, Options{Counters: selection}), eventpipe.Process{})
	see := (&events{}).observer(l)
	r := codec.NewReader(bytes.NewReader(shared.Trace(t, "net10-deep.v4")), codec.Options{})
	ev, ok := r.Next()
	expect.Equal(t, "the trace has an event", ok, true)
	expect.Equal(t, "allocations", testing.AllocsPerRun(100, func() { see(ev) }), 0)
}

// TestCountersAlone: without kinds of profiles the agent starts one session, which keeps
// no names.
func TestCountersAlone(t *testing.T) {
	selection, err := counters.ParseSelection("System.Runtime")
	expect.NoError(t, err)
	fake := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: shared.Trace(t, "net10-empty.v4")}})
	ctx, cancel := context.WithCancel(t.Context())
	a := newAgent(&log{onAttached: cancel}, Options{Kinds: []Kind{}, Counters: selection})
	expect.NoError(t, newLife(a, eventpipe.Process{Address: fake.Address()}).run(ctx))
	sessions := 0
	for _, r := range fake.Requests() {
		if r.Command >= eventpipe.CollectTracing2 && r.Command <= eventpipe.CollectTracing5 {
			sessions++
		}
	}
	expect.Equal(t, "sessions", sessions, 1)
}
