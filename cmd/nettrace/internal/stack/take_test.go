//go:build unix

package stack

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
)

// samplerOf returns the sampler of a runtime that sends a trace. It has so much patience
// that a stall of the machine is no failure.
func samplerOf(t *testing.T, cfg eventpipetest.Config) (*eventpipetest.Runtime, *sampler) {
	t.Helper()
	r := eventpipetest.Start(t, cfg)
	return r, &sampler{&attach.Process{Client: eventpipe.NewClient(r.Address())}, proctest.Patience, []time.Duration{time.Millisecond, 2 * time.Millisecond}}
}

// TestTakeFails: a process without a sample is reported with the reason.
func TestTakeFails(t *testing.T) {
	data := shared.Trace(t, "net10-empty.v4")
	silent := map[eventpipe.Command]eventpipetest.Fault{eventpipe.StopTracing: eventpipetest.Silent()}
	const short = 100 * time.Millisecond // the process sends nothing, so that this time always passes
	for _, c := range []struct {
		name     string
		cfg      eventpipetest.Config
		patience time.Duration
		want     error
	}{
		{"suspended", eventpipetest.Config{Suspended: true}, proctest.Patience, errSuspended},
		{"no frames", eventpipetest.Config{Trace: eventpipetest.Trace{Data: data}}, proctest.Patience, errNoFrames},
		{"killed", eventpipetest.Config{Trace: eventpipetest.Trace{Data: data, TruncateAfter: 200}}, proctest.Patience, errEnded},
		{"hangs", eventpipetest.Config{Trace: eventpipetest.Trace{Data: data}, Faults: silent}, short, errHangs},
		{"hangs without a byte", eventpipetest.Config{Suspended: true, Faults: silent}, short, errHangs},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, m := samplerOf(t, c.cfg)
			m.patience = c.patience
			if _, err := m.take(t.Context()); !errors.Is(err, c.want) {
				t.Errorf("error: got %v, want %v", err, c.want)
			}
		})
	}
}

// TestTimeout: --timeout bounds a sample of a process that takes no session, and of one that
// sends without end.
func TestTimeout(t *testing.T) {
	data := shared.Trace(t, "onecollect-small.v6")
	empty := []byte{byte(wire.KindRemoveThread), 0, 0, 0} // the end mark without its last byte becomes the size of the first block
	silent := map[eventpipe.Command]eventpipetest.Fault{eventpipe.CollectTracing4: eventpipetest.Silent()}
	for name, cfg := range map[string]eventpipetest.Config{
		"no session": {Faults: silent}, "endless": {Trace: eventpipetest.Trace{Data: data, Endless: bytes.Repeat(empty, 1<<8)}},
	} {
		_, m := samplerOf(t, cfg)
		const limit = 50 * time.Millisecond // it always passes
		_, err := m.within(t.Context(), limit)
		if err == nil || !strings.Contains(err.Error(), "no complete sample within 50ms (--timeout)") {
			t.Errorf("%s: error %v", name, err)
		}
		expect.Equal(t, name+": exit code", code(err), exit.Usage)
	}
}

// TestKilled: a process that is killed before it sends a byte is not suspended.
func TestKilled(t *testing.T) {
	r, m := samplerOf(t, eventpipetest.Config{Suspended: true})
	m.lengths = []time.Duration{time.Minute}
	go func() {
		for len(r.Sessions()) == 0 {
			time.Sleep(time.Millisecond)
		}
		r.Kill()
	}()
	_, err := m.take(t.Context())
	if !errors.Is(err, errEnded) {
		t.Errorf("error: got %v, want %v", err, errEnded)
	}
	expect.Equal(t, "exit code", code(err), exit.Broken)
}

// TestInterrupted: Ctrl-C ends a series without an end, but interrupts another one, and one
// without a sample.
func TestInterrupted(t *testing.T) {
	for _, c := range []struct {
		name    string
		endless bool
		after   int // the sample after which the interrupt comes
		want    int
	}{
		{"endless", true, 1, exit.Done},
		{"endless, without a sample", true, 0, exit.Interrupted},
		{"two samples", false, 1, exit.Interrupted},
		{"no sample", false, 0, exit.Interrupted},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: shared.TruthFile(t, "deadlock.v4.nettrace.zst")}})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if c.after == 0 {
				cancel()
			}
			o := &options{every: time.Minute, count: 2, endless: c.endless}
			flags := &cobra.Command{}
			o.AddFlags(flags)
			expect.NoError(t, flags.Flags().Set("port", r.Address()+",connect"))
			p := &run.Program{Stdout: writerFunc(func() { cancel() }), Stderr: io.Discard}
			code, _ := exit.CodeOf(printUntil(ctx, p, o))
			expect.Equal(t, "exit code", code, c.want)
		})
	}
}

// writerFunc is a writer that calls itself after each write.
type writerFunc func()

func (f writerFunc) Write(b []byte) (int, error) {
	f()
	return len(b), nil
}

// TestEveryUseless: --every needs a second sample.
func TestEveryUseless(t *testing.T) {
	cmd := Command(&run.Program{Stdout: io.Discard, Stderr: io.Discard})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs([]string{"-p", "1073741824", "--every", "5s", "--count", "1"})
	err := cmd.Execute()
	if err == nil || !strings.Contains(err.Error(), "--count 1") {
		t.Errorf("error: got %v, want one about --count 1", err)
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
