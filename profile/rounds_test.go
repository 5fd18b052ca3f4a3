package profile

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestRounds compares the rounds of real traces with figures that were measured
// independently. The rounds that repetition shows are those that the suspensions
// of the sampler show; wall time before is that of samples which own the time to
// the next sample of their thread. Gaps of more than 100 ms without a round are not
// sampled: the pauses of collections in roslyn, and on a machine with much other work.
func TestRounds(t *testing.T) {
	for _, c := range []struct {
		trace               string
		rounds              int64
		before, after       float64 // s of wall time
		cpuBefore, cpuAfter float64
		emptyRounds         float64 // s of wall time that rounds without samples take away
	}{
		{"net10-mix-cpu.v4", 3701, 50.71, 46.74, 7.25, 3.26, 0},
		{"net10-deep.v4", 2871, 9.10, 9.10, 5.27, 5.27, 0},
		{"roslyn-net10-cpu.v4", 18339, 24.17, 23.42, 22.93, 22.68, 0},
		{"aspnet-net10.v4", 6456, 84.83, 84.83, 3.69, 3.69, 0},
		{"azmcp-net10-cpu.v4", 4019, 56.15, 56.07, 4.83, 4.83, 0.02},
		{"azmcp-net10-live.v4", 4248, 64.27, 62.77, 0.42, 0.42, 0},
		{"net10-killed.v4", 615, 13.24, 13.27, 5.32, 5.35, 0.01},
		{"azmcp-net10-dropped.v4", 300, 1.05, 1.05, 0.12, 0.12, 0},
		{"azmcp-net10-startup.v4", 191, 0.21, 0.21, 0.03, 0.03, 0},
		{"sarif-net8.v4", 638, 1.41, 0.89, 0.60, 0.60, 0.02},
		{"sarif-netcore3.1.v4", 792, 1.50, 0.99, 0.45, 0.34, 0},
		{"perfview-netcore3.0-win-x64.v4", 5386, 337.65, 256.33, 0.01, 0.01, 0.01},
		{"perfview-only-managed-macos.v4", 7423, 10.42, 10.42, 10.42, 10.42, 0},
		{"dotnetdiag-net5-webapp.v4", 16461, 145.22, 134.92, 0.03, 0.03, 0},
	} {
		t.Run(c.trace, func(t *testing.T) {
			data := shared.Trace(t, c.trace)
			repeats := build(t, data, func(ev *codec.Event) bool { return clr.KindOf(ev.Metadata()) == clr.KindGCSuspendEEBegin })
			all := build(t, data, isPause)
			if repeats.rounds != c.rounds || all.rounds != c.rounds {
				t.Errorf("got %d rounds by repetition and %d with suspensions, want %d", repeats.rounds, all.rounds, c.rounds)
			}
			for _, f := range []struct {
				what      string
				got, want float64
			}{
				{"wall time before", repeats.toNextSample(Wall), c.before},
				{"wall time after", repeats.total(Wall), c.after},
				{"CPU time before", repeats.toNextSample(CPUApprox), c.cpuBefore},
				{"CPU time after", repeats.total(CPUApprox), c.cpuAfter},
				{"wall time with suspensions", all.total(Wall), c.after - c.emptyRounds},
			} {
				t.Run(f.what, func(t *testing.T) {
					if diff := f.got - f.want; diff > 0.0101 || diff < -0.0101 {
						t.Errorf("got %.3f s, want %.2f s", f.got, f.want)
					}
				})
			}
		})
	}
}

// TestGapWithoutRounds: a process that was stopped for 6 s after 2,000 rounds of a
// millisecond. Its last sample before has the time of one round.
func TestGapWithoutRounds(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(shared.Dir(t), "defects", "turn3", "frozen.nettrace"))
	if err != nil {
		t.Fatal(err)
	}
	b := build(t, data, func(*codec.Event) bool { return false })
	if got := b.total(Wall); got < 1.99 || got > 2.01 {
		t.Errorf("wall time %.3f s, want 2 s", got)
	}
}

// isPause reports whether an event begins a pause, which takes time away from samples.
func isPause(ev *codec.Event) bool {
	return clr.KindOf(ev.Metadata()) == clr.KindGCSuspendEEBegin && suspendsForGC(ev)
}

// build makes a Profile of the events that are not left out.
func build(t *testing.T, data []byte, leaveOut func(*codec.Event) bool) *Profile {
	t.Helper()
	r := codec.NewBytesReader(data, codec.Options{})
	trace, err := r.Trace()
	if err != nil {
		t.Fatal(err)
	}
	b := newBuilder(trace, Options{NoRepair: true, Types: []Type{Wall, CPUApprox}})
	b.limits.Samples = 10e6
	for ev, ok := r.Next(); ok; ev, ok = r.Next() {
		if leaveOut(ev) {
			b.number(ev.CaptureThreadIndex, ev.Sequence)
		} else {
			b.event(ev)
		}
	}
	b.finish()
	return b.p
}

// total is the sum of a type in seconds.
func (p *Profile) total(of Type) float64 {
	sum := int64(0)
	for s := range p.Samples(of) {
		sum += s.Value
	}
	return float64(sum) / 1e9
}

