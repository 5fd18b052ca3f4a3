package profile_test

import (
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tracetest"
	"github.com/nettrace-go/nettrace/profile"
)

// TestTotals: Totals are the sums of the Samples, in the order of the first of each.
func TestTotals(t *testing.T) {
	samples, totals := 0, 0
	read := func(t *testing.T, name string, opt profile.Options) *profile.Profile {
		p, err := profile.FromReader(t.Context(), codec.NewBytesReader(shared.Trace(t, name), skipping), opt)
		if p == nil {
			t.Skip(err)
		}
		return p
	}
	compare := func(t *testing.T, p *profile.Profile) {
		for of := profile.Wall; of <= profile.Event; of++ {
			for thread := range p.Threads() {
				want := sumsOf(func(yield func(*profile.Sample, int64)) {
					for s := range p.ThreadSamples(of, thread) {
						samples++
						yield(&s, 1)
					}
				})
				got := sumsOf(func(yield func(*profile.Sample, int64)) {
					for s := range p.ThreadTotals(of, thread) {
						totals++
						yield(&s.Sample, s.Samples)
					}
				})
				expect.Equal(t, fmt.Sprint(of, " of thread ", thread), got, want)
			}
		}
	}
	for _, name := range shared.Small(t) {
		t.Run(name, func(t *testing.T) { compare(t, read(t, name, profile.Options{})) })
	}
	start := read(t, "net10-mix-cpu.v4", profile.Options{}).Start
	for _, c := range []struct {
		name, trace string
		opt         profile.Options
	}{
		{"one state", "net10-mix-cpu.v4", profile.Options{States: []profile.State{profile.Running}}},
		{"a period", "net10-mix-cpu.v4", profile.Options{Time: codec.TimeRange{From: start + 1e9, HasFrom: true, To: start + 2e9, HasTo: true}}},
		{"one type", "net10-mix-cpu.v4", profile.Options{Types: []profile.Type{profile.CPUApprox}}},
		{"folded", "net10-deep.v4", profile.Options{FoldRecursion: true}},
		{"async", "net10-tpl-activities.v4", profile.Options{Async: true}},
	} {
		t.Run(c.name, func(t *testing.T) { compare(t, read(t, c.trace, c.opt)) })
	}
	t.Run("an address with two methods", func(t *testing.T) {
		p, err := profile.FromReader(t.Context(), codec.NewBytesReader(twoMethods().Bytes(), skipping), profile.Options{})
		expect.NoError(t, err)
		stacks := map[profile.StackID]bool{}
		for s := range p.Totals(profile.Wall) {
			stacks[s.Stack] = true
		}
		expect.Equal(t, "stacks", len(stacks), 2)
		compare(t, p)
	})
	expect.AtMost(t, "totals", totals, samples/2)
}

// twoMethods makes a trace in which a method is loaded where another one was before, with
// samples of both.
func twoMethods() *tracetest.Trace {
	m := tracetest.New(wire.V4)
	for at := range uint64(10) {
		if at%5 == 0 {
			name := []uint16{'A' + uint16(at/5), 0}
			m.Add(tracetest.Event{At: 1000 * at, Thread: 1, ID: 143, Payload: []any{
				at + 1, uint64(1), uint64(0x1000), uint32(0x100), uint32(0), uint32(0), name, name, name, uint16(0), uint64(0),
			}})
		}
		m.Add(tracetest.Event{At: 1000*at + 500, Thread: 1, Provider: "Microsoft-DotNETCore-SampleProfiler", Version: 1, Stack: []uint64{0x1010}, Payload: []any{uint32(2)}})
	}
	return m
}

// sumsOf adds up samples with the same stack in the same code, and lists the sums in the order
// of the first samples.
func sumsOf(each func(yield func(s *profile.Sample, samples int64))) string {
	type sum struct {
		ticks                 uint64
		samples, value, count int64
	}
	type key struct {
		stack    profile.StackID
		managed  bool
		status   profile.Status
		evidence profile.Evidence
		join     profile.Join
	}
	var order []key
	sums := map[key]*sum{}
	each(func(s *profile.Sample, samples int64) {
		k := key{s.Stack, s.Managed, s.Status, s.Evidence, s.Join}
		if sums[k] == nil {
			sums[k] = &sum{ticks: s.Ticks}
			order = append(order, k)
		}
		sums[k].samples += samples
		sums[k].value += s.Value
		sums[k].count += s.Count
	})
	text := ""
	for _, k := range order {
		text += fmt.Sprintln(k, *sums[k])
	}
	return text
}
