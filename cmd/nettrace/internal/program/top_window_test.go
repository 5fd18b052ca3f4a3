package program_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	pprof "github.com/google/pprof/profile"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tier"
	"github.com/nettrace-go/nettrace/internal/viewers"
)

// windows are combinations of bounds of a trace of about 5 s.
var windows = [][]string{
	nil, {"--from=2s"}, {"--to=2s"}, {"--from=2s", "--to=3s"}, {"--from=-1h"}, {"--to=1h"}, {"--from=-2h", "--to=2h"},
	{"--from=1.0000001s", "--to=1.2s"},
}

// topHead is what the tests read of top --json.
type topHead struct {
	Type           string
	Samples        int64
	Total          int64
	StartNs, EndNs int64
	FromNs, ToNs   *int64
	NotSampledNs   int64
	NotSampled     []struct{ Ns int64 }
	Unfinished     int64
	Stacks         struct{ Complete, Repaired, Truncated int64 }
	Rows           []struct{ Self, Total, Samples int64 }
}

// TestProfileWindows checks that the numbers of all formats agree in every window
// and are possible.
func TestProfileWindows(t *testing.T) {
	traces := []string{"net10-mix-locks.v4", "net10-mix-cpu.v4", "net10-deep.v4"}
	if !tier.Check {
		t.Log("in make test " + strings.Join(traces[1:], " and ") + " are left out")
		traces = traces[:1]
	}
	for _, name := range traces {
		data := testfile.Plain(t, name)
		trace, err := codec.NewBytesReader(data, codec.Options{}).Trace()
		if err != nil {
			t.Fatal(err)
		}
		for _, window := range windows {
			for _, kind := range []string{"wall", "cpu", "lock", "wait", "gc", "alloc", "exceptions"} {
				t.Run(name+" "+kind+" "+strings.Join(window, " "), func(t *testing.T) {
					flags := append([]string{"--type", kind, "--no-repair", "-"}, window...)
					top := programtest.Run(t, data, append([]string{"top", "--json", "--limit", "0"}, flags...)...)
					if top.Code == exit.Broken && strings.Contains(top.Stderr, "nothing to show: ") && top.Out == "" {
						for _, format := range []string{"folded", "speedscope", "pprof"} {
							t.Run(format, func(t *testing.T) {
								if r := programtest.Run(t, data, append([]string{"convert", "-o", "-", "--format", format}, flags...)...); r.Code != exit.Broken || r.Out != "" {
									t.Errorf("exit status %d, %d bytes, but top has nothing to show", r.Code, len(r.Out))
								}
							})
						}
						return
					}
					var head topHead
					if err := json.Unmarshal([]byte(top.Out), &head); err != nil || top.Code != exit.Done {
						t.Fatalf("exit status %d, %v: %s", top.Code, err, top.Stderr)
					}
					checkTopHead(t, &head)
					folded := programtest.Run(t, data, append([]string{"convert", "-o", "-", "--format", "folded"}, flags...)...)
					_, sum, err := viewers.ParseFolded(folded.Out)
					expect.NoError(t, err)
					expect.Equal(t, "sum", sum, head.Total)
					expect.NotZero(t, "stdout", folded.Out)
					scope := programtest.Run(t, data, append([]string{"convert", "-o", "-", "--format", "speedscope"}, flags...)...)
					if _, err := viewers.ParseSpeedscope([]byte(scope.Out)); err != nil {
						t.Errorf("speedscope: %v", err)
					}
					checkPprof(t, data, trace, &head, flags)
				})
			}
		}
	}
}

func checkTopHead(t *testing.T, head *topHead) {
	t.Helper()
	sum, notSampled := int64(0), int64(0)
	for _, row := range head.Rows {
		sum += row.Self
		expect.AtLeast(t, "row.Self", row.Self, 0)
		expect.AtLeast(t, "row.Total", row.Total, row.Self)
		expect.AtMost(t, "row.Total", row.Total, head.Total)
	}
	for _, n := range head.NotSampled {
		notSampled += n.Ns
	}
	if sum != head.Total {
		t.Errorf("rows add up to %d, the head has %d", sum, head.Total)
	}
	if notSampled != head.NotSampledNs {
		t.Errorf("by thread %d ns are not sampled, in all %d", notSampled, head.NotSampledNs)
	}
	if s := head.Stacks; s.Complete+s.Repaired+s.Truncated != head.Samples {
		t.Errorf("stacks %+v of %d samples", s, head.Samples)
	}
}

// checkPprof compares the total, the time and the duration of a pprof profile.
func checkPprof(t *testing.T, data []byte, trace *codec.Trace, head *topHead, flags []string) {
	t.Helper()
	r := programtest.Run(t, data, append([]string{"convert", "-o", "-", "--format", "pprof"}, flags...)...)
	p, err := pprof.ParseData([]byte(r.Out))
	if err != nil {
		t.Errorf("pprof: %v", err)
		return
	}
	sum := int64(0)
	for i, of := range p.SampleType {
		if of.Type == head.Type {
			for _, s := range p.Sample {
				sum += s.Value[i]
			}
		}
	}
	if sum != head.Total {
		t.Errorf("pprof: sum %d, want %d", sum, head.Total)
	}
	from, to := head.StartNs, head.EndNs
	if head.FromNs != nil {
		from = max(from, *head.FromNs)
	}
	if head.ToNs != nil {
		to = min(to, *head.ToNs)
	}
	if p.DurationNanos != to-from {
		t.Errorf("pprof: a duration of %d ns, want %d", p.DurationNanos, to-from)
	}
	if want := trace.SyncTime.Add(time.Duration(from)).UnixNano(); p.TimeNanos != want {
		t.Errorf("pprof: at %d, want %d", p.TimeNanos, want)
	}
}

