package main

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/clr/symbols"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
)

// tolerance is what the time of a stack may differ by, in milliseconds: the other
// converter adds up in numbers of 32 bits.
const tolerance = 0.1

// TestWeights: the time of each stack on each thread is that in dotnet-trace's
// speedscope files.
func TestWeights(t *testing.T) {
	needTE(t)
	for _, c := range []struct {
		trace string
		ticks bool // allocations count as samples in managed code, as they do there
	}{
		{"azmcp-net10-cpu.v4", false}, {"roslyn-net10-cpu.v4", false}, {"net10-deep.v4", false},
		{"net10-mix-cpu.v4", false}, {"aspnet-net10.v4", true},
	} {
		trace := shared.Trace(t, c.trace)
		ours, theirs := stackTimes(t, trace, c.ticks), scopeTimes(t, speedscope(t, trace))
		worst, stacks := 0.0, 0
		for key, ms := range ours {
			stacks++
			their, ok := theirs[key]
			if worst = max(worst, math.Abs(ms-their)); !ok || math.Abs(ms-their) > tolerance {
				t.Errorf("%s: thread %d: %.4f ms, theirs %.4f ms: %s", c.trace, key.thread, ms, their, key.stack)
			}
		}
		more := 0.0
		for key, ms := range theirs {
			if _, ok := ours[key]; !ok {
				if more = max(more, ms); ms >= tolerance {
					t.Errorf("%s: thread %d: only theirs has, for %.4f ms, %s", c.trace, key.thread, ms, key.stack)
				}
			}
		}
		t.Logf("%s: %d stacks, at most %.4f ms apart; %d of theirs, those not ours at most %.4f ms", c.trace, stacks, worst, len(theirs), more)
	}
}

// stackOf is a stack on a thread: frames from the root, with lines between them.
type stackOf struct {
	thread uint64
	stack  string
}

// stackTimes adds up our samples, in milliseconds.
func stackTimes(t *testing.T, trace []byte, ticks bool) map[stackOf]float64 {
	p, err := profile.FromReader(codec.NewBytesReader(trace, codec.Options{}), profile.Options{NoRepair: true})
	if err != nil {
		t.Fatal(err)
	}
	times := map[stackOf]float64{}
	for i, thread := range p.Threads() {
		samples := slices.Collect(p.ThreadSamples(profile.Wall, i))
		if ticks {
			for s := range p.ThreadSamples(profile.Alloc, i) {
				s.Managed = true
				samples = append(samples, s)
			}
			slices.SortStableFunc(samples, func(a, b profile.Sample) int { return cmp.Compare(a.Ticks, b.Ticks) })
		}
		for j, s := range samples[:max(0, len(samples)-1)] {
			ms := float64(p.Nanos(samples[j+1].Ticks)-p.Nanos(s.Ticks)) / 1e6
			if ms > 0 {
				times[stackOf{thread.ID, stackText(p, &s)}] += ms
			}
		}
	}
	return times
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

// foldModule takes the case from a module's name: it is spelt in two ways.
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
