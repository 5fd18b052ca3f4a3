package profile_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tier"
	"github.com/nettrace-go/nettrace/internal/tracetest"
	"github.com/nettrace-go/nettrace/profile"
)

// TestApart: the Profile of random rounds of the sample profiler is the same whether one
// goroutine reads them or several do.
func TestApart(t *testing.T) {
	seeds := 3
	if !tier.Check {
		seeds = 2
	}
	for name, odds := range map[string]roundOdds{
		"plain rounds":                       {},
		"threads twice in a round":           {twice: 3},
		"rounds without suspensions":         {unsuspended: 3},
		"suspensions of the collector":       {collector: 4, unsuspended: 3},
		"lost events":                        {lost: 9},
		"two samplers":                       {second: 5},
		"a thread that samples itself":       {self: 40},
		"a thread that sampled itself first": {selfFirst: true},
		"a thread with another row":          {rows: 30},
		"a sampler with another name":        {named: 30, twice: 9, unsuspended: 3},
		"another thread with its index":      {replaced: 30, twice: 9, unsuspended: 3},
		"all":                                {twice: 9, unsuspended: 9, collector: 20, lost: 30, second: 40, self: 60, rows: 60, named: 240, replaced: 240},
	} {
		for _, format := range []wire.Format{wire.V4, wire.V6} {
			for seed := range uint64(seeds) {
				t.Run(fmt.Sprint(name, " ", format, " ", seed), func(t *testing.T) {
					stream := randomRounds(rand.New(rand.NewPCG(seed, 1)), format, odds)
					opt := profile.Options{NoLabels: seed%2 == 0, Async: seed%3 == 2}
					if seed%3 == 1 {
						opt.Limits.Samples = 400 + 300*int64(seed)
					}
					expect.Equal(t, "several goroutines read", sameProfiles(t, stream, opt), true)
				})
			}
		}
	}
}

// roundOdds are the odds of what a round can have beside samples: one in so many, 0 for never.
type roundOdds struct {
	twice, unsuspended, collector, lost, second, self, rows, named, replaced int
	selfFirst                                                                bool
}

// randomRounds makes a trace with rounds of the sample profiler.
func randomRounds(dice *rand.Rand, format wire.Format, odds roundOdds) []byte {
	const sampler, other = 1000, 1001
	m := tracetest.New(format)
	at, names := uint64(0), uint64(0)
	indexed := format == wire.V6
	row := func(index, id uint64) {
		if names++; indexed {
			m.Thread(&codec.Thread{Index: index, ProcessID: 77, ThreadID: id, HasProcessID: true, HasThreadID: true, Name: fmt.Sprint("name ", names%3)})
		}
	}
	add := func(e tracetest.Event) {
		at += uint64(dice.IntN(3))
		e.At = at
		m.Add(e)
	}
	sample := func(capture, thread uint64) {
		stack := []uint64{0x1000 + 0x10*uint64(dice.IntN(4)), 0x2000}
		if dice.IntN(50) == 0 {
			stack[0] += 0x1000 * uint64(dice.IntN(90))
		}
		add(tracetest.Event{Thread: thread, Capture: capture, Provider: "Microsoft-DotNETCore-SampleProfiler", Stack: stack, Payload: []any{uint32(1 + dice.IntN(2))}})
	}
	pause := func(thread uint64, reason uint32) {
		add(tracetest.Event{Thread: thread, ID: 9, Payload: []any{reason, uint32(1)}})
	}
	threads := uint64(5)
	for index := range threads + 1 {
		row(index, 100+index)
	}
	row(sampler, sampler)
	row(other, other)
	if odds.selfFirst {
		sample(sampler, sampler)
	}
	in := func(n int) bool { return n > 0 && dice.IntN(n) == 0 }
	for round := range 200 {
		if !in(odds.unsuspended) {
			pause(sampler, 0)
		}
		for thread := range threads {
			switch {
			case in(6):
				continue
			case in(odds.second):
				sample(other, thread)
			case in(odds.self):
				sample(sampler, sampler)
			case in(odds.lost):
				m.Lose(sampler, 2)
			}
			if sample(sampler, thread); in(odds.twice) {
				sample(sampler, thread)
			}
			if in(odds.rows) {
				row(uint64(dice.IntN(int(threads))), 100+uint64(dice.IntN(int(threads))))
			}
			if in(odds.named) {
				m.Flush() // so that the row comes here
				row(sampler, sampler)
				sample(sampler, thread)
			}
			if in(odds.replaced) {
				m.Flush()
				row(sampler, sampler+uint64(dice.IntN(2)))
				sample(sampler, thread)
			}
		}
		if in(odds.collector) {
			thread := []uint64{sampler, 2, 3}[dice.IntN(3)]
			pause(thread, 1)
			if !in(4) {
				add(tracetest.Event{Thread: thread, ID: 3})
			}
		}
		if !in(9) {
			add(tracetest.Event{Thread: sampler, ID: 3})
		}
		switch dice.IntN(12) {
		case 0:
			add(tracetest.Event{Thread: uint64(dice.IntN(int(threads))), ID: 81, Stack: []uint64{0x3000}, Payload: []any{uint8(0), uint16(0)}})
		case 1:
			add(tracetest.Event{Thread: uint64(dice.IntN(int(threads))), ID: 91, Payload: []any{uint8(0), uint16(0), float64(5)}})
		case 2:
			add(tracetest.Event{Thread: uint64(dice.IntN(int(threads))), ID: 80, Stack: []uint64{0x3000}})
		case 3:
			m.Flush()
		}
		if round%80 == 79 {
			m.SequencePoint(at, 0)
		}
	}
	return m.Bytes()
}
