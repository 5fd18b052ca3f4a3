package profile_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
)

// TestDeadlock compares the contentions of a program whose threads block each
// other with the program's own log, on each version of the runtime: which threads wait, since when,
// for the lock of which thread, and when the program ended.
func TestDeadlock(t *testing.T) {
	for _, of := range shared.Recordings(t, "deadlock", "deadlock-threads", "deadlock-rundown") {
		t.Run(of.Name, func(t *testing.T) { compareDeadlock(t, of) })
	}
}

// wanted is a lock that a thread waits for.
type wanted struct{ since, owner uint64 }

// wantedLocks returns what the threads of the program wait for, and when it ended.
func wantedLocks(t *testing.T, of shared.Recording) (map[uint64]wanted, uint64) {
	threads, owner, leaving := map[uint64]wanted{}, map[string]uint64{}, uint64(0)
	for range 2 { // the owners may come later
		for lines := json.NewDecoder(bytes.NewReader(of.Truth(t))); lines.More(); {
			var line struct {
				Thread, Since, At uint64
				Wants, Holds      string
			}
			if err := lines.Decode(&line); err != nil {
				t.Fatal(err)
			}
			if line.Holds != "" {
				owner[line.Holds] = line.Thread
			}
			if line.Wants != "" {
				threads[line.Thread] = wanted{line.Since, owner[line.Wants]}
			}
			leaving = max(leaving, line.At)
		}
	}
	return threads, leaving
}

func compareDeadlock(t *testing.T, of shared.Recording) {
	waiting, leaving := wantedLocks(t, of)
	p, err := profile.FromReader(t.Context(), codec.NewBytesReader(of.Trace(t), codec.Options{}), profile.Options{})
	expect.NoError(t, err)
	const ms = 1e6
	for s := range p.Samples(profile.Lock) {
		if !s.Unfinished {
			continue
		}
		id := p.Threads()[s.Thread].ID
		want, ok := waiting[id]
		delete(waiting, id)
		line := p.TimeLine(s.Thread)
		owner := uint64(0)
		for _, span := range line {
			if span.From <= s.Ticks && s.Ticks < span.Until {
				owner = span.Owner
			}
		}
		if of.Name == "net11-deadlock" { // no event has the thread of the managed id
			want.owner = 0
		}
		switch {
		case !ok:
			t.Errorf("thread %d waits", id)
		case s.Ticks < want.since || s.Ticks > want.since+2*ms:
			t.Errorf("thread %d: got a wait since %d, want %d", id, s.Ticks, want.since)
		case s.Ticks+uint64(s.Value) < leaving || s.Ticks+uint64(s.Value) > leaving+150*ms:
			t.Errorf("thread %d: got a wait until %d, want %d", id, s.Ticks+uint64(s.Value), leaving)
		case owner != want.owner:
			t.Errorf("thread %d: got a wait for thread %d, want %d", id, owner, want.owner)
		}
	}
	for id := range waiting {
		t.Errorf("thread %d does not wait", id)
	}
}
