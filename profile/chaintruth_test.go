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

// chainPart is a line of the truth of async-truth: a thread computes in Worker from Begin to
// End, in ticks. Stack has the program's async methods, innermost first, with marks
// between chains.
type chainPart struct {
	RuntimeAsync     bool
	Scenario, Method string
	Worker           string
	Thread           uint64
	Begin, End       uint64
	Stack, Creator   []string
}

// chainCounts are the samples in the workers of a recording: those whose chain is the true
// one, is cut at its outer end, or has its first frames only; those with a wrong one; those
// whose whole stack, with what created the chain, is the true one, begins with it, or is
// wrong; and those that have a physical stack only although there is more, by reason.
type chainCounts struct {
	Samples, Right, Cut, First, Wrong int
	Whole, WholeFirst, WholeWrong     int
	NotCovered, Unjoined, Ambiguous   int
}

// chainTruth are the recordings of async-truth with samples, and what is expected of
// them.
var chainTruth = map[string]chainCounts{
	"runtime-cpu":         {Samples: 355, Right: 327, Cut: 26, Whole: 287, WholeFirst: 66, Ambiguous: 2},
	"runtime-tpl":         {Samples: 302, Right: 292, Cut: 10, Whole: 263, WholeFirst: 39},
	"runtime-attach":      {Samples: 1005, Right: 616, Cut: 36, Whole: 493, WholeFirst: 159, NotCovered: 296, Unjoined: 49, Ambiguous: 8},
	"runtime-stopped":     {Samples: 1647, Right: 819, Whole: 583, WholeFirst: 236, NotCovered: 815, Unjoined: 13},
	"runtime-toggle":      {Samples: 531, Right: 479, Cut: 49, Whole: 479, WholeFirst: 49, Ambiguous: 3},
	"runtime-smallbuffer": {Samples: 147, Right: 133, Cut: 10, Whole: 123, WholeFirst: 20, Ambiguous: 4},
	"runtime-methods-off": {Samples: 195, Right: 177, Cut: 14, Whole: 146, WholeFirst: 45, Ambiguous: 4},
	"runtime-noflush":     {Samples: 156, Right: 1, Whole: 1, NotCovered: 155},
	"machine-cpu":         {Samples: 329, Right: 299, Cut: 25, Whole: 274, WholeFirst: 50, Ambiguous: 5},
	"machine-tpl":         {Samples: 279, Right: 265, Cut: 3, Whole: 227, WholeFirst: 41, NotCovered: 8, Unjoined: 1, Ambiguous: 2},
	"machine-attach":      {Samples: 757, Right: 341, Cut: 28, Whole: 272, WholeFirst: 97, NotCovered: 378, Unjoined: 9, Ambiguous: 1},
	"machine-stopped":     {Samples: 1081, Right: 285, Cut: 17, Whole: 240, WholeFirst: 62, NotCovered: 765, Ambiguous: 14},
	"machine-toggle":      {Samples: 266, Right: 208, Cut: 52, Whole: 163, WholeFirst: 97, Ambiguous: 6},
	"machine-smallbuffer": {Samples: 219, Right: 219, Whole: 201, WholeFirst: 18},
	"machine-methods-off": {Samples: 146, Right: 135, First: 1, Whole: 64, WholeFirst: 72, Ambiguous: 10},
	"machine-noflush":     {Samples: 90, Right: 2, Whole: 2, NotCovered: 88},
}

// TestChainTruth: no sample in a worker of the program has a wrong logical stack.
func TestChainTruth(t *testing.T) {
	for name, want := range chainTruth {
		got := countChains(t, "async11/async11-"+name)
		if got != want {
			t.Errorf("%s:\n     got %+v\nexpected %+v", name, got, want)
		}
		expect.Equal(t, name+": wrong stacks", got.Wrong+got.WholeWrong, 0)
	}
}

// countChains compares the samples of a recording with its truth.
func countChains(t *testing.T, file string) (n chainCounts) {
	t.Helper()
	data := shared.File(t, file+".v4.nettrace.zst")
	p, err := profile.FromReader(t.Context(), codec.NewReader(bytes.NewReader(data), codec.Options{}), profile.Options{Types: []profile.Type{profile.Wall}})
	if err != nil {
		t.Fatal(err)
	}
	parts := map[uint64][]chainPart{}
	runtimeAsync := false
	for line := range bytes.Lines(shared.File(t, file+".truth.ndjson")) {
		if bytes.Contains(line, []byte(`"end":true`)) {
			break
		}
		var part chainPart
		if err := json.Unmarshal(line, &part); err != nil {
			t.Fatal(err)
		}
		runtimeAsync = runtimeAsync || part.RuntimeAsync
		if part.Worker != "" {
			parts[part.Thread] = append(parts[part.Thread], part)
		}
	}
	for s := range p.Samples(profile.Wall) {
		for i := range parts[p.Threads()[s.Thread].ID] {
			part := &parts[p.Threads()[s.Thread].ID][i]
			if s.Ticks < part.Begin || s.Ticks > part.End || !onStack(p, s.Stack, "Program."+part.Worker+"(") {
				continue
			}
			n.compare(t, p, &s, part, runtimeAsync)
		}
	}
	return n
}