// toNextSample is the time from each sample to the next one of its thread, or the
// median interval, in seconds.
func (p *Profile) toNextSample(of Type) float64 {
	sum := int64(0)
	for thread := range p.Threads() {
		rows := p.records[Wall].of(thread)
		for i := range rows.count {
			switch {
			case of == CPUApprox && !rows.at(i).managed():
			case i+1 < rows.count:
				sum += p.length(rows.at(i).ticks, rows.at(i+1).ticks)
			default:
				sum += p.Interval
			}
		}
	}
	return float64(sum) / 1e9
}

// naiveSample is a sample of naiveRounds.
type naiveSample struct{ ticks, until uint64 }

// naiveRound is a round of naiveRounds.
type naiveRound struct {
	start   uint64
	samples map[uint64]int // by thread: position in the list of its samples
	lossy   bool
}

// naiveRounds divides the samples of a trace of one process and one sampler into
// rounds, by the definition.
func naiveRounds(t *testing.T, data []byte, median uint64) map[uint64][]naiveSample {
	t.Helper()
	sampler, found, self := uint64(0), false, false // self: its suspensions are its own
	r := codec.NewBytesReader(data, codec.Options{})
	for ev, ok := r.Next(); ok && !found; ev, ok = r.Next() {
		if ev.Provider() == clr.SamplerProvider {
			sampler, found = ev.CaptureThreadIndex, true
			self = ev.CaptureThreadIndex == ev.ThreadIndex
		}
	}
	var rounds []naiveRound
	samples := map[uint64][]naiveSample{}
	last := uint32(0)
	begin := func(ticks uint64) { rounds = append(rounds, naiveRound{start: ticks, samples: map[uint64]int{}}) }
	r = codec.NewBytesReader(data, codec.Options{})
	for ev, ok := r.Next(); ok; ev, ok = r.Next() {
		if ev.CaptureThreadIndex != sampler {
			if ev.Provider() == clr.SamplerProvider {
				t.Fatal("two threads sample")
			}
			continue
		}
		if ev.Sequence > last+1 && len(rounds) > 0 {
			rounds[len(rounds)-1].lossy = true
		}
		last = ev.Sequence
		switch {
		case clr.KindOf(ev.Metadata()) == clr.KindGCSuspendEEBegin && !self:
			begin(ev.Timestamp)
		case ev.Provider() == clr.SamplerProvider && ev.ID() == 0:
			thread, _ := ev.ThreadID()
			if len(rounds) == 0 {
				begin(ev.Timestamp)
			}
			if _, ok := rounds[len(rounds)-1].samples[thread]; ok {
				begin(ev.Timestamp)
			}
			rounds[len(rounds)-1].samples[thread] = len(samples[thread])
			samples[thread] = append(samples[thread], naiveSample{ticks: ev.Timestamp})
		}
	}
	trace, err := r.Trace()
	if err != nil {
		t.Fatal(err)
	}
	// A gap of more than ten intervals and 100 ms is not sampled.
	stall := max(10*median, uint64(float64(trace.TickFrequency)/10))
	for i, round := range rounds {
		for thread, at := range round.samples {
			s := &samples[thread][at]
			s.until = s.ticks + median
			if i+1 < len(rounds) {
				until := rounds[i+1].start
				if next, ok := rounds[i+1].samples[thread]; ok {
					until = samples[thread][next].ticks
				}
				stopped := until > s.ticks && until-s.ticks > stall
				if !round.lossy && !stopped || until < s.until {
					s.until = until
				}
			}
			if at+1 < len(samples[thread]) {
				s.until = min(s.until, samples[thread][at+1].ticks)
			}
		}
	}
	return samples
}

// TestRoundsTwin compares the time that each sample owns with that of
// naiveRounds.
func TestRoundsTwin(t *testing.T) {
	for _, name := range shared.Small(t) {
		t.Run(name, func(t *testing.T) {
			data := shared.Trace(t, name)
			p := build(t, data, isPause) // naiveRounds knows of none
			if p.records[Wall].count() == 0 {
				return // no sample to compare
			}
			median := p.records[Wall].median(1)
			if median == 0 {
				median = p.nanos.ticks(float64(p.Interval))
			}
			want := naiveRounds(t, data, median)
			got := map[uint64][]naiveSample{}
			for thread, row := range p.Threads() {
				rows := p.records[Wall].of(thread)
				for i := range rows.count {
					got[row.ID] = append(got[row.ID], naiveSample{rows.at(i).ticks, rows.at(i).until})
				}
			}
			for _, thread := range slices.Sorted(maps.Keys(want)) {
				if !slices.Equal(got[thread], want[thread]) {
					t.Errorf("thread %d: %s", thread, firstDifference(got[thread], want[thread]))
				}
			}
			if len(got) != len(want) {
				t.Errorf("got %d threads, want %d", len(got), len(want))
			}
		})
	}
}

func firstDifference(got, want []naiveSample) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("sample %d: got %+v, want %+v", i, got[i], want[i])
		}
	}
	return fmt.Sprintf("got %d samples, want %d", len(got), len(want))
}
