package profile_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/profile"
)

// TestPeriod: samples of a time range and a thread are those of the complete
// trace, and durations end at the end of the range.
func TestPeriod(t *testing.T) {
	const name = "net10-deep.v4"
	all := read(t, name, profile.Options{})
	var busy profile.Thread
	for i, thread := range all.Threads() {
		if n := len(slices.Collect(all.ThreadSamples(profile.Wall, i))); n > 2000 {
			busy = thread
		}
	}
	from, to := all.Start+(all.End-all.Start)/4, all.Start+(all.End-all.Start)/2
	part := read(t, name, profile.Options{Time: window(from, to), Threads: []profile.IDRange{{First: busy.ID, Last: busy.ID}}})
	n := 0
	var last profile.Sample
	for s := range part.Samples(profile.Wall) {
		if n++; s.Ticks < from || s.Ticks >= to || part.Threads()[s.Thread].ID != busy.ID {
			t.Fatalf("a sample at %d of thread %d", s.Ticks, part.Threads()[s.Thread].ID)
		}
		last = s
	}
	if n == 0 || part.Nanos(last.Ticks)+last.Value != part.Nanos(to) {
		t.Errorf("%d samples, the last one ends at %d, the period at %d", n, part.Nanos(last.Ticks)+last.Value, part.Nanos(to))
	}
	if part.Repaired != all.Repaired {
		t.Errorf("repair uses all stacks: %+v, in the complete trace %+v", part.Repaired, all.Repaired)
	}
}

// TestWhy: an empty profile has a reason.
func TestWhy(t *testing.T) {
	for _, c := range []struct {
		trace  string
		opt    profile.Options
		of     profile.Type
		reason profile.Reason
		want   string
	}{
		{"net10-mix-gc.v4", profile.Options{}, profile.Wall, profile.NoEvents, "no events of Microsoft-DotNETCore-SampleProfiler"},
		{"net10-deep.v4", profile.Options{Threads: []profile.IDRange{{First: 1, Last: 1}}}, profile.Wall, profile.Filtered, "samples of type wall are filtered out (threads 1)"},
		{"net10-deep.v4", profile.Options{Time: window(1, 2)}, profile.CPUApprox, profile.Filtered, "samples of type wall are filtered out (times from -"},
		{"net10-deep.v4", profile.Options{}, profile.Alloc, profile.NoEvents, "AllocationTick"},
		{"net10-deep.v4", profile.Options{Types: []profile.Type{profile.Wall}}, profile.Exception, profile.NotAsked, "not asked for"},
		{"net10-deep.v4", profile.Options{}, profile.Event, profile.NoProvider, "no provider was asked for"},
		{"net10-deep.v4", profile.Options{Provider: "No-Such", HasEvent: true, Event: 7}, profile.Event, profile.NoEvents, "no events of No-Such with id 7"},
		{"net10-deep.v4", profile.Options{Provider: "Microsoft-DotNETCore-EventPipe"}, profile.Event, profile.NoStacks, "none of the 1 events of Microsoft-DotNETCore-EventPipe has a stack"},
		{"net10-deep.v4", profile.Options{Select: func(*codec.Event) bool { return false }}, profile.Event, profile.NoEvents, "what was selected"},
		{"net10-mix-gc.v4", profile.Options{States: []profile.State{profile.Waiting}, Select: func(*codec.Event) bool { return true }}, profile.Event, profile.Filtered, "samples of type event are filtered out (states waiting)"},
		{"net10-mix-gc.v4", profile.Options{States: []profile.State{profile.Waiting}, Threads: []profile.IDRange{{First: 1, Last: 1}}}, profile.Alloc, profile.Filtered, "all 243 samples of type alloc-size are filtered out (threads 1)"},
		{"net10-deep.v4", profile.Options{}, profile.Wall, profile.HasSamples, ""},
	} {
		t.Run(fmt.Sprintf("%v/%v", c.of, c.reason), func(t *testing.T) {
			p := read(t, c.trace, c.opt)
			if reason := p.Why(c.of); reason != c.reason {
				t.Errorf("got %v", reason)
			}
			if text := p.ReasonText(c.of); !strings.Contains(text, c.want) || (text == "") != (c.want == "") {
				t.Errorf("%q, want %q", text, c.want)
			}
		})
	}
}

// TestEvents: stacks of any event; runtime events also give their own samples.
func TestEvents(t *testing.T) {
	p := read(t, "net10-deep.v4", profile.Options{Provider: "Microsoft-Windows-DotNETRuntime", Event: 80, HasEvent: true})
	events, exceptions := sum(p, profile.Event), sum(p, profile.Exception)
	if events == 0 || events != exceptions {
		t.Errorf("%d events 80, %d exceptions", events, exceptions)
	}
	for s := range p.Samples(profile.Event) {
		if s.Metadata == nil || s.Metadata.EventID != 80 || len(p.Stack(s.Stack)) == 0 {
			t.Fatalf("%+v", s)
		}
	}
}

