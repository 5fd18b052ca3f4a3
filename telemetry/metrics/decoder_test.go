package metrics_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/telemetry/metrics"
)

// shown is a round in a line: metric, attribute, value.
func shown(r *metrics.Round) string {
	var words []string
	for _, m := range r.Metrics {
		for _, p := range m.Points {
			word := strings.TrimPrefix(m.Name, "dotnet.")
			for _, a := range p.Attributes {
				word += fmt.Sprintf("{%v}", a.Value)
			}
			if m.Kind == metrics.Summary {
				words = append(words, fmt.Sprintf("%s=%v/%v", word, p.Sum.Float64, p.Count.Float64))
			} else {
				words = append(words, fmt.Sprintf("%s=%v", word, p.Value))
			}
		}
	}
	if r.Missing > 0 {
		words = append(words, fmt.Sprintf("missing=%d", r.Missing))
	}
	if r.Lost > 0 {
		words = append(words, fmt.Sprintf("lost=%d", r.Lost))
	}
	for _, s := range r.Removed {
		words = append(words, "removed="+s.Metric)
	}
	if r.Unmeasured > 0 {
		words = append(words, fmt.Sprint("unmeasured=", r.Unmeasured.Round(time.Second)))
	}
	return strings.Join(words, " ")
}

// TestRounds: what the values of the rounds become.
func TestRounds(t *testing.T) {
	timers := func(x float64) value { return mean("active-timer-count", x) }
	allocated := func(x float64) value { return inc("alloc-rate", x) }
	dns := func(x float64, n int) value {
		return value{"System.Net.NameResolution", "dns-lookups-duration", false, x, n}
	}
	for _, c := range []struct {
		name   string
		rounds [][]value
		want   []string
	}{
		{"units, and the first increment is discarded", [][]value{
			{mean("working-set", 36.5), allocated(100), inc("time-in-jit", 95)},
			{mean("working-set", 40), allocated(7), inc("time-in-jit", 250)},
			{mean("working-set", 41), allocated(3), inc("time-in-jit", 0)},
		}, []string{
			"process.memory.working_set=3.65e+07",
			"process.memory.working_set=4e+07 gc.heap.total_allocated=7 jit.compilation.time=0.25",
			"process.memory.working_set=4.1e+07 gc.heap.total_allocated=10 jit.compilation.time=0.25",
		}},
		{"exclusive collections", [][]value{
			{inc("gen-0-gc-count", 9), inc("gen-1-gc-count", 5), inc("gen-2-gc-count", 4)},
			{inc("gen-0-gc-count", 6), inc("gen-1-gc-count", 3), inc("gen-2-gc-count", 1)},
			{inc("gen-0-gc-count", 0), inc("gen-1-gc-count", 1), inc("gen-2-gc-count", 0)}, // between the two readings
			{inc("gen-0-gc-count", 2), inc("gen-1-gc-count", 0), inc("gen-2-gc-count", 0)},
		}, []string{
			"",
			"gc.collections{gen0}=3 gc.collections{gen1}=2 gc.collections{gen2}=1",
			"gc.collections{gen0}=3 gc.collections{gen1}=3 gc.collections{gen2}=1",
			"gc.collections{gen0}=4 gc.collections{gen1}=3 gc.collections{gen2}=1",
		}},
		{"a sum since the start of the process", [][]value{
			{mean("methods-jitted-count", 427)}, {mean("methods-jitted-count", 450)}, {mean("methods-jitted-count", 451)},
		}, []string{"", "jit.compiled_methods=23", "jit.compiled_methods=24"}},
		{"a summary", [][]value{{dns(4, 2)}, {dns(10, 3)}, {dns(0, 0)}, {dns(500, 1)}},
			[]string{"", "dns.lookup.duration=0.03/3", "dns.lookup.duration=0.03/3", "dns.lookup.duration=0.53/4"}},
		{"any order", [][]value{{timers(1), allocated(1)}, {allocated(2), timers(2)}, {timers(3), allocated(3)}},
			[]string{"timer.count=1", "timer.count=2 gc.heap.total_allocated=2", "timer.count=3 gc.heap.total_allocated=5"}},
		{"a lost value", [][]value{{timers(1), allocated(1)}, {timers(2), {}}, {timers(3), allocated(3)}},
			[]string{"timer.count=1", "timer.count=2 missing=1 lost=1", "timer.count=3 gc.heap.total_allocated=3"}},
		{"a removed series", [][]value{{timers(1), allocated(1)}, {timers(2), allocated(1)}, {timers(3)}, {timers(4)}, {timers(5)}},
			[]string{"timer.count=1", "timer.count=2 gc.heap.total_allocated=1", "timer.count=3 missing=1",
				"timer.count=4 removed=dotnet.gc.heap.total_allocated", "timer.count=5"}},
		{"a new series", [][]value{{timers(1)}, {timers(2), allocated(1)}, {timers(3), allocated(5)}},
			[]string{"timer.count=1", "timer.count=2", "timer.count=3 gc.heap.total_allocated=5"}},
		{"a new series after a missing value", [][]value{{timers(1), allocated(1)}, {timers(2), allocated(1)}, {timers(3)},
			{inc("exception-count", 9), timers(4), allocated(5)}, {inc("exception-count", 2), timers(5), allocated(1)}},
			[]string{"timer.count=1", "timer.count=2 gc.heap.total_allocated=1", "timer.count=3 missing=1",
				"timer.count=4 gc.heap.total_allocated=6", "timer.count=5 gc.heap.total_allocated=7 exceptions=2"}},
		{"counters without a metric", [][]value{{timers(1), mean("cpu-usage", 3)}, {timers(2), mean("cpu-usage", 3)}},
			[]string{"timer.count=1", "timer.count=2"}},
		{"the program's own", [][]value{{{"Shop", "load", false, 3, 1}, {"Shop", "sold", true, 3, 1}}, {{"Shop", "load", false, 4, 1}, {"Shop", "sold", true, 5, 1}}},
			[]string{"load=3", "load=4 sold=5"}},
		{"two sources", [][]value{{timers(1), dns(1, 1)}, {timers(2), dns(3000, 1)}}, []string{"timer.count=2", "dns.lookup.duration=3/1", "timer.count=1", ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			read(t, metrics.NewDecoder(metrics.Options{}), made(t, c.rounds...), func(r *metrics.Round) {
				got = append(got, shown(r))
				expect.Equal(t, "complete", r.Complete(), r.Missing+int(r.Lost) == 0)
			})
			if c.name == "two sources" { // the first rounds end when the second ones begin
				slices.Sort(got)
				slices.Sort(c.want)
			}
			expect.Slices(t, "rounds", got, c.want)
		})
	}
}

