package summary_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/gc"
	"github.com/nettrace-go/nettrace/analysis/requests"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/summary"
)

var options = summary.Options{
	Reader:  codec.Options{Schemas: clr.Schemas, OnError: codec.Skip},
	Profile: profile.LargeLimits(), Analysis: analysis.LargeLimits(),
}

// file returns a trace in memory.
func file(name string, data []byte) summary.File {
	return summary.File{Name: name, Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }}
}

// of returns the Summary of traces, which must have no failures.
func of(t *testing.T, names ...string) *summary.Summary {
	t.Helper()
	b := summary.NewBuilder(options)
	for _, name := range names {
		if err := b.AddTrace(t.Context(), file(name, shared.Trace(t, name))); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return b.Summary()
}

func encode(t *testing.T, s *summary.Summary) []byte {
	t.Helper()
	data, err := s.Encode()
	expect.NoError(t, err)
	return data
}

// TestEvents compares the events of a Summary with those that a Reader delivers.
func TestEvents(t *testing.T) {
	for _, name := range []string{"net10-mix-cpu.v4", "net10-netperf.v3", "onecollect-small.v6"} {
		t.Run(name, func(t *testing.T) {
			count, bytesOf, total := map[string]int64{}, map[string]int64{}, int64(0)
			r := codec.NewReader(bytes.NewReader(shared.Trace(t, name)), options.Reader)
			for ev, err := range r.Events() {
				if err != nil {
					t.Fatal(err)
				}
				key := fmt.Sprint(ev.Provider(), " ", ev.ID(), " ", ev.Name())
				count[key]++
				bytesOf[key] += int64(len(ev.Payload()))
				total++
			}
			s := of(t, name)
			sum := int64(0)
			for _, e := range s.Events {
				key := fmt.Sprint(e.Provider, " ", e.ID, " ", e.Name)
				expect.Equal(t, "number of "+key, e.Count, count[key])
				expect.Equal(t, "bytes of "+key, e.Bytes, bytesOf[key])
				sum += e.Count
			}
			expect.Equal(t, "number of all events", sum, total)
			expect.NotZero(t, "number of all events", sum)
			expect.Equal(t, "lost events", s.Lost, int64(r.Lost()))
		})
	}
}

// TestRepeated: a trace that two files or two Summaries have is an error, in any compression, and
// also if it cannot be read to its end.
func TestRepeated(t *testing.T) {
	trace := shared.Trace(t, "net10-mix-gc.v4")
	for name, data := range map[string][]byte{"complete": trace, "truncated": trace[:len(trace)/2]} {
		one := summary.NewBuilder(options)
		_ = one.AddTrace(t.Context(), file("a", data))
		both := summary.NewBuilder(options)
		expect.NoError(t, both.Merge(of(t, "net10-mix-cpu.v4")))
		expect.NoError(t, both.Merge(one.Summary()))
		expect.ErrorIs(t, both.Merge(one.Summary()), summary.ErrRepeated)
		if err := one.AddTrace(t.Context(), file("b", data)); !errors.Is(err, summary.ErrRepeated) {
			t.Errorf("%s: the same trace twice: %v", name, err)
		}
	}
}

// TestSamples compares the samples of each type, state and innermost function with those of
// the profile.
func TestSamples(t *testing.T) {
	for _, name := range []string{"net10-mix-cpu.v4", "net10-mix-locks.v4", "net10-alloc-sampled.v4", "onecollect-small.v6"} {
		t.Run(name, func(t *testing.T) {
			type sum struct{ count, value int64 }
			want, got := map[string]sum{}, map[string]sum{}
			p, err := profile.FromReader(t.Context(), codec.NewReader(bytes.NewReader(shared.Trace(t, name)), options.Reader), profile.Options{Limits: options.Profile})
			expect.NoError(t, err)
			for _, of := range p.Types() {
				for s := range p.Samples(of) {
					state, leaf := "", ""
					if of == profile.Wall || of == profile.CPUApprox {
						which, _ := p.State(&s)
						state = which.String()
					}
					if stack := p.Stack(s.Stack); len(stack) > 0 {
						f := p.Function(p.Frame(stack[0]).Function)
						leaf = f.Name
						if strings.HasPrefix(f.Name, "?!0x") {
							leaf = summary.NoName
						}
					}
					key := of.String() + " " + state + " " + leaf
					want[key] = sum{want[key].count + 1, want[key].value + s.Value}
				}
			}
			s := of(t, name)
			for i := range s.Samples {
				from := &s.Samples[i]
				for k, node := range from.Node {
					leaf := ""
					if node > 0 {
						leaf = s.Functions[s.Stacks.Function[node-1]].Name
					}
					key := from.Type + " " + from.State + " " + leaf
					got[key] = sum{got[key].count + from.Count[k], got[key].value + from.Value[k]}
				}
			}
			for key, w := range want {
				expect.Equal(t, key, got[key], w)
			}
			expect.Equal(t, "number of leaves", len(got), len(want))
			expect.NotZero(t, "number of leaves", len(got))
		})
	}
}

// TestQuantiles compares the pauses of collections with their exact distribution.
func TestQuantiles(t *testing.T) {
	part := gc.New()
	ordered := options.Reader
	ordered.Order = codec.ByTime
	trace, err := analysis.Read(t.Context(), codec.NewReader(bytes.NewReader(shared.Trace(t, "net10-mix-gc.v4")), ordered), analysis.Options{Parts: []analysis.Part{part}})
	expect.NoError(t, err)
	byKey := map[string][]int64{}
	for _, row := range part.Reports(trace)[0].Rows.([]gc.Row) {
		if nanos, known := row.PauseNs.Get(); known && !row.Unfinished {
			key := string(row.Type)
			if n, known := row.Generation.Get(); known {
				key = fmt.Sprintf("generation %d, %s", n, row.Type)
			}
			byKey[key] = append(byKey[key], nanos)
		}
	}
	pauses := 0
	for _, d := range of(t, "net10-mix-gc.v4").Durations {
		exact := analysis.NewDistribution(byKey[d.Key])
		if d.Kind != summary.GCPauses || exact == nil {
			continue
		}
		pauses++
		expect.Equal(t, d.Key+": number", d.Count, exact.Count)
		expect.Equal(t, d.Key+": sum", d.TotalNs, exact.TotalNs)
		expect.Equal(t, d.Key+": maximum", d.MaxNs, exact.MaxNs)
		for _, q := range []float64{0, 0.25, 0.5, 0.75, 0.95, 0.99, 1} {
			list := byKey[d.Key] // sorted by NewDistribution
			want := float64(list[max(1, int(math.Ceil(q*float64(len(list)))))-1])
			got, _ := d.Quantile(q)
			expect.AtMost(t, fmt.Sprintf("%s: quantile %v: %d instead of %v", d.Key, q, got, want), float64(got), want*1.01)
			expect.AtLeast(t, fmt.Sprintf("%s: quantile %v: %d instead of %v", d.Key, q, got, want), float64(got), want*0.99)
		}
	}
	expect.Equal(t, "keys of pauses", pauses, len(byKey))
}

// TestRequestStates compares the numbers of requests by state with those of the rows.
func TestRequestStates(t *testing.T) {
	for _, name := range []string{"net10-http.v4"} {
		t.Run(name, func(t *testing.T) {
			part, ordered := requests.New(), options.Reader
			ordered.Order = codec.ByTime
			trace, err := analysis.Read(t.Context(), codec.NewReader(bytes.NewReader(shared.Trace(t, name)), ordered), analysis.Options{Parts: []analysis.Part{part}})
			expect.NoError(t, err)
			want, got := map[requests.State]int64{}, map[requests.State]int64{}
			for _, report := range part.Reports(trace) {
				for _, row := range report.Rows.([]requests.Row) {
					if row.State == requests.Ambiguous {
						row.State = requests.Unknown
					}
					want[row.State]++
				}
			}
			for _, d := range of(t, name).Durations {
				if d.Kind == summary.Requests {
					got[requests.Completed] += d.Count
					got[requests.Unfinished] += d.Unfinished
					got[requests.Unknown] += d.Unknown
				}
			}
			for _, state := range []requests.State{requests.Completed, requests.Unfinished, requests.Unknown} {
				expect.Equal(t, string(state), got[state], want[state])
			}
			expect.NotZero(t, "requests without a duration", got[requests.Unknown])
		})
	}
}

// TestRowLimit reads more requests than the limit of a report: the file is partial. Stacks
// above their limit do not change a summary.
func TestRowLimit(t *testing.T) {
	opt := options
	opt.Analysis.Rows = 10
	b, f := summary.NewBuilder(opt), file("x", shared.Trace(t, "net10-http.v4"))
	expect.Contains(t, "error", fmt.Sprint(b.AddTrace(t.Context(), f)), "requests are left out")
	opt.Analysis = analysis.Limits{Stacks: 1, Symbols: 1}
	expect.NoError(t, summary.NewBuilder(opt).AddTrace(t.Context(), f))
}

// TestMerge merges the Summaries of single traces in random orders and shapes: the result
// has the bytes of one Builder that reads all.
func TestMerge(t *testing.T) {
	names := shared.Small(t)
	var parts []*summary.Summary
	b := summary.NewBuilder(options)
	for _, name := range names {
		f := file(name, shared.Trace(t, name))
		one := summary.NewBuilder(options)
		_ = one.AddTrace(t.Context(), f) // a truncated trace is in Failures
		_ = b.AddTrace(t.Context(), f)
		parts = append(parts, one.Summary())
	}
	want := encode(t, b.Summary())
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 5 {
		t.Run(fmt.Sprint("round ", round), func(t *testing.T) {
			rest := slices.Clone(parts)
			for len(rest) > 1 {
				random.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
				n := 2 + random.IntN(min(4, len(rest)-1))
				b := summary.NewBuilder(options)
				for _, part := range rest[:n] {
					stored, err := summary.Decode(encode(t, part))
					expect.NoError(t, err)
					expect.NoError(t, b.Merge(stored))
				}
				rest = append(rest[n:], b.Summary())
			}
			expect.Bytes(t, "summary", encode(t, rest[0]), want)
		})
	}
}

// TestFailures reads a truncated trace and a file that is no trace.
func TestFailures(t *testing.T) {
	data := shared.Trace(t, "net10-mix-gc.v4")
	b := summary.NewBuilder(options)
	expect.ErrorIs(t, b.AddTrace(t.Context(), file("b", data[:len(data)/2])), codec.ErrTruncated)
	expect.ErrorIs(t, b.AddTrace(t.Context(), file("a", []byte("<html>"))), codec.ErrNotNetTrace)
	s := b.Summary()
	expect.Equal(t, "files", s.Files, 1)
	expect.Len(t, "failures", s.Failures, 2)
	expect.Stop(t)
	expect.Equal(t, "first failure", s.Failures[0].File, "a")
	expect.Equal(t, "first failure is partial", s.Failures[0].Partial, false)
	expect.Equal(t, "second failure", s.Failures[1].File, "b")
	expect.Equal(t, "second failure is partial", s.Failures[1].Partial, true)
	expect.NotZero(t, "types of events", len(s.Events))
}

// TestLimit adds more call paths than Options.Nodes allows.
func TestLimit(t *testing.T) {
	opt := options
	opt.Nodes = 1000
	b := summary.NewBuilder(opt)
	expect.ErrorIs(t, b.AddTrace(t.Context(), file("x", shared.Trace(t, "net10-mix-cpu.v4"))), summary.ErrLimit)
}

// TestDecode tries data that Decode must refuse.
func TestDecode(t *testing.T) {
	pack := func(change func(document map[string]any)) []byte {
		plain, err := json.Marshal(of(t, "net10-mix-gc.v4"))
		expect.NoError(t, err)
		var document map[string]any
		expect.NoError(t, json.Unmarshal(plain, &document))
		change(document)
		plain, err = json.Marshal(document)
		expect.NoError(t, err)
		z, err := zstd.NewWriter(nil)
		expect.NoError(t, err)
		return z.EncodeAll(plain, nil)
	}
	first := func(document map[string]any, key string) map[string]any {
		return document[key].([]any)[0].(map[string]any)
	}
	_, err := summary.Decode(pack(func(d map[string]any) { d["version"] = 2 }))
	expect.Equal(t, "newer version", fmt.Sprint(err), (&summary.VersionError{Version: 2}).Error())
	for _, c := range []struct {
		name string
		data []byte
	}{
		{"empty", nil},
		{"a trace", shared.Trace(t, "net10-empty.v4")},
		{"another document", pack(func(d map[string]any) { clear(d) })},
		{"no version", pack(func(d map[string]any) { delete(d, "version") })},
		{"a depth of 0", pack(func(d map[string]any) { d["stacks"].(map[string]any)["depth"].([]any)[0] = 0 })},
		{"a depth without a parent", pack(func(d map[string]any) { d["stacks"].(map[string]any)["depth"].([]any)[0] = 2 })},
		{"a function that does not exist", pack(func(d map[string]any) { d["functions"] = []any{} })},
		{"a node that does not exist", pack(func(d map[string]any) { first(d, "samples")["node"].([]any)[0] = 1 << 30 })},
		{"nodes that are not ascending", pack(func(d map[string]any) {
			for _, of := range d["samples"].([]any) {
				slices.Reverse(of.(map[string]any)["node"].([]any))
			}
		})},
		{"a negative number of samples", pack(func(d map[string]any) { first(d, "samples")["count"].([]any)[0] = -1 })},
		{"a negative number of files", pack(func(d map[string]any) { d["files"] = -1 })},
		{"a negative number of events", pack(func(d map[string]any) { first(d, "events")["count"] = -1 })},
		{"a negative number of durations", pack(func(d map[string]any) { first(d, "durations")["count"] = -1 })},
		{"lists of different lengths", pack(func(d map[string]any) { first(d, "samples")["count"] = []any{} })},
		{"a bin of no duration", pack(func(d map[string]any) { first(d, "durations")["first"] = int64(1 << 40) })},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := summary.Decode(c.data)
			expect.ErrorIs(t, err, summary.ErrFormat)
		})
	}
}

// TestInvalidText adds texts that are not UTF-8, of a damaged trace and of a file name: a
// summary that was stored has the same bytes after a merge, and no name twice.
func TestInvalidText(t *testing.T) {
	const name = "Universal.System"
	data := shared.Trace(t, "onecollect-small.v6")
	expect.AtLeast(t, "uses of the name", bytes.Count(data, []byte(name)), 1)
	b := summary.NewBuilder(options)
	for _, wrong := range []string{"\xff", "\xfe", "\xff\xfe"} {
		changed := bytes.ReplaceAll(data, []byte(name), []byte(wrong+name[len(wrong):]))
		expect.NoError(t, b.AddTrace(t.Context(), file("x", changed)))
		b.AddFailure(summary.Failure{File: wrong, Error: wrong})
	}
	want := encode(t, b.Summary())
	stored, err := summary.Decode(want)
	expect.NoError(t, err)
	again := summary.NewBuilder(options)
	expect.NoError(t, again.Merge(stored))
	expect.Bytes(t, "summary", encode(t, again.Summary()), want)
	expect.Contains(t, "first provider", stored.Events[len(stored.Events)-1].Provider, "\uFFFD")
}