// TestFold: with FoldRecursion no run of frames is repeated directly, and only
// repetitions are removed.
func TestFold(t *testing.T) {
	plain, folded := read(t, "net10-deep.v4", profile.Options{}), read(t, "net10-deep.v4", profile.Options{FoldRecursion: true})
	shorter := 0
	each(plain, folded, profile.Wall, func(was, is profile.Sample) {
		long, short := names(plain, was.Stack), names(folded, is.Stack)
		if len(short) < len(long) {
			shorter++
		}
		for period := 1; period <= 8; period++ {
			for i := 0; i+2*period <= len(short); i++ {
				if slices.Equal(short[i:i+period], short[i+period:i+2*period]) {
					t.Fatalf("%v are repeated", short[i:i+period])
				}
			}
		}
		slices.Sort(long)
		slices.Sort(short)
		if !slices.Equal(slices.Compact(long), slices.Compact(short)) {
			t.Fatal("folding loses a function")
		}
	})
	if shorter < 1970 {
		t.Errorf("%d stacks are folded", shorter)
	}
}

// names are the raw names of a stack, leaf first.
func names(p *profile.Profile, id profile.StackID) []string {
	var list []string
	for _, f := range p.Stack(id) {
		list = append(list, p.Function(p.Frame(f).Function).RawName)
	}
	return list
}

// TestLabels: the labels of samples have the keys of the continuous profiler.
func TestLabels(t *testing.T) {
	for _, c := range []struct {
		trace string
		of    profile.Type
		keys  string
	}{
		{"aspnet-net10.v4", profile.Wall, "appdomain process id,thread id,thread name"},
		{"aspnet-net10.v4", profile.Exception, "exception message,exception type"},
		{"aspnet-net10.v4", profile.Alloc, "allocation class"},
		{"aspnet-net10.v4", profile.Lock, "Duration bucket,blocking thread id,contention type"},
		{"net10-allevents.v4", profile.Wait, "Wait duration bucket,contention type"},
		{"aspnet-net10.v4", profile.GC, "gc compacting,gc generation,gc number,gc reason,gc type"},
		{"onecollect-small.v6", profile.CPU, "route"},
	} {
		t.Run(fmt.Sprintf("%v of %s", c.of, c.trace), func(t *testing.T) {
			p := read(t, c.trace, profile.Options{})
			met := map[string]bool{}
			for s := range p.Samples(c.of) {
				for _, l := range p.Labels(&s) {
					met[l.Key] = true
				}
			}
			for key := range strings.SplitSeq(c.keys, ",") {
				if !met[key] {
					t.Errorf("no %q on samples of type %v: %v", key, c.of, met)
				}
			}
		})
	}
}

// TestGC: each pause is below a generation, and most have the number of their
// collection. Each collection has an end.
func TestGC(t *testing.T) {
	p := read(t, "aspnet-net10.v4", profile.Options{})
	for s := range p.Samples(profile.GC) {
		stack := names(p, s.Stack)
		expect.AtLeast(t, "len(stack)", len(stack), 2)
		expect.Stop(t)
		if !strings.HasPrefix(stack[0], "gen ") {
			t.Errorf("stack[0]: got %q, want the prefix %q", stack[0], "gen ")
		}
		if stack[0] == "gen unknown" {
			t.Errorf("stack[0]: got %v, want another value than %v", stack[0], "gen unknown")
		}
		expect.Equal(t, "stack[1]", stack[1], "Garbage Collector")
	}
	kinds := map[profile.MarkKind]int{}
	for m := range p.Marks() {
		kinds[m.Kind]++
		if m.Unfinished || m.Until < m.From || len(m.Labels) == 0 {
			t.Errorf("%+v", m)
		}
	}
	if kinds[profile.Span] != len(slices.Collect(p.Samples(profile.GC))) || kinds[profile.Async] == 0 {
		t.Errorf("marks: %v", kinds)
	}
}

// TestMarks: events of event sources are marks; Start and Stop of one activity
// are two ends of one, with the fields of both.
func TestMarks(t *testing.T) {
	p := read(t, "net10-http.v4", profile.Options{Marks: true})
	requests, instants := 0, 0
	for m := range p.Marks() {
		if m.Kind == profile.Instant {
			instants++
		}
		if m.Provider == "System.Net.Http" && m.Name == "Request" && m.Kind == profile.Async && !m.Unfinished {
			requests++
			if m.Until <= m.From || !slices.ContainsFunc(m.Labels, func(l profile.Label) bool { return l.Key == "host" }) ||
				!slices.ContainsFunc(m.Labels, func(l profile.Label) bool { return l.Key == "statusCode" }) {
				t.Fatalf("%+v", m)
			}
		}
	}
	if requests < 200 || instants == 0 {
		t.Errorf("%d requests, %d instants", requests, instants)
	}
}

// allTypes returns the types of all names.
func allTypes() (types []profile.Type) {
	for _, name := range profile.TypeNames() {
		types = append(types, profile.TypesByName(name)...)
	}
	return types
}

// TestTypeNames: every name denotes types, and every type has a name.
func TestTypeNames(t *testing.T) {
	for _, name := range profile.TypeNames() {
		expect.NotZero(t, "name", name)
	}
	types := allTypes()
	slices.Sort(types)
	for i, of := range types {
		expect.Equal(t, "type by number", of, profile.Type(i))
	}
	expect.Equal(t, "String of the first number without a type", profile.Type(len(types)).String(), "unknown")
	if profile.TypesByName("nothing") != nil {
		t.Errorf("profile.TypesByName(\"nothing\"): got %v, want %v", profile.TypesByName("nothing"), nil)
	}
	expect.Equal(t, "profile.CPUApprox", profile.CPUApprox.String(), "cpu~")
}