// TestMaxSeries: what is beyond the bound is counted, from however many sources it is.
func TestMaxSeries(t *testing.T) {
	var round []value
	for i := range 100 {
		round = append(round, value{fmt.Sprintf("Source%d", i), "sold", false, 1, 1})
	}
	rounds, dropped := 0, int64(0)
	read(t, metrics.NewDecoder(metrics.Options{MaxSeries: 3}), made(t, round, round), func(r *metrics.Round) {
		rounds++
		dropped += r.Dropped
	})
	expect.Equal(t, "rounds", rounds, 6)
	expect.AtLeast(t, "values left out", dropped, 97)
}

// TestRestart: sums go on over two sessions of a process, and say what they lack.
func TestRestart(t *testing.T) {
	rounds := func(n ...float64) (list [][]value) {
		for _, x := range n {
			list = append(list, []value{inc("alloc-rate", x), mean("methods-jitted-count", 100*x)})
		}
		return list
	}
	d := metrics.NewDecoder(metrics.Options{})
	var got []string
	var starts []time.Time
	add := func(r *metrics.Round) {
		got = append(got, shown(r))
		for _, m := range r.Metrics {
			starts = append(starts, m.Points[0].Start)
		}
	}
	read(t, d, made(t, rounds(1, 2, 3)...), add)
	d.Restart()
	late := append(make([][]value, 9), rounds(7, 8)...) // at 10 s and 11 s
	read(t, d, made(t, late...), add)
	expect.Slices(t, "rounds", got, []string{
		"",
		"gc.heap.total_allocated=2 jit.compiled_methods=100",
		"gc.heap.total_allocated=5 jit.compiled_methods=200",
		"gc.heap.total_allocated=5 jit.compiled_methods=600 unmeasured=7s",
		"gc.heap.total_allocated=13 jit.compiled_methods=700 unmeasured=7s",
	})
	for _, s := range starts {
		expect.Equal(t, "start", s.Sub(starts[0]).Truncate(time.Millisecond), 0)
	}
}

