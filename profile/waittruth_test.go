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
func knownWaits(t *testing.T) map[uint64][]knownWait {
	t.Helper()
	waits := map[uint64][]knownWait{}
	for line := range bytes.Lines(shared.TruthFile(t, "wait-truth.truth.ndjson")) {
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
		"barrier": "waiting monitor", "collection": "waiting monitor", "countdown": "waiting monitor", "event": "waiting wait handle",
		"event-slim": "waiting monitor", "event-timeout": "waiting wait handle", "handle-all": "waiting wait handle",
		"handle-any": "waiting wait handle", "join": "waiting join", "lock": "blocked lock", "lock-class": "blocked lock",
		"lock-shared": "blocked lock", "lock-try": "blocked lock", "monitor-pulse": "waiting monitor", "monitor-timeout": "waiting monitor",
		"mutex": "waiting wait handle", "pipe": "waiting input or output", "read-lock": "waiting wait handle",
		"semaphore": "waiting wait handle", "semaphore-slim": "waiting monitor", "sleep": "waiting sleep", "socket": "waiting input or output",
		"spin": "running", "task": "waiting task", "task-all": "waiting task", "task-any": "waiting task", "task-delay": "waiting task",
		"task-result": "waiting task",
	}
}

// TestWaitTruth: the samples of a thread within a wait of a known kind have the
// state and the cause of this kind. The time near both ends is left out. In
// task-result the class library prepares an event first, and spins.
func TestWaitTruth(t *testing.T) {
	const margin = 3e6 // nanoseconds
	waits := knownWaits(t)
	data := shared.TruthFile(t, "wait-truth.v4.nettrace.zst")
	p, err := profile.FromReader(t.Context(), codec.NewReader(bytes.NewReader(data), codec.Options{}), profile.Options{})
	if err != nil {
		t.Fatal(err)
	}
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
	expect.Equal(t, "kinds of waits", len(found), len(want))
	for kind, state := range want {
		t.Run(kind, func(t *testing.T) {
			all := 0
			for _, n := range found[kind] {
				all += n
			}
			t.Log(found[kind])
			expect.AtLeast(t, "samples", all, 60)
			expect.AtLeast(t, "samples that are "+state, found[kind][state], all-map[string]int{"task-result": 3}[kind])
		})
	}
}
