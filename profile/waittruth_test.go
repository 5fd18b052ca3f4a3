package profile_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
)

// knownWait is a line of wait-truth.truth.ndjson: a thread waits from Begin to
// End, in ticks.
type knownWait struct {
	Kind       string `json:"wait"`
	Role       string `json:"role"`
	Thread     uint64 `json:"thread"`
	Begin, End uint64
}

// knownWaits returns the waits of the threads that wait, by thread.
func knownWaits(t *testing.T, of shared.Recording) map[uint64][]knownWait {
	t.Helper()
	waits := map[uint64][]knownWait{}
	for line := range bytes.Lines(of.Truth(t)) {
		if !bytes.HasPrefix(line, []byte(`{"wait":`)) {
			continue
		}
		var w knownWait
		if err := json.Unmarshal(line, &w); err != nil {
			t.Fatal(err)
		}
		if w.Role == "waiter" {
			waits[w.Thread] = append(waits[w.Thread], w)
		}
	}
	return waits
}

// waitStates returns the state and the cause of each kind of waits.
func waitStates() map[string]string {
	return map[string]string{
		"barrier": "waiting event", "collection": "waiting semaphore", "countdown": "waiting event", "event": "waiting wait handle",
		"event-slim": "waiting event", "event-timeout": "waiting wait handle", "handle-all": "waiting wait handle",
		"handle-any": "waiting wait handle", "join": "waiting join", "lock": "blocked lock", "lock-class": "blocked lock",
		"lock-shared": "blocked lock", "lock-try": "blocked lock", "monitor-pulse": "waiting monitor", "monitor-timeout": "waiting monitor",
		"mutex": "waiting wait handle", "pipe": "waiting input or output", "read-lock": "waiting wait handle",
		"semaphore": "waiting wait handle", "semaphore-slim": "waiting semaphore", "sleep": "waiting sleep", "socket": "waiting input or output",
		"spin": "running", "task": "waiting task", "task-all": "waiting task", "task-any": "waiting task", "task-delay": "waiting task",
		"task-result": "waiting task",
	}
}

// lead is how many samples of a kind of wait are not in the wait yet: the class library prepares an
// event first, and spins.
var lead = map[string]int{"task-result": 4, "pipe": 2, "task-delay": 4, "task-any": 1, "barrier": 1, "collection": 5, "lock": 3}

// TestWaitTruth: the samples of a thread within a wait of a known kind have the state and the cause of
// this kind, on each version of the runtime. The time near both ends is left out. Up to .NET 9 the
// frames of a thread that waits for a lock do not show it, but the contention does.
func TestWaitTruth(t *testing.T) {
	for _, of := range shared.Recordings(t, "wait-truth") {
		t.Run(of.Name, func(t *testing.T) { compareWaits(t, of) })
	}
}

func compareWaits(t *testing.T, of shared.Recording) {
	const margin = 3e6 // nanoseconds
	waits := knownWaits(t, of)
	p, err := profile.FromReader(t.Context(), codec.NewBytesReader(of.Trace(t), codec.Options{}), profile.Options{})
	expect.NoError(t, err)
	found := map[string]map[string]int{} // by kind
	for s := range p.Samples(profile.Wall) {
		for _, w := range waits[p.Threads()[s.Thread].ID] {
			if s.Ticks < w.Begin+margin || s.Ticks+margin > w.End {
				continue
			}
			if found[w.Kind] == nil {
				found[w.Kind] = map[string]int{}
			}
			state, cause := p.State(&s)
			found[w.Kind][strings.TrimSpace(state.String()+" "+cause)]++
		}
	}
	want := waitStates()
	expect.AtLeast(t, "kinds of waits", len(found), len(want)-1) // .NET 8 has no class Lock
	for kind := range found {
		all := 0
		for _, n := range found[kind] {
			all += n
		}
		expect.AtLeast(t, kind+": samples", all, 15)
		if right := found[kind][want[kind]]; right < all-lead[kind] {
			t.Errorf("%s: %d of %d samples are %s: %v", kind, right, all, want[kind], found[kind])
		}
	}
}
