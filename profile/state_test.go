package profile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
)

// TestStates: the states of each trace add up to its wall time, and the traces
// have those of the threads that their programs start.
func TestStates(t *testing.T) {
	for _, c := range []struct {
		trace   string
		samples [6]int64 // by state, in the order of States
	}{
		{"aspnet-net10.v4", [6]int64{1245, 126, 12926, 147, 597, 53585}},
		{"net10-deep.v4", [6]int64{3871, 57, 2892, 0, 0, 0}},
		{"net10-mix-cpu.v4", [6]int64{753, 427, 5301, 328, 706, 21102}},
		{"azmcp-net10-cpu.v4", [6]int64{2437, 1056, 19975, 1, 1344, 20611}},
		{"azmcp-net10-live.v4", [6]int64{239, 345, 25393, 0, 222, 27275}},
		{"roslyn-net10-cpu.v4", [6]int64{17816, 523, 0, 0, 0, 0}},
		{"sarif-net8.v4", [6]int64{423, 221, 0, 0, 0, 0}},
	} {
		t.Run(c.trace, func(t *testing.T) {
			p := read(t, c.trace, profile.Options{Types: []profile.Type{profile.Wall}})
			var samples [6]int64
			nanos := int64(0)
			for i, state := range p.TimeByState() {
				samples[i] = state.Samples
				nanos += state.Nanos
			}
			expect.Equal(t, "samples by state", samples, c.samples)
			expect.Equal(t, "sum of the states in nanoseconds", nanos, sum(p, profile.Wall))
		})
	}
}

// TestStateFilter: Options.States returns the samples of these states only.
func TestStateFilter(t *testing.T) {
	all := read(t, "net10-mix-cpu.v4", profile.Options{})
	for _, state := range profile.States() {
		t.Run(state.String(), func(t *testing.T) {
			p := read(t, "net10-mix-cpu.v4", profile.Options{States: []profile.State{state}})
			expect.Equal(t, "sum in nanoseconds", sum(p, profile.Wall), all.TimeByState()[state].Nanos)
			expect.Equal(t, "sum of all states in nanoseconds", sum(all, profile.Wall), nanosOf(p.TimeByState()))
			expect.Equal(t, "sum of another type", sum(p, profile.Lock), sum(all, profile.Lock))
		})
	}
}

func nanosOf(list []profile.StateTime) int64 {
	n := int64(0)
	for _, s := range list {
		n += s.Nanos
	}
	return n
}

// TestStateOfEvents: events of the sample profiler have the states of the samples, on versions of the
// runtime whose frames and types do not show a wait for a lock, or whether a thread runs.
func TestStateOfEvents(t *testing.T) {
	type moment struct {
		thread int
		ticks  uint64
	}
	for _, of := range shared.Recordings(t, "deadlock", "cpu-truth") {
		if of.Version > 9 {
			continue
		}
		p, err := profile.FromReader(t.Context(), codec.NewBytesReader(of.Trace(t), codec.Options{}), profile.Options{
			Types: []profile.Type{profile.Wall, profile.Event}, Select: func(ev *codec.Event) bool { return profile.EventType(ev.Metadata()) == profile.Wall },
		})
		expect.NoError(t, err)
		want := map[moment]profile.State{}
		for s := range p.Samples(profile.Wall) {
			want[moment{s.Thread, s.Ticks}], _ = p.State(&s)
		}
		compared, wrong := 0, 0
		for s := range p.Samples(profile.Event) {
			state, ok := want[moment{s.Thread, s.Ticks}]
			if got, _ := p.State(&s); ok && got != state {
				wrong++
			}
			compared++
		}
		expect.AtLeast(t, of.Name+": samples", compared, 1000)
		expect.Equal(t, of.Name+": samples with another state", wrong, 0)
	}
}

// TestSameStateWithHelpers: the state of a sample does not depend on the frames
// that are folded.
func TestSameStateWithHelpers(t *testing.T) {
	folded := read(t, "aspnet-net10.v4", profile.Options{})
	plain := read(t, "aspnet-net10.v4", profile.Options{RuntimeHelpers: true})
	expect.Equal(t, "time by state", fmt.Sprint(folded.TimeByState()), fmt.Sprint(plain.TimeByState()))
}

