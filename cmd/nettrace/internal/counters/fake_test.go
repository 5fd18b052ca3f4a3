//go:build unix

package counters_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// played starts a runtime of a release that streams a recorded trace, and
// returns the flags that reach it.
func played(t *testing.T, release int, trace eventpipetest.Trace) (*eventpipetest.Runtime, []string) {
	t.Helper()
	r := eventpipetest.Start(t, eventpipetest.Config{Release: release, Trace: trace, Info: eventpipe.ProcessInfo{EntryAssembly: "shop"}})
	return r, []string{"counters", "--port", r.Address() + ",connect", "--counters", "Corners.Meter,Corners-Counters", "--format=json"}
}

// TestPlayedCounters: what a process streams is what its recording holds. The
// session in it is another client's, and the second of them is turned away.
func TestPlayedCounters(t *testing.T) {
	data := testfile.Plain(t, "net10-counters.v4")
	_, args := played(t, 0, eventpipetest.Trace{Data: data})
	refused := programtest.Run(t, nil, append(args, "--duration=20s")...)
	if refused.Code != exit.Version || !strings.Contains(refused.Stderr, "the session sess-1 listens") {
		t.Errorf("exit %d, %s", refused.Code, refused.Stderr)
	}
	taken := programtest.Run(t, nil, append(args, "--any-session", "--duration=1s")...)
	recorded := programtest.Run(t, data, "counters", "--counters", "Corners.Meter,Corners-Counters", "--format=json", "-")
	taken.Exits(t, exit.Done)
	expect.Equal(t, "stdout", taken.Out, recorded.Out)
	expect.AtLeast(t, "lines of stdout", strings.Count(taken.Out, "\n"), 50)
}

// TestPlayedEnd checks that the values of a truncated stream are shown.
func TestPlayedEnd(t *testing.T) {
	_, args := played(t, 0, eventpipetest.Trace{Data: testfile.Plain(t, "net10-counters.v4"), TruncateAfter: 60_000})
	cut := programtest.Run(t, nil, append(args, "--any-session", "--duration=20s")...)
	cut.Exits(t, exit.Broken)
	expect.Contains(t, "stdout", cut.Out, "corners.latency")
	expect.Contains(t, "stderr", cut.Stderr, "the stream ended without an end mark: the process was killed or crashed")
}

// TestPlayedArguments checks the requests to old and new runtimes.
func TestPlayedArguments(t *testing.T) {
	for release, shared := range map[int]bool{6: false, 7: false, 8: true, 10: true} {
		t.Run(fmt.Sprintf("NET %d", release), func(t *testing.T) {
			r, args := played(t, release, eventpipetest.Trace{Data: testfile.Plain(t, "net10-empty.v4")})
			if got := programtest.Run(t, nil, append(args, "--duration=100ms", "--refresh-interval=2s")...); got.Code != exit.Broken || !strings.Contains(got.Stderr, "no value of the requested counters") {
				t.Errorf("exit %d, %s; want 1, because the trace is empty", got.Code, got.Stderr)
			}
			cfg := r.Sessions()[0].Config
			expect.Len(t, "cfg.Providers", cfg.Providers, 3)
			expect.Equal(t, "cfg.NoRundown", cfg.NoRundown, true)
			expect.Equal(t, "cfg.Providers[0].Arguments", cfg.Providers[0].Arguments, "EventCounterIntervalSec=2")
			expect.Stop(t)
			words := map[string]string{}
			for word := range strings.SplitSeq(cfg.Providers[2].Arguments, ";") {
				key, value, _ := strings.Cut(word, "=")
				words[key] = value
			}
			expect.Equal(t, "SessionId is SHARED", words["SessionId"] == "SHARED", shared)
			expect.Equal(t, "len(words[\"ClientId\"])", len(words["ClientId"]), 36)
			expect.Equal(t, "words[\"RefreshInterval\"]", words["RefreshInterval"], "2")
			expect.Equal(t, "words[\"Metrics\"]", words["Metrics"], "Corners.Meter,Corners-Counters")
			if !shared {
				expect.Equal(t, "SessionId", words["SessionId"], words["ClientId"])
			}
		})
	}
}

// TestPlayedRefusal: a runtime that takes no session, or does not answer.
func TestPlayedRefusal(t *testing.T) {
	r, args := played(t, 0, eventpipetest.Trace{})
	r.SetFault(eventpipe.CollectTracing2, eventpipetest.Refuse(eventpipe.Fail, ""))
	if got := programtest.Run(t, nil, args...); got.Code != exit.Usage || !strings.Contains(got.Stderr, "64 sessions, the most at a time, or it is shutting down") {
		t.Errorf("exit %d, %s", got.Code, got.Stderr)
	}
	r.SetFault(eventpipe.CollectTracing2, eventpipetest.Refuse(eventpipe.UnknownCommand, ""))
	if got := programtest.Run(t, nil, args...); got.Code != exit.Version || !strings.Contains(got.Stderr, "without rundown") {
		t.Errorf("exit %d, %s", got.Code, got.Stderr)
	}
	r.Kill()
	if got := programtest.Run(t, nil, args...); got.Code != exit.Usage || got.Stderr == "" {
		t.Errorf("exit %d, %s", got.Code, got.Stderr)
	}
}
