package codec

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec/internal/traces"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// TestSortByTimeAgrees compares with a plain sort, on runs, ties and noise.
func TestSortByTimeAgrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for round := range 300 {
		events := make([]Event, rng.IntN(3000))
		span := []uint64{1, 7, 1000, 1 << 20, 1 << 40, 1<<64 - 1}[round%6]
		run := 1 + rng.IntN(1+len(events))
		at := rng.Uint64()
		for i := range events {
			if i%run == 0 {
				at = rng.Uint64N(span)
			}
			at += rng.Uint64N(1 + span/64)
			events[i].Timestamp, events[i].CaptureThreadIndex = at, rng.Uint64N(3)
		}
		if round%3 == 0 && len(events) > 0 { // one far off crowds the others
			events[len(events)/2].Timestamp ^= 1 << 62
		}
		keys := keysOf(nil, events)
		got := sortByTime(slices.Clone(keys), make([]orderKey, len(keys)), events)
		slices.SortStableFunc(keys, func(a, b orderKey) int {
			return cmp.Or(cmp.Compare(a.timestamp, b.timestamp), cmp.Compare(events[a.index].CaptureThreadIndex, events[b.index].CaptureThreadIndex))
		})
		if !slices.Equal(got, keys) {
			t.Fatalf("round %d: %d events in runs of %d over %d", round, len(events), run, span)
		}
	}
}

// regionsOf returns the events of each region of a trace.
func regionsOf(t testing.TB, name string) (regions [][]Event) {
	r := NewBytesBlockReader(traces.Read(t, name), Options{})
	var region []Event
	for {
		b, ok := r.Next()
		if !ok {
			break
		}
		if b.Kind == wire.KindSequencePoint && len(region) > 0 {
			regions, region = append(regions, region), nil
		}
		for {
			e, ok := r.NextEvent()
			if !ok {
				break
			}
			region = append(region, *e)
		}
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	return append(regions, region)
}

// sorter puts regions in order in the two ways that are compared.
type sorter struct {
	regions     [][]Event
	events      []Event
	keys, spare []orderKey
}

func (s *sorter) byTime() {
	for _, region := range s.regions {
		s.keys = keysOf(s.keys, region)
		s.spare = slices.Grow(s.spare[:0], len(s.keys))[:len(s.keys)]
		sortByTime(s.keys, s.spare, region)
	}
}

func (s *sorter) plain() {
	for _, region := range s.regions {
		s.events = append(s.events[:0], region...)
		slices.SortFunc(s.events, func(a, b Event) int { return cmp.Compare(a.Timestamp, b.Timestamp) })
	}
}

// BenchmarkOrder sorts the regions of a real trace, by time as the Reader does
// and with slices.SortFunc.
func BenchmarkOrder(b *testing.B) {
	s := sorter{regions: regionsOf(b, "net10-mix-locks.v4")}
	events := 0
	for _, region := range s.regions {
		events += len(region)
	}
	for _, c := range []struct {
		name string
		sort func()
	}{{"version=4/trace=net10-mix-locks/by=time", s.byTime}, {"version=4/trace=net10-mix-locks/by=sortfunc", s.plain}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.sort()
			}
			b.ReportMetric(float64(events)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// TestOrderIsFaster compares the processor time with that of a plain sort: the
// fastest of passes that take turns, because other processes use the same caches.
func TestOrderIsFaster(t *testing.T) {
	if !traces.Check || traces.Race {
		t.Skip("make check runs it")
	}
	const want, minRounds, rounds = 8, 11, 500
	s := sorter{regions: regionsOf(t, "net10-mix-locks.v4")}
	now := threadTime(t)
	plain, byTime, ratio := time.Hour, time.Hour, 0.0
	for round := 0; round < minRounds || round < rounds && ratio < want; round++ {
		start := now()
		s.plain()
		middle := now()
		s.byTime()
		plain, byTime = min(plain, middle-start), min(byTime, now()-middle)
		ratio = float64(plain) / float64(byTime)
	}
	t.Logf("%.1f times faster than slices.SortFunc", ratio)
	if ratio < want {
		t.Errorf("only %.1f times faster than slices.SortFunc", ratio)
	}
}