// TestOneCode: in these traces nearly all samples have one type. Processes that
// only wait are not among them.
func TestOneCode(t *testing.T) {
	for _, c := range []struct {
		trace string
		want  int // processes
	}{
		{"azmcp-net10-live.v4", 0},
		{"roslyn-net10-cpu.v4", 0},
		{"sarif-net8.v4", 0},
		{"dotnetdiag-net5-single.v4", 1},
		{"perfview-netcore3.0-win-x64.v4", 1},
	} {
		t.Run(c.trace, func(t *testing.T) {
			p := read(t, c.trace, profile.Options{Types: []profile.Type{profile.Wall}, Limits: profile.Limits{Symbols: -1, Text: -1}})
			expect.Equal(t, "processes", len(p.OneCode()), c.want)
		})
	}
}

// TestOneCodeOfSelection: a thread that only runs does not show that the writer does not
// divide samples.
func TestOneCodeOfSelection(t *testing.T) {
	const running = 12419
	p := read(t, "net10-mix-cpu.v4", profile.Options{Types: []profile.Type{profile.Wall}, Threads: []profile.IDRange{{First: running, Last: running}}})
	managed, all := 0, 0
	for s := range p.Samples(profile.Wall) {
		if all++; s.Managed {
			managed++
		}
	}
	expect.AtLeast(t, "managed samples in percent", 100*managed/all, 99)
	expect.Len(t, "processes", p.OneCode(), 0)
}

// TestOneCodeByRuntime: .NET 9 calls all samples external, which counts with few samples too, and other
// versions do not.
func TestOneCodeByRuntime(t *testing.T) {
	for _, of := range shared.Recordings(t, "cpu-truth", "wait-truth", "deadlock") {
		p, err := profile.FromReader(t.Context(), codec.NewBytesReader(of.Trace(t), codec.Options{}), profile.Options{Types: []profile.Type{profile.Wall}})
		expect.NoError(t, err)
		list := p.OneCode()
		expect.Equal(t, of.Name+": by the runtime", len(list) == 1 && list[0].ByRuntime, of.Version == 9)
	}
}

// TestGCPolls counts the managed samples whose innermost frame is a GC poll:
// PollGCWorker, or in up to two samples of a trace PollGC.
func TestGCPolls(t *testing.T) {
	for _, c := range []struct {
		trace string
		want  profile.Polls
	}{
		{"roslyn-net10-cpu.v4", profile.Polls{Managed: 17815, AtPolls: 13900}},
		{"net10-deep.v4", profile.Polls{Managed: 3873, AtPolls: 2754}},
		{"aspnet-net10.v4", profile.Polls{Managed: 1836, AtPolls: 929}},
		{"azmcp-net10-live.v4", profile.Polls{Managed: 280, AtPolls: 27}},
		{"net10-mix-cpu.v4", profile.Polls{Managed: 913, AtPolls: 62}},
		{"azmcp-net10-cpu.v4", profile.Polls{Managed: 3550, AtPolls: 199}},
		{"sarif-net8.v4", profile.Polls{Managed: 423}},
	} {
		for _, keep := range []bool{false, true} {
			t.Run(c.trace+map[bool]string{true: " with helpers"}[keep], func(t *testing.T) {
				p := read(t, c.trace, profile.Options{Types: []profile.Type{profile.Wall}, RuntimeHelpers: keep})
				expect.Equal(t, "samples at GC polls", p.GCPolls(), c.want)
			})
		}
	}
}

