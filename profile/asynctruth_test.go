package profile_test

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
)

// asyncPart is a line of async-chain.truth.ndjson: a thread computes in the
// method Worker from Begin to End, in ticks. Part 1 is after an await of Method.
type asyncPart struct {
	Scenario, Method, Worker string
	Part                     int
	Thread, Begin, End       uint64
	Stack                    []string // async methods, innermost first
}

// asyncParts returns the parts of the program of async-chain.
func asyncParts(t *testing.T) []asyncPart {
	t.Helper()
	var parts []asyncPart
	for line := range bytes.Lines(shared.TruthFile(t, "async-chain.truth.ndjson")) {
		if !bytes.Contains(line, []byte(`"worker":`)) {
			continue
		}
		var p asyncPart
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatal(err)
		}
		// The task of Task.WhenAll runs no code, so that it is on no stack.
		p.Stack = slices.DeleteFunc(p.Stack, func(method string) bool { return method == "WhenAll" })
		parts = append(parts, p)
	}
	return parts
}

var stateMachine = regexp.MustCompile(`Program\+<(\w+)>d__\d+\.MoveNext\(`)

// asyncMethods returns the async methods of the program on a stack, innermost
// first.
func asyncMethods(p *profile.Profile, id profile.StackID) []string {
	var methods []string
	for _, f := range p.Stack(id) {
		if m := stateMachine.FindStringSubmatch(p.Function(p.Frame(f).Function).RawName); m != nil {
			methods = append(methods, m[1])
		}
	}
	return methods
}

// readAsyncChain reads the trace async-chain with options.
func readAsyncChain(t *testing.T, opt profile.Options) *profile.Profile {
	t.Helper()
	data := shared.TruthFile(t, "async-chain.v4.nettrace.zst")
	p, err := profile.FromReader(t.Context(), codec.NewReader(bytes.NewReader(data), codec.Options{}), opt)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestAsyncTruth: the stacks in each part after an await have exactly the async
// methods that the program printed, or are ambiguous where two methods await one
// task. The stacks are those of the samples of the part. Two short parts have no
// sample: theirs is that of the event TraceOperationEnd that follows.
func TestAsyncTruth(t *testing.T) {
	const operationEnd = 15
	p := readAsyncChain(t, profile.Options{Async: true, Provider: "System.Threading.Tasks.TplEventSource", Event: operationEnd, HasEvent: true})
	exact, ambiguous, samples := 0, 0, 0
	for _, part := range asyncParts(t) {
		if part.Part == 0 {
			continue
		}
		stacks := samplesOf(p, &part)
		samples += len(stacks)
		for s := range p.Samples(profile.Event) {
			if len(stacks) == 0 && p.Threads()[s.Thread].ID == part.Thread && s.Ticks > part.End {
				stacks = append(stacks, s)
				break
			}
		}
		join := stacks[0].Join
		for _, s := range stacks {
			expect.Equal(t, part.Scenario+" "+part.Method+": result", s.Join, join)
			if got := asyncMethods(p, s.Stack); join == profile.Joined && !slices.Equal(got, part.Stack) {
				t.Errorf("%s %s at %d: async methods are %v, want %v", part.Scenario, part.Method, s.Ticks, got, part.Stack)
			}
		}
		switch join {
		case profile.Joined:
			exact++
		case profile.Ambiguous:
			ambiguous++
			expect.Equal(t, "method of an ambiguous part", part.Method == "First" || part.Method == "Second", true)
		}
	}
	expect.Equal(t, "parts with exactly the methods of the program", exact, 64)
	expect.Equal(t, "ambiguous parts", ambiguous, 4)
	expect.Equal(t, "samples", samples, 383)
}

// samplesOf returns the samples in a part.
func samplesOf(p *profile.Profile, part *asyncPart) []profile.Sample {
	var list []profile.Sample
	for s := range p.Samples(profile.Wall) {
		if p.Threads()[s.Thread].ID == part.Thread && part.Begin <= s.Ticks && s.Ticks <= part.End && onStack(p, s.Stack, "Program."+part.Worker+"(") {
			list = append(list, s)
		}
	}
	return list
}

// TestAsyncTruthBefore: the samples of the parts before an await have exactly
// the async methods of the program, also in a task of Task.Run. TimerBody is not
// async, and nothing awaits it.
func TestAsyncTruthBefore(t *testing.T) {
	p := readAsyncChain(t, profile.Options{Async: true})
	samples := 0
	for _, part := range asyncParts(t) {
		if part.Part > 0 || part.Method == "TimerBody" {
			continue
		}
		for _, s := range samplesOf(p, &part) {
			samples++
			if got := asyncMethods(p, s.Stack); !slices.Equal(got, part.Stack) {
				t.Errorf("%s %s at %d: async methods are %v, want %v", part.Scenario, part.Method, s.Ticks, got, part.Stack)
			}
		}
	}
	expect.Equal(t, "samples", samples, 79)
}

// TestAsyncCounts: CountJoins counts the samples of a type, and joining changes
// neither values nor states.
func TestAsyncCounts(t *testing.T) {
	plain, p := readAsyncChain(t, profile.Options{}), readAsyncChain(t, profile.Options{Async: true})
	expect.Equal(t, "joins", p.CountJoins(profile.Wall, profile.CPUApprox), profile.JoinSummary{Joined: 519, Ambiguous: 5, Unjoined: 5, Physical: 2125})
	expect.Equal(t, "joins without Async", plain.CountJoins(profile.Wall), profile.JoinSummary{Physical: 2654})
	expect.Slices(t, "time by state", p.TimeByState(), plain.TimeByState())
	expect.Equal(t, "sum in nanoseconds", sum(p, profile.Wall), sum(plain, profile.Wall))
}

// onStack reports whether the raw name of a frame contains a text.
func onStack(p *profile.Profile, id profile.StackID, text string) bool {
	return slices.ContainsFunc(p.Stack(id), func(f profile.FrameID) bool {
		return strings.Contains(p.Function(p.Frame(f).Function).RawName, text)
	})
}
