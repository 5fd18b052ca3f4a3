package profile_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
)

// observedTime returns the time from the first sample of a time line to the end
// of its last one, in nanoseconds.
func observedTime(p *profile.Profile, thread int) int64 {
	known := false
	var first, last int64
	for _, of := range []profile.Type{profile.Wall, profile.CPU, profile.Switch, profile.Lock, profile.Wait, profile.GC} {
		for s := range p.ThreadSamples(of, thread) {
			from := p.Nanos(s.Ticks)
			until := from
			switch of {
			case profile.CPU:
			case profile.Wall: // can end in a pause, which its value leaves out
				until = p.Nanos(p.LastEnd(thread))
			default:
				until += s.Value
			}
			if !known {
				known, first, last = true, from, until
			}
			first, last = min(first, from), max(last, until)
		}
	}
	return last - first
}

// checkTimeLine checks that the spans of a thread follow each other and that
// their lengths add up to the time that the thread was observed. It returns the
// sum.
func checkTimeLine(t *testing.T, p *profile.Profile, thread int) int64 {
	t.Helper()
	line := p.TimeLine(thread)
	sum := int64(0)
	for i, s := range line {
		sum += s.Nanos
		if s.From >= s.Until {
			t.Errorf("thread %d: the span at %d ends at %d", thread, s.From, s.Until)
		}
		if i > 0 && line[i-1].Until != s.From {
			t.Errorf("thread %d: the span at %d follows one that ends at %d", thread, s.From, line[i-1].Until)
		}
	}
	if want := observedTime(p, thread); sum != want {
		t.Errorf("thread %d: sum of the spans %d ns, want %d", thread, sum, want)
	}
	return sum
}

// TestTimeLine: in every trace, the time line of each thread adds up to the time
// that the thread was observed.
func TestTimeLine(t *testing.T) {
	for _, name := range shared.Traces(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := codec.NewReader(bytes.NewReader(shared.Trace(t, name)), codec.Options{OnError: codec.Skip})
			p, err := profile.FromReader(t.Context(), r, profile.Options{NoRepair: true, Limits: profile.Limits{Symbols: 1 << 20}})
			if p == nil {
				t.Skip(err)
			}
			sum := int64(0)
			for thread := range p.Threads() {
				sum += checkTimeLine(t, p, thread)
			}
			t.Logf("%d ns", sum)
		})
	}
}

// times adds up the spans of a time line between two times, by state and cause.
func times(p *profile.Profile, thread int, from, until uint64) map[string]int64 {
	sums := map[string]int64{}
	for _, s := range p.TimeLine(thread) {
		if a, b := max(s.From, from), min(s.Until, until); a < b {
			sums[strings.TrimSpace(s.State.String()+" "+s.Cause)] += p.Nanos(b) - p.Nanos(a)
		}
	}
	return sums
}

// TestTimeLineTruth: the time in the state of a wait is nearly that between the
// times that the program took before and after it, and the owner of a lock is the
// one that it printed.
func TestTimeLineTruth(t *testing.T) {
	for _, of := range shared.Recordings(t, "wait-truth") {
		t.Run(of.Name, func(t *testing.T) {
			p, err := profile.FromReader(t.Context(), codec.NewBytesReader(of.Trace(t), codec.Options{}), profile.Options{})
			expect.NoError(t, err)
			percent := map[string]int64{"task-result": 80, "spin": 80} // the class library prepares; the thread starts
			waits, states := knownWaits(t, of), waitStates()
			for thread, row := range p.Threads() {
				for _, w := range waits[row.ID] {
					length, least := int64(w.End-w.Begin), percent[w.Kind]
					switch {
					case of.Version != 10: // the machine was slower, so that preparing and spinning take longer
						least = 75
					case least == 0:
						least = 95
					}
					found := times(p, thread, w.Begin, w.End)
					if got := found[states[w.Kind]]; got < length*least/100 {
						t.Errorf("%s of thread %d: got %d of %d ns as %s: %v", w.Kind, row.ID, got, length, states[w.Kind], found)
					}
				}
			}
		})
	}
}

// TestTimeLineOwner: at the end of a deadlock each thread is blocked on a lock of
// the thread that the program printed.
func TestTimeLineOwner(t *testing.T) {
	type waiter struct {
		Thread       uint64
		Holds, Wants string
	}
	var waiters []waiter
	holders := map[string]uint64{}
	for line := range bytes.Lines(shared.TruthFile(t, "deadlock.truth.ndjson")) {
		var w waiter
		expect.NoError(t, json.Unmarshal(line, &w))
		if w.Wants != "" {
			waiters = append(waiters, w)
			holders[w.Holds] = w.Thread
		}
	}
	expect.Len(t, "waiters", waiters, 6)
	data := shared.TruthFile(t, "deadlock.v4.nettrace.zst")
	p, err := profile.FromReader(t.Context(), codec.NewReader(bytes.NewReader(data), codec.Options{}), profile.Options{})
	expect.NoError(t, err)
	for _, w := range waiters {
		t.Run(fmt.Sprint(w.Thread), func(t *testing.T) {
			thread := slices.IndexFunc(p.Threads(), func(row profile.Thread) bool { return row.ID == w.Thread })
			line := p.TimeLine(thread)
			last := line[len(line)-1]
			expect.Equal(t, "state of the last span", last.State, profile.Blocked)
			expect.Equal(t, "owner of the lock", last.Owner, holders[w.Wants])
			expect.AtLeast(t, "nanoseconds of the last span", last.Nanos, 2.5e9)
		})
	}
}