// TestProfileEmptyWindows checks that a window that selects nothing is an error
// which says why.
func TestProfileEmptyWindows(t *testing.T) {
	data := testfile.Plain(t, "net10-mix-cpu.v4")
	for _, c := range []struct {
		flags, why string
		code       int
	}{
		{"--from=1h", "times from 3600.000 s of a recording from 0.004 s to 5.485 s", exit.Broken},
		{"--from=1000000h", "times from 3600000000.000 s of a recording", exit.Broken},
		{"--to=0s", "times before 0.000 s of a recording", exit.Broken},
		{"--to=-1000000h", "times before -", exit.Broken},
		{"--from=-3h --to=-2h", "times from -", exit.Broken},
		{"--from=2s --to=2s", "times from 2.000 s to 2.000 s of a recording", exit.Broken},
		{"--from=3s --to=2s", "--to is a time before --from", exit.Usage},
		{"--from=3", "neither a duration", exit.Usage},
	} {
		for _, verb := range []string{"top -", "top --json -", "convert - -o - --format folded", "convert - -o - --format pprof", "convert - -o - --format speedscope"} {
			t.Run(verb+" "+c.flags, func(t *testing.T) {
				r := programtest.Run(t, data, append(strings.Fields(verb), strings.Fields(c.flags)...)...)
				if r.Code != c.code || r.Out != "" {
					t.Errorf("got exit status %d and %d bytes, want %d and none", r.Code, len(r.Out), c.code)
				}
				if !strings.Contains(r.Stderr, c.why) {
					t.Errorf("got %q, want %q", r.Stderr, c.why)
				}
			})
		}
	}
}

// TestTopCountsWhatIsShown checks that truncated stacks are counted among the samples
// of the window, the thread and the type.
func TestTopCountsWhatIsShown(t *testing.T) {
	data := testfile.Plain(t, "net10-deep.v4")
	all := topHeadOf(t, data, "--no-repair")
	if all.Stacks.Truncated == 0 {
		t.Fatal("no stack is truncated")
	}
	first, rest := topHeadOf(t, data, "--no-repair", "--to=1s"), topHeadOf(t, data, "--no-repair", "--from=1s")
	if first.Stacks.Truncated >= all.Stacks.Truncated || rest.Stacks.Truncated >= all.Stacks.Truncated {
		t.Errorf("got %d and %d truncated stacks in two parts of %d", first.Stacks.Truncated, rest.Stacks.Truncated, all.Stacks.Truncated)
	}
	if got, limit := first.Stacks.Truncated+rest.Stacks.Truncated, all.Stacks.Truncated+3; got < all.Stacks.Truncated || got > limit {
		t.Errorf("got %d truncated stacks in both parts, want %d and those of samples that are in both", got, all.Stacks.Truncated)
	}
	if got := topHeadOf(t, data, "--no-repair", "--type=exceptions"); got.Stacks.Complete+got.Stacks.Truncated != got.Samples {
		t.Errorf("got %+v of %d exceptions", got.Stacks, got.Samples)
	}
}

func topHeadOf(t *testing.T, data []byte, flags ...string) *topHead {
	t.Helper()
	r := programtest.Run(t, data, append([]string{"top", "--json", "-"}, flags...)...)
	var head topHead
	if err := json.Unmarshal([]byte(r.Out), &head); err != nil {
		t.Fatalf("exit status %d, %v: %s", r.Code, err, r.Stderr)
	}
	return &head
}

// TestTopHeadTexts checks what the head says beside sums.
func TestTopHeadTexts(t *testing.T) {
	for _, c := range []struct{ name, trace, flags, want string }{
		{"window", "net10-mix-cpu.v4", "--from=2s --to=3s", "times from 2.000 s to 3.000 s of a recording from 0.004 s to 5.485 s\n"},
		{"not sampled", "net10-mix-cpu.v4", "", "not sampled: 3.97 s of 2 threads, which no sample counts\n"},
		{"unfinished", "net10-mix-locks.v4", "--type=wait", "unfinished: 3 samples whose end is not in the trace, counted up to the end of the recording at most\n"},
		{"truncated", "net10-deep.v4", "--no-repair", "samples with a stack truncated at 100 frames: 0 repaired, "},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, testfile.Plain(t, c.trace), append([]string{"top", "-"}, strings.Fields(c.flags)...)...)
			if r.Code != exit.Done || !strings.Contains(r.Out, c.want) {
				t.Errorf("exit status %d, got %.600q, want %q", r.Code, r.Out, c.want)
			}
		})
	}
}
