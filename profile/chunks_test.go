package profile_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/internal/chunks"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/longtrace"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/folded"
	"github.com/nettrace-go/nettrace/profile/pprof"
	"github.com/nettrace-go/nettrace/profile/speedscope"
)

var skipping = codec.Options{Schemas: clr.Schemas, OnError: codec.Skip}

// fromChunks reads a stream in chunks of 4 kB with some goroutines.
func fromChunks(t *testing.T, x *codec.Index, workers int, opt profile.Options) (*profile.Profile, *codec.ChunkJoin, error) {
	t.Helper()
	return profile.FromChunks(t.Context(), profile.Chunks{Index: x, Size: 1, Workers: workers}, opt)
}

// sameProfiles compares the Profiles of a stream that several goroutines read with that of
// one. It returns false if one must read it.
func sameProfiles(t *testing.T, stream []byte, opt profile.Options) bool {
	t.Helper()
	return sameWith(t, stream, skipping, opt)
}

// sameWith is sameProfiles with other options of the Readers.
func sameWith(t *testing.T, stream []byte, reading codec.Options, opt profile.Options) bool {
	t.Helper()
	x := chunks.NewIndex(bytes.NewReader(stream), int64(len(stream)), reading)
	if x == nil {
		return false
	}
	r := codec.NewBytesReader(stream, reading)
	one, failed := profile.FromReader(t.Context(), r, opt)
	want := parts(one)
	all := []int{2, 7}
	if !tier.Check {
		all = []int{3}
	}
	for _, workers := range all {
		got, join, err := fromChunks(t, x, workers, opt)
		expect.Equal(t, "error", fmt.Sprint(err), fmt.Sprint(failed))
		expect.Equal(t, "error of the stream", fmt.Sprint(join.Err()), fmt.Sprint(r.Err()))
		expect.Equal(t, "defects", fmt.Sprint(join.Defects()), fmt.Sprint(r.Defects()))
		expect.Equal(t, "lost", join.Lost(), r.Lost())
		for name, text := range parts(got) {
			if text != want[name] {
				t.Errorf("%s: %d bytes that differ from those of one goroutine, %d", name, len(text), len(want[name]))
			}
		}
		expect.Stop(t)
	}
	return true
}

// parts returns what a Profile has, by name.
func parts(p *profile.Profile) map[string]string {
	text := map[string]string{"fields": fmt.Sprint(p.CommandLine, p.Start, p.End, p.Interval, p.Repaired, p.Lost, p.Unnamed, p.Threads(), p.TotalNotSampled(), p.HasThreadTimes())}
	for of := profile.Wall; of <= profile.Event; of++ {
		text[of.String()] = fmt.Sprint(p.Why(of), "\n", samplesText(p, of))
	}
	var b bytes.Buffer
	for m := range p.Marks() {
		fmt.Fprintln(&b, m)
	}
	text["marks"] = b.String()
	for name, write := range map[string]func(io.Writer) error{
		"pprof":      func(w io.Writer) error { return pprof.New(p, pprof.Options{}).Write(w) },
		"speedscope": func(w io.Writer) error { return speedscope.Write(w, p, speedscope.Options{}) },
		"folded":     func(w io.Writer) error { return folded.Write(w, p, folded.Options{}) },
	} {
		b.Reset()
		err := write(&b)
		text[name] = fmt.Sprint(err, b.String())
	}
	return text
}

// samplesText returns the samples of a type, with their stacks.
func samplesText(p *profile.Profile, of profile.Type) string {
	var b bytes.Buffer
	for s := range p.Samples(of) {
		labels := p.Labels(&s)
		if s.Metadata != nil { // a row of the goroutine's Reader
			fmt.Fprint(&b, s.Metadata.Provider, s.Metadata.EventID)
			s.Metadata = nil
		}
		fmt.Fprintln(&b, s, labels, p.Stack(s.Stack))
	}
	return b.String()
}

// TestChunks: the Profile of a stream is the same whether one goroutine reads it or several
// do.
func TestChunks(t *testing.T) {
	divided := 0
	run := func(name string, stream func(testing.TB, string) []byte, marks bool) {
		t.Run(name, func(t *testing.T) {
			if sameProfiles(t, stream(t, name), profile.Options{Limits: profile.LargeLimits(), Marks: marks}) {
				divided++
			}
		})
	}
	for _, name := range shared.Small(t) {
		run(name, shared.Trace, false)
	}
	for _, entry := range shared.SmallCorpora(t) {
		if !entry.Recorded() {
			run(entry.Name, shared.Trace, false)
		}
	}
	for _, name := range shared.Streams(t) {
		run(name, shared.Stream, true)
	}
	many := 20
	if shared.Race { // few streams
		many = 3
	}
	expect.AtLeast(t, "streams that several goroutines read", divided, many)
}

