package main

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
)

// tolerance is the allowed difference of a stack's time, in milliseconds: the
// other converter adds up 32-bit numbers.
const tolerance = 0.1

// TestWeights compares the time of each stack on each thread with dotnet-trace's
// speedscope files. dotnet-trace gives a sample the time up to the next sample of
// its thread, even if the thread was not sampled for many rounds of the sampler;
// in package profile a sample owns the time up to the next round at most, without
// the pauses of the garbage collector. The difference is exactly those pauses and
// the time that the profile reports as not sampled.
func TestWeights(t *testing.T) {
	needTE(t)
	type example struct {
		trace string
		ticks bool // allocations count as samples in managed code, as they do there
	}
	for _, c := range shared.First([]example{
		{"net10-deep.v4", false}, {"net10-mix-cpu.v4", false}, {"aspnet-net10.v4", true},
		{"azmcp-net10-cpu.v4", false}, {"roslyn-net10-cpu.v4", false},
	}, 3) {
		t.Run(c.trace, func(t *testing.T) {
			trace := shared.Trace(t, c.trace)
			ours, notSampled := stackTimes(t, trace, c.ticks)
			theirs := scopeTimes(t, speedscope(t, trace))
			worst, stacks := 0.0, 0
			for key, ms := range ours {
				stacks++
				their, ok := theirs[key]
				ms += notSampled[key]
				if worst = max(worst, math.Abs(ms-their)); !ok || math.Abs(ms-their) > tolerance {
					t.Errorf("thread %d: %.4f ms, dotnet-trace %.4f ms: %s", key.thread, ms, their, key.stack)
				}
			}
			more := 0.0
			for key, ms := range theirs {
				if _, ok := ours[key]; !ok {
					if more = max(more, ms); ms >= tolerance {
						t.Errorf("thread %d: only dotnet-trace has %.4f ms of %s", key.thread, ms, key.stack)
					}
				}
			}
			t.Logf("%s: %d stacks, at most %.4f ms apart; %d of dotnet-trace, those not in the profile at most %.4f ms", c.trace, stacks, worst, len(theirs), more)
		})
	}
}

// stackOf is a stack on a thread: frames from the root, with lines between them.
type stackOf struct {
	thread uint64
	stack  string
}

// stackTimes adds up our samples, in milliseconds, and the time after each in
// which its thread was not sampled. The last sample of a thread is left out, which
// has no time in dotnet-trace's files.
func stackTimes(t *testing.T, trace []byte, ticks bool) (times, notSampled map[stackOf]float64) {
	p, err := profile.FromReader(context.Background(), codec.NewBytesReader(trace, codec.Options{}), profile.Options{NoRepair: true, RuntimeHelpers: true})
	if err != nil {
		t.Fatal(err)
	}
	times, notSampled = map[stackOf]float64{}, map[stackOf]float64{}
	pauses := pausesOf(p)
	for i, thread := range p.Threads() {
		samples := slices.Collect(p.ThreadSamples(profile.Wall, i))
		if ticks {
			for s := range p.ThreadSamples(profile.Alloc, i) {
				s.Managed, s.Value = true, math.MaxInt64/2
				samples = append(samples, s)
			}
			slices.SortStableFunc(samples, func(a, b profile.Sample) int { return cmp.Compare(a.Ticks, b.Ticks) })
		}
		gaps, paused := int64(0), int64(0)
		for j, s := range samples[:max(0, len(samples)-1)] {
			all := p.Nanos(samples[j+1].Ticks) - p.Nanos(s.Ticks)
			own := min(s.Value, all)
			gaps += all - own
			paused += pausesWithin(pauses, p.Nanos(s.Ticks), p.Nanos(samples[j+1].Ticks))
			key := stackOf{thread.ID, stackText(p, &s)}
			if all > 0 {
				times[key] += float64(own) / 1e6
				notSampled[key] += float64(all-own) / 1e6
			}
		}
		if gaps != paused+p.NotSampled(i) && !ticks {
			t.Errorf("thread %d: %d ns between samples, but %d ns are pauses, and %d ns are reported as not sampled", thread.ID, gaps, paused, p.NotSampled(i))
		}
	}
	return times, notSampled
}

// pausesOf returns when the pauses of a trace of one process begin and end, in
// nanoseconds since the start. They do not overlap.
func pausesOf(p *profile.Profile) (list [][2]int64) {
	for s := range p.Samples(profile.GC) {
		list = append(list, [2]int64{p.Nanos(s.Ticks), p.Nanos(s.Ticks) + s.Value})
	}
	return list
}

// pausesWithin is the sum of the pauses between two times, in nanoseconds.
func pausesWithin(list [][2]int64, from, until int64) (nanos int64) {
	for _, pause := range list {
		nanos += max(0, min(until, pause[1])-max(from, pause[0]))
	}
	return nanos
}

// stackText is a stack as dotnet-trace writes it.
func stackText(p *profile.Profile, s *profile.Sample) string {
	var text []string
	for _, id := range p.Stack(s.Stack) {
		f := p.Frame(id)
		name := p.Function(f.Function).RawName
		if f.Evidence == symbols.None || f.Evidence == symbols.EntryPoint {
			name = "?!?"
		}
		text = append(text, foldModule(name))
	}
	slices.Reverse(text)
	if s.Managed {
		return strings.Join(append(text, "CPU_TIME"), "\n")
	}
	return strings.Join(append(text, "UNMANAGED_CODE_TIME"), "\n")
}

// foldModule lowers the case of a module's name, which has two spellings.
func foldModule(name string) string {
	module, rest, ok := strings.Cut(name, "!")
	if !ok {
		return name
	}
	return strings.ToLower(module) + "!" + rest
}

// scopeTimes adds up the time that each stack is open without a further frame.
func scopeTimes(t *testing.T, file profiles) map[stackOf]float64 {
	var scope struct {
		Frames []struct{ Name string }
	}
	var list []struct {
		Name   string
		Events []struct {
			Type  string
			Frame int
			At    float64
		}
	}
	if err := cmp.Or(json.Unmarshal(file.Shared, &scope), json.Unmarshal(file.Profiles, &list)); err != nil {
		t.Fatal(err)
	}
	times := map[stackOf]float64{}
	for _, p := range list {
		_, number, _ := strings.Cut(p.Name, "(")
		number, _, _ = strings.Cut(number, ")")
		thread, err := strconv.ParseUint(number, 10, 64)
		if err != nil {
			t.Fatalf("a profile %q: %v", p.Name, err)
		}
		var open []string
		last := 0.0
		for _, e := range p.Events {
			if e.At > last && len(open) > 0 {
				times[stackOf{thread, belowThread(open)}] += e.At - last
			}
			last = e.At
			if e.Type == "O" {
				open = append(open, foldModule(scope.Frames[e.Frame].Name))
			} else {
				open = open[:len(open)-1]
			}
		}
	}
	return times
}

// belowThread leaves out the frames from the process to the thread.
func belowThread(open []string) string {
	for i, name := range open {
		if strings.HasPrefix(name, "Thread (") {
			return strings.Join(open[i+1:], "\n")
		}
	}
	return strings.Join(open, "\n")
}
