package runtimes_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tracetest"
	"github.com/nettrace-go/nettrace/model/runtimes"
)

const rundown = "Microsoft-Windows-DotNETRuntimeRundown"

// threadsOf adds events: the version of the runtime, and threads in the order of the list.
func threadsOf(t *testing.T, version uint16, list ...tracetest.Event) *runtimes.Threads {
	t.Helper()
	m := tracetest.New(wire.V4)
	if version > 0 {
		m.Add(tracetest.Event{At: 1, Thread: 1, ID: 187, Payload: []any{uint16(0), uint16(2), version}})
	}
	for _, ev := range list {
		m.Add(ev)
	}
	threads := runtimes.NewThreads()
	for ev, err := range codec.NewBytesReader(m.Bytes(), codec.Options{}).Events() {
		expect.NoError(t, err)
		if runtimes.IsThread(ev.Metadata()) {
			threads.Add(ev)
		}
	}
	return threads
}

// thread returns an event about a thread, with its address 10 times its id.
func thread(at uint64, id uint32, provider string, managed, os uint32) tracetest.Event {
	return tracetest.Event{At: at, Thread: 1, Provider: provider, ID: id,
		Payload: []any{uint64(os) * 10, uint64(0), uint32(0), managed, os, uint16(0)}}
}

func created(at uint64, managed, os uint32) tracetest.Event { return thread(at, 85, "", managed, os) }
func atEnd(managed, os uint32) tracetest.Event              { return thread(900, 159, rundown, managed, os) }
func ended(at uint64, os uint32) tracetest.Event {
	return tracetest.Event{At: at, Thread: 1, ID: 86, Payload: []any{uint64(os) * 10, uint64(0), uint16(0)}}
}

// TestOwner has a case for each rule of Owner. The lock has the owner 7 at 500.
func TestOwner(t *testing.T) {
	list := func(list ...tracetest.Event) []tracetest.Event { return list }
	for _, c := range []struct {
		name    string
		version uint16
		events  []tracetest.Event
		seen    uint64 // first event of thread 70
		want    uint64
		why     runtimes.Why
	}{
		{"before 11", 10, nil, 0, 7, runtimes.Known},
		{"Core 3.1, which calls itself 4", 4, nil, 0, 7, runtimes.Known},
		{"version unknown", 0, list(created(100, 7, 70)), 0, 0, runtimes.NoVersion},
		{"created", 11, list(created(100, 7, 70)), 0, 70, runtimes.Known},
		{"the last one created before", 11, list(created(600, 7, 90), created(300, 7, 80), created(100, 7, 70)), 0, 80, runtimes.Known},
		{"created after", 11, list(created(600, 7, 70), atEnd(7, 70)), 0, 0, runtimes.NoThread},
		{"ended", 11, list(created(100, 7, 70), ended(400, 70)), 0, 0, runtimes.NoThread},
		{"ended after", 11, list(created(100, 7, 70), ended(600, 70)), 0, 70, runtimes.Known},
		{"older than the session", 11, list(created(100, 8, 80), atEnd(7, 70)), 0, 70, runtimes.Known},
		{"rundown alone", 11, list(atEnd(7, 70)), 400, 70, runtimes.Known},
		{"rundown alone, seen after", 11, list(atEnd(7, 70)), 600, 0, runtimes.NoThread},
		{"rundown alone, not seen", 11, list(atEnd(7, 70)), 0, 0, runtimes.NoThread},
		{"nothing", 11, nil, 0, 0, runtimes.NoThread},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, why := threadsOf(t, c.version, c.events...).Owner(7, 500, func(thread uint64) (uint64, bool) {
				return c.seen, thread == 70 && c.seen > 0
			})
			expect.Equal(t, "thread", got, c.want)
			expect.Equal(t, "reason", why, c.why)
			expect.Equal(t, "the reason has a text", why.String() != "", why != runtimes.Known)
		})
	}
}

// TestVersions: what the versions of the runtime do.
func TestVersions(t *testing.T) {
	for _, c := range []struct {
		version                                     runtimes.Version
		hides, again, leaves, waits, joins, oneType bool
	}{
		{version: runtimes.Unknown, waits: true, joins: true},
		{version: runtimes.Core3, again: true, leaves: true},
		{version: 8, again: true, leaves: true},
		{version: 9, waits: true, joins: true, oneType: true},
		{version: 10, waits: true, joins: true},
		{version: 11, hides: true, waits: true},
		{version: 12, hides: true, waits: true},
	} {
		v := c.version
		got := []bool{v.HidesLocks(), v.ThrowsAgain(), v.LeavesFilters(), v.HasWaits(), v.JoinsAreWaits(), v.OneSampleType()}
		want := []bool{c.hides, c.again, c.leaves, c.waits, c.joins, c.oneType}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("version %d: got %v, want %v", v, got, want)
				break
			}
		}
	}
}