// TestChunksOptions: the same with options that change what is read.
func TestChunksOptions(t *testing.T) {
	for _, c := range []struct {
		name, trace string
		opt         profile.Options
	}{
		{"async", "net10-tpl-activities.v4", profile.Options{Async: true}},
		{"marks", "net10-mix-gc.v4", profile.Options{Marks: true}},
		{"collections only", "net10-mix-gc.v4", profile.Options{Types: []profile.Type{profile.GC}}},
		{"wall only", "net10-mix-gc.v4", profile.Options{Types: []profile.Type{profile.Wall}, NoRepair: true}},
		{"events of a provider", "net10-mix-gc.v4", profile.Options{Provider: "Microsoft-Windows-DotNETRuntime"}},
		{"samples as events", "net10-mix-gc.v4", profile.Options{Provider: "Microsoft-DotNETCore-SampleProfiler"}},
		{"selected", "net10-mix-gc.v4", profile.Options{Select: func(e *codec.Event) bool { return e.ID() == 10 }}},
		{"allocations without labels", "net10-mix-gc.v4", profile.Options{NoLabels: true}},
		{"exceptions without labels", "net10-mix-cpu.v4", profile.Options{NoLabels: true}},
		{"few samples", "net10-mix-gc.v4", profile.Options{Limits: profile.Limits{Samples: 300}}},
		{"few frames", "net10-mix-gc.v4", profile.Options{Limits: profile.Limits{Frames: 200}}},
		{"few stacks", "net10-mix-gc.v4", profile.Options{Limits: profile.Limits{Stacks: 60}}},
		{"few threads", "net10-mix-gc.v4", profile.Options{Limits: profile.Limits{Threads: 3}}},
		{"few marks, events lost", "net10-burst-dropped.v4", profile.Options{Marks: true, Limits: profile.Limits{Samples: 30_000}}},
		{"few threads with samples", "net10-mix-cpu.v4", profile.Options{Types: []profile.Type{profile.Wall}, Limits: profile.Limits{Threads: 5}}},
		{"little text", "net10-mix-gc.v4", profile.Options{Limits: profile.Limits{Text: 900}}},
		{"few symbols", "net10-mix-gc.v4", profile.Options{Limits: profile.Limits{Symbols: 9000}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			expect.Equal(t, "several goroutines read", sameProfiles(t, shared.Trace(t, c.trace), c.opt), true)
		})
	}
}

// TestChunksOfLongTrace: the same for a trace with many sequence points and losses between
// its copies.
func TestChunksOfLongTrace(t *testing.T) {
	short := shared.Trace(t, "net10-mix-gc.v4")
	long, err := longtrace.New(short, 4*int64(len(short)))
	expect.NoError(t, err)
	expect.Stop(t)
	b := make([]byte, long.Size())
	_, err = long.ReadAt(b, 0)
	expect.NoError(t, err)
	for _, cut := range []int{0, 5, len(b) / 3} {
		t.Run(fmt.Sprint("without ", cut, " bytes"), func(t *testing.T) {
			expect.Equal(t, "several goroutines read", sameProfiles(t, b[:len(b)-cut], profile.Options{}), true)
		})
	}
}

// TestChunksStrict: the same if the first defect ends the trace, also one between two chunks.
func TestChunksStrict(t *testing.T) {
	for _, name := range shared.Streams(t) {
		t.Run(name, func(t *testing.T) {
			stream := shared.Stream(t, name)
			sameWith(t, stream, codec.Options{Schemas: clr.Schemas, Strict: true}, profile.Options{Marks: true})
		})
	}
}

// TestChunksWithoutStacks: an Index that leaves out stacks is refused.
func TestChunksWithoutStacks(t *testing.T) {
	stream := shared.Trace(t, "net10-mix-cpu.v4")
	x := chunks.NewIndex(bytes.NewReader(stream), int64(len(stream)), codec.Options{NoStacks: true})
	p, _, err := fromChunks(t, x, 2, profile.Options{})
	expect.Equal(t, "no Profile", p == nil, true)
	expect.ErrorIs(t, err, codec.ErrNoStacks)
}