// marks are no methods: they end chains.
var chainMarks = []string{"WhenAll", "Run", "Delegate", "Kind", "Task", "Iterator", "Library"}

// compare compares the stack of a sample with that of the part it is in.
func (n *chainCounts) compare(t *testing.T, p *profile.Profile, s *profile.Sample, part *chainPart, runtimeAsync bool) {
	n.Samples++
	switch s.Join {
	case profile.NotCovered:
		n.NotCovered++
		return
	case profile.Unjoined:
		n.Unjoined++
		return
	case profile.Ambiguous:
		n.Ambiguous++
		return
	}
	isMark := func(m string) bool { return slices.Contains(chainMarks, m) || m == "" }
	whole := slices.DeleteFunc(slices.Clone(part.Stack), isMark)
	creator := slices.DeleteFunc(slices.Clone(part.Creator), isMark)
	var chain []string
	for _, m := range part.Stack {
		if isMark(m) && (runtimeAsync && m != "Library" || !runtimeAsync && m != "Delegate" && m != "Task" && m != "Kind") {
			break
		}
		if !isMark(m) {
			chain = append(chain, m)
		}
	}
	own, full := chainMethods(p, s.Stack, false), chainMethods(p, s.Stack, true)
	if !runtimeAsync && part.Method == "Shared" { // the chain is that of one of the two methods that await it
		for _, waiter := range []string{"First", "Second"} {
			if len(full) > 1 && full[1] == waiter {
				chain, whole = []string{"Shared", waiter}, slices.Concat([]string{"Shared", waiter}, whole[1:])
			}
		}
	}
	switch {
	case slices.Equal(own, chain) || slices.Equal(own, whole):
		n.Right++
	case s.Cut && begins(chain, own):
		n.Cut++
	case begins(chain, own):
		n.First++
	default:
		n.Wrong++
		t.Logf("%s %s at %d: %v, want %v", part.Scenario, part.Method, s.Ticks, own, chain)
	}
	switch {
	case slices.Equal(full, whole) || len(creator) > 0 && slices.Equal(full, creator):
		n.Whole++
	case begins(whole, full) || begins(creator, full):
		n.WholeFirst++
	default:
		n.WholeWrong++
		t.Logf("%s %s at %d, whole: %v, want %v", part.Scenario, part.Method, s.Ticks, full, whole)
	}
}

// begins reports whether a list begins with another one.
func begins(list, with []string) bool {
	return len(with) <= len(list) && slices.Equal(list[:len(with)], with)
}

var (
	machineName = regexp.MustCompile(`!Program(?:\+\w+)?\+<(\w+)>d__\d+(?:` + "`" + `\d+)?\.MoveNext\(`)
	methodName  = regexp.MustCompile(`!Program(?:\+(?:Job|Source|Target|Handler))?\.(\w+)\(`)
	plainName   = regexp.MustCompile(`^(Do|Spin|Main|Now|Add|Q|Part|Wait|Whole|DeepStack|RunBody|Work\w+)$`)
)

// chainMethods returns the async methods of the program on a stack, innermost first. The
// stub of a state machine directly below it is the same method.
func chainMethods(p *profile.Profile, id profile.StackID, creators bool) (methods []string) {
	stub := ""
	for _, f := range p.Stack(id) {
		frame := p.Frame(f)
		if frame.Kind == profile.CreatedBy && !creators {
			break
		}
		name := p.Function(frame.Function).RawName
		if m := machineName.FindStringSubmatch(name); m != nil {
			methods = append(methods, m[1])
			stub = m[1]
		} else if m := methodName.FindStringSubmatch(name); m != nil && !plainName.MatchString(m[1]) {
			if m[1] != stub {
				methods = append(methods, m[1])
			}
			stub = ""
		}
	}
	return methods
}

// TestSameLogicalStacks: methods that .NET 10 joins by tasks, and .NET 11 by the async profiler as state machines and as
// runtime-async methods, have the same logical stacks, but for the names that the compiler makes.
func TestSameLogicalStacks(t *testing.T) {
	want := []string{"A Request", "B A Request", "C B A Request", "D RequestFalse", "Never RequestSync", "RequestTimer"}
	for file, opt := range map[string]profile.Options{
		"truth/async-chain": {Async: true}, "async11/async11-machine-cpu": {}, "async11/async11-runtime-cpu": {},
	} {
		opt.Types = []profile.Type{profile.Wall}
		p, err := profile.FromReader(t.Context(), codec.NewBytesReader(shared.File(t, file+".v4.nettrace.zst"), codec.Options{}), opt)
		expect.NoError(t, err)
		var found []string
		for s := range p.Samples(profile.Wall) {
			methods := chainMethods(p, s.Stack, true)
			request := slices.IndexFunc(methods, func(m string) bool { return strings.HasPrefix(m, "Request") })
			if request < 0 || s.Join != profile.Joined && s.Join != profile.NotAsync {
				continue
			}
			if path := strings.Join(methods[:request+1], " "); slices.Contains(want, path) || strings.Contains("ABCD", methods[0]) {
				found = append(found, path)
			}
		}
		slices.Sort(found)
		expect.Equal(t, file, strings.Join(slices.Compact(found), ", "), strings.Join(want, ", "))
	}
}