// TestRecorded: all rounds of real runtimes but the first have the same series and are complete, and the sums are those of
// the increments.
func TestRecorded(t *testing.T) {
	for name, series := range map[string]int{"3.1.3": 16, "8.0.34": 22, "10.0.12": 22, "11.0.0": 22} {
		trace := conversation(t, "counters-eventcounters-"+name)
		allocated := map[time.Time]float64{} // by time
		var c counters.Decoder
		for e, err := range codec.NewBytesReader(trace, codec.Options{}).Events() {
			expect.NoError(t, err)
			if m, _ := c.Decode(e); m.Value.Name == "alloc-rate" {
				allocated[m.Time] = m.Value.Delta.Float64
			}
		}
		rounds, sum := 0, 0.0
		read(t, metrics.NewDecoder(metrics.Options{}), trace, func(r *metrics.Round) {
			rounds++
			points := 0
			for _, m := range r.Metrics {
				points += len(m.Points)
				if m.Name == "dotnet.gc.heap.total_allocated" {
					sum += allocated[m.Points[0].Time]
					expect.Equal(t, "allocated", m.Points[0].Value, sum)
				}
			}
			if rounds > 1 {
				expect.Equal(t, name+": points", points, series)
				expect.Equal(t, name+": complete", r.Complete(), true)
			}
		})
		expect.AtLeast(t, name+": rounds", rounds, 3)
		expect.NotZero(t, name+": allocated bytes", sum)
	}
}

// TestMeters: the values of an interval of Meters are one round, with the attributes of the conventions.
func TestMeters(t *testing.T) {
	var last []string
	rounds := 0
	decoder := metrics.NewDecoder(metrics.Options{})
	read(t, decoder, shared.Trace(t, "net10-counters.v4"), func(r *metrics.Round) {
		if r.Source != counters.MetersProvider {
			return
		}
		rounds++
		expect.Equal(t, "complete", r.Complete(), true)
		last = strings.Fields(shown(r))
	})
	expect.Equal(t, "rounds", rounds, 4)
	expect.Equal(t, "statistics", decoder.Stats(), metrics.Stats{Callbacks: 4}) // one a round
	for _, want := range []string{"gc.collections{gen0}=0", "thread_pool.thread.count=3", "exceptions{MyEx}=138"} {
		if !slices.Contains(last, want) {
			t.Errorf("no %s in %v", want, last)
		}
	}
}

// TestAllocations: a round after the first ones allocates nothing.
func TestAllocations(t *testing.T) {
	d, events := repeated(t)
	yielded := 0
	once := func() {
		for _, e := range events {
			d.Decode(e, func(*metrics.Round) { yielded++ })
		}
	}
	once()
	expect.Equal(t, "allocations", testing.AllocsPerRun(10, once), 0)
	expect.AtLeast(t, "rounds", yielded, 10)
}

// repeated returns the events of a round of a real runtime, and a decoder that has seen the rounds before.
func repeated(t testing.TB) (*metrics.Decoder, []*codec.Event) {
	d := metrics.NewDecoder(metrics.Options{})
	var events, begun []*codec.Event
	for e, err := range codec.NewBytesReader(shared.Trace(t, "net10-counters.v4"), codec.Options{}).Events() {
		if err != nil {
			t.Fatal(err)
		}
		if e.Provider() == "System.Runtime" {
			begun = append(begun, e.Clone())
			d.Decode(e, func(*metrics.Round) { events, begun = begun, nil })
		}
	}
	return d, events
}

// BenchmarkRead is the cost of reading the events of a recording, among them those of rounds.
func BenchmarkRead(b *testing.B) {
	trace := shared.Trace(b, "net10-counters.v4")
	r := codec.NewBytesReader(trace, codec.Options{})
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		r.ResetBytes(trace)
		for range r.Events() {
			n++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/event")
}

// BenchmarkRound is the cost of the events of a round, which have been read.
func BenchmarkRound(b *testing.B) {
	d, events := repeated(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, e := range events {
			d.Decode(e, func(*metrics.Round) {})
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(events)), "ns/event")
}