// TestRuntimeHelpers: folding changes no value, and no sample ends in a frame
// that is folded.
func TestRuntimeHelpers(t *testing.T) {
	folded := map[profile.Type][]string{}
	for _, h := range profile.RuntimeHelpers() {
		for _, of := range h.Types {
			for _, m := range h.Methods {
				folded[of] = append(folded[of], "!"+strings.TrimSuffix(m, "*"))
			}
		}
	}
	plain, short := map[profile.Type]int{}, map[profile.Type]int{}
	for _, trace := range []string{"aspnet-net10.v4", "net10-mix-cpu.v4"} {
		with := read(t, trace, profile.Options{RuntimeHelpers: true})
		without := read(t, trace, profile.Options{})
		for _, of := range without.Types() {
			each(with, without, of, func(a, b profile.Sample) {
				if a.Value != b.Value || a.Ticks != b.Ticks || a.Thread != b.Thread {
					t.Errorf("%s, %v: a sample at %d has %d ns, with helpers %d", trace, of, b.Ticks, b.Value, a.Value)
				}
				if leafIn(with, a.Stack, folded[of]) {
					plain[of]++
				}
				if leafIn(without, b.Stack, folded[of]) {
					short[of]++
				}
			})
		}
	}
	for _, of := range []profile.Type{profile.Wall, profile.CPUApprox, profile.Exception, profile.Lock} {
		t.Run(of.String(), func(t *testing.T) {
			expect.AtLeast(t, "samples that end in a helper, unfolded", plain[of], 50)
			expect.Equal(t, "samples that end in a helper, folded", short[of], 0)
		})
	}
}

// leafIn reports whether the innermost frame of a stack is one of some methods.
func leafIn(p *profile.Profile, id profile.StackID, methods []string) bool {
	frames := p.Stack(id)
	if len(frames) == 0 {
		return false
	}
	name := p.Function(p.Frame(frames[0]).Function).RawName
	for _, m := range methods {
		if at := strings.Index(name, m); at >= 0 && (strings.HasSuffix(m, ".") || at+len(m) == len(name) || strings.ContainsRune("(|", rune(name[at+len(m)]))) {
			return true
		}
	}
	return false
}

// TestEventStates: events of the sample profiler have the states of its samples;
// other events have none, and Options.States leaves them out.
func TestEventStates(t *testing.T) {
	const trace = "net10-mix-cpu.v4"
	all := read(t, trace, profile.Options{}).TimeByState()
	for _, state := range profile.States() {
		t.Run(state.String(), func(t *testing.T) {
			opt := profile.Options{Provider: sampleEvents, States: []profile.State{state}}
			expect.Equal(t, "events", countOf(read(t, trace, opt), profile.Event), all[state].Samples)
		})
	}
	opt := profile.Options{Provider: "Microsoft-Windows-DotNETRuntime"}
	expect.NotZero(t, "events of the runtime", countOf(read(t, trace, opt), profile.Event))
	opt.States = profile.States()
	expect.Equal(t, "events of the runtime in any state", countOf(read(t, trace, opt), profile.Event), 0)
}

func countOf(p *profile.Profile, of profile.Type) int64 {
	n := int64(0)
	for range p.Samples(of) {
		n++
	}
	return n
}

// TestEventHelpers: the helpers of the runtime are folded in the stacks of events
// as in the samples that the events make.
func TestEventHelpers(t *testing.T) {
	for _, c := range []struct {
		trace, provider string
		event           uint32
		of              profile.Type
	}{
		{"net10-deep.v4", sampleEvents, 0, profile.Wall},
		{"net10-mix-cpu.v4", "Microsoft-Windows-DotNETRuntime", 80, profile.Exception},
	} {
		t.Run(c.of.String(), func(t *testing.T) {
			var folded string
			for _, keep := range []bool{false, true} {
				p := read(t, c.trace, profile.Options{Provider: c.provider, Event: c.event, HasEvent: true, RuntimeHelpers: keep})
				got := leaves(p, profile.Event)
				expect.Equal(t, fmt.Sprintf("leaves of the events, helpers kept: %v", keep), got, leaves(p, c.of))
				expect.Equal(t, "the same leaves as folded", got == folded, false)
				folded = got
			}
		})
	}
}

// leaves counts the samples of a type by their innermost function.
func leaves(p *profile.Profile, of profile.Type) string {
	counts := map[string]int{}
	for s := range p.Samples(of) {
		if stack := p.Stack(s.Stack); len(stack) > 0 {
			counts[p.Function(p.Frame(stack[0]).Function).RawName]++
		}
	}
	return fmt.Sprint(counts)
}
