//go:build unix

package stack

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
)

// samplerOf returns the sampler of a runtime that sends a trace.
func samplerOf(t *testing.T, cfg eventpipetest.Config) (*eventpipetest.Runtime, *sampler) {
	t.Helper()
	r := eventpipetest.Start(t, cfg)
	return r, &sampler{&attach.Process{Client: eventpipe.NewClient(r.Address())}, 100 * time.Millisecond, []time.Duration{time.Millisecond, 2 * time.Millisecond}}
}

// TestTakeFails: a process without a sample is reported with the reason.
func TestTakeFails(t *testing.T) {
	data := shared.Trace(t, "net10-empty.v4")
	for _, c := range []struct {
		name string
		cfg  eventpipetest.Config
		want error
	}{
		{"suspended", eventpipetest.Config{Suspended: true}, errSuspended},
		{"no frames", eventpipetest.Config{Trace: eventpipetest.Trace{Data: data}}, errNoFrames},
		{"killed", eventpipetest.Config{Trace: eventpipetest.Trace{Data: data, TruncateAfter: 200}}, errEnded},
		{"hangs", eventpipetest.Config{Trace: eventpipetest.Trace{Data: data}, Faults: map[eventpipe.Command]eventpipetest.Fault{eventpipe.StopTracing: eventpipetest.Silent()}}, errHangs},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, m := samplerOf(t, c.cfg)
			if _, err := m.take(t.Context()); !errors.Is(err, c.want) {
				t.Errorf("error: got %v, want %v", err, c.want)
			}
		})
	}
}

// TestRequests: a session has the sample profiler, and a short rundown where it can be
// chosen. Without samples a longer session follows.
func TestRequests(t *testing.T) {
	for release, want := range map[int]uint64{10: rundown, 8: 0} {
		t.Run(strconv.Itoa(release), func(t *testing.T) {
			r, m := samplerOf(t, eventpipetest.Config{Release: release, Trace: eventpipetest.Trace{Data: shared.Trace(t, "net10-empty.v4")}})
			_, _ = m.take(t.Context()) // TestTakeFails has its error
			expect.Len(t, "sessions", r.Sessions(), 2)
			cfg := r.Sessions()[1].Config
			expect.Equal(t, "rundown", cfg.RundownKeyword, want)
			expect.Len(t, "providers", cfg.Providers, 1)
			expect.Equal(t, "provider", cfg.Providers[0].Name, provider)
		})
	}
}

// TestDeadlock: each thread that the program printed, with a lock or without one, is
// blocked in the method that it named. The threads with equal stacks are one group.
func TestDeadlock(t *testing.T) {
	_, m := samplerOf(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: shared.TruthFile(t, "deadlock.v4.nettrace.zst")}})
	s, err := m.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	owners := 0
	for line := range bytes.Lines(shared.TruthFile(t, "deadlock.truth.ndjson")) {
		var truth struct {
			Thread      uint64
			Name, Holds string
			Since       int64
		}
		if err := json.Unmarshal(line, &truth); err != nil {
			t.Fatal(err)
		}
		if truth.Since == 0 {
			continue
		}
		t.Run(truth.Name, func(t *testing.T) {
			method := "Deadlock.WantOnly"
			if truth.Holds != "" {
				owners++
				method = "Deadlock.HoldAndWant"
			}
			g := groupWith(s, truth.Thread)
			if g == nil {
				t.Fatalf("thread %d is not in the sample", truth.Thread)
			}
			expect.Equal(t, "state", g.stateText(), "blocked (lock)")
			if !slices.ContainsFunc(g.methods, func(id profile.FunctionID) bool { return strings.HasPrefix(s.prof.Function(id).Name, method) }) {
				t.Errorf("no frame has the method %s", method)
			}
		})
	}
	expect.Equal(t, "owners", owners, 5)
	expect.Len(t, "threads of the largest group", s.groups[0].threads, 5)
}

// groupWith returns the group of a thread, or nil.
func groupWith(s *sample, id uint64) *group {
	for i := range s.groups {
		if slices.ContainsFunc(s.groups[i].threads, func(t thread) bool { return t.id == id }) {
			return &s.groups[i]
		}
	}
	return nil
}