// TestTimeLineWindow: the states of two windows add up to those of the trace.
func TestTimeLineWindow(t *testing.T) {
	const name = "net10-mix-locks.v4"
	p := read(t, name, profile.Options{})
	middle := p.Start + (p.End-p.Start)/2
	early := read(t, name, profile.Options{Time: codec.TimeRange{To: middle, HasTo: true}})
	late := read(t, name, profile.Options{Time: codec.TimeRange{From: middle, HasFrom: true}})
	for thread, row := range p.Threads() {
		t.Run(row.Label(), func(t *testing.T) {
			sums := times(early, thread, 0, math.MaxUint64)
			for state, nanos := range times(late, thread, 0, math.MaxUint64) {
				sums[state] += nanos
			}
			expect.Equal(t, "nanoseconds by state", fmt.Sprint(sums), fmt.Sprint(times(p, thread, 0, math.MaxUint64)))
		})
	}
}

// TestTimeLineThreads: a thread that Options.Threads leaves out has no time line.
func TestTimeLineThreads(t *testing.T) {
	all := read(t, "net10-mix-locks.v4", profile.Options{})
	one := all.Threads()[slices.IndexFunc(all.Threads(), func(row profile.Thread) bool { return row.Name != "" })].ID
	p := read(t, "net10-mix-locks.v4", profile.Options{Threads: []profile.IDRange{{First: one, Last: one}}})
	for thread, row := range p.Threads() {
		if row.ID != one {
			expect.Len(t, "spans of a thread that is left out", p.TimeLine(thread), 0)
		}
	}
}

// TestTimeLinePauses: in the pauses that the runtime measured the thread that collects runs: it is not
// stopped.
func TestTimeLinePauses(t *testing.T) {
	for _, name := range []string{"gc-truth", "gc-truth-blocking"} {
		t.Run(name, func(t *testing.T) {
			var last struct{ TotalPauseMs float64 }
			for line := range bytes.Lines(shared.TruthFile(t, name+".truth.ndjson")) {
				expect.NoError(t, json.Unmarshal(line, &last))
			}
			data := shared.TruthFile(t, name+".v4.nettrace.zst")
			p, err := profile.FromReader(t.Context(), codec.NewReader(bytes.NewReader(data), codec.Options{}), profile.Options{})
			expect.NoError(t, err)
			collects := int64(0)
			for s := range p.Samples(profile.GC) {
				in := times(p, s.Thread, s.Ticks, s.Ticks+uint64(s.Value)) // a tick is a nanosecond
				collects += in["running"]
				expect.Equal(t, "nanoseconds in which it is stopped", in["stopped"], 0)
			}
			expect.AtLeast(t, "percent of the pauses that the runtime measured", float64(collects)/last.TotalPauseMs/1e4, 99)
			expect.AtMost(t, "percent of the pauses that the runtime measured", float64(collects)/last.TotalPauseMs/1e4, 102)
		})
	}
}

// TestTimeLineCPU: a thread runs, or is in native code, at least as long as it used
// the processor, and nearly all the time between its first and its last call.
func TestTimeLineCPU(t *testing.T) {
	type line struct {
		Thread     uint64
		Name       string
		CPU        int64
		Begin, End uint64
	}
	used, first, last := map[uint64]int64{}, map[uint64]uint64{}, map[uint64]uint64{}
	for text := range bytes.Lines(shared.TruthFile(t, "cpu-truth.truth.ndjson")) {
		var l line
		if bytes.HasPrefix(text, []byte(`{"end":true`)) {
			continue
		}
		expect.NoError(t, json.Unmarshal(text, &l))
		switch {
		case l.Name != "":
			used[l.Thread] = l.CPU
		case l.End != 0:
			if first[l.Thread] == 0 || l.Begin < first[l.Thread] {
				first[l.Thread] = l.Begin
			}
			last[l.Thread] = max(last[l.Thread], l.End)
		}
	}
	data := shared.TruthFile(t, "cpu-truth.v4.nettrace.zst")
	p, err := profile.FromReader(t.Context(), codec.NewReader(bytes.NewReader(data), codec.Options{}), profile.Options{})
	expect.NoError(t, err)
	for thread, row := range p.Threads() {
		if used[row.ID] == 0 {
			continue
		}
		t.Run(fmt.Sprint(row.ID), func(t *testing.T) {
			sums := times(p, thread, first[row.ID], last[row.ID])
			ran := sums["running"] + sums["native"]
			expect.AtLeast(t, "nanoseconds that it ran", ran, used[row.ID])
			expect.AtLeast(t, "percent that it ran", 100*ran/int64(last[row.ID]-first[row.ID]), 98)
		})
		delete(used, row.ID)
	}
	expect.Len(t, "threads that are missing", slices.Collect(maps.Keys(used)), 0)
}
