package profile_test

import (
	"bytes"
	"context"
	"maps"
	"math"
	"math/big"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
	"github.com/nettrace-go/nettrace/profile"
)

// weight is the sum of the samples of a type on a thread.
type weight struct {
	of              profile.Type
	process, thread uint64
}

// TestWeights compares the values by thread and type with the events, read by
// their schemas. Wall time and the part of it in managed code are those of
// TestRoundsTwin.
func TestWeights(t *testing.T) {
	met := map[profile.Type]bool{}
	for _, name := range shared.Small(t) {
		t.Run(name, func(t *testing.T) {
			p, err := profile.FromReader(context.Background(), codec.NewReader(bytes.NewReader(shared.Trace(t, name)), codec.Options{}), profile.Options{})
			if p == nil {
				t.Fatal(name, err)
			}
			got := map[weight]int64{}
			for _, of := range p.Types() {
				if met[of] = true; of == profile.Wall || of == profile.CPUApprox {
					continue
				}
				for s := range p.Samples(of) {
					thread := p.Threads()[s.Thread]
					got[weight{of, thread.ProcessID, thread.ID}] += s.Value
				}
			}
			want := naiveWeights(t, name, p.Start, p.End)
			compareWeights(t, name, got, want)
		})
	}
	for _, of := range allTypes() {
		if !met[of] && of != profile.Event && tier.Check {
			t.Errorf("no trace has samples of type %v", of)
		}
	}
}

func compareWeights(t *testing.T, name string, got, want map[weight]int64) {
	for key, sum := range got {
		if want[key] != sum {
			t.Errorf("%s: %v of thread %d: %d, the events say %d", name, key.of, key.thread, sum, want[key])
		}
	}
	for key, sum := range want {
		if _, ok := got[key]; !ok && sum != 0 {
			t.Errorf("%s: %v of thread %d: none, the events say %d", name, key.of, key.thread, sum)
		}
	}
}

// counter adds up the values of events.
type counter struct {
	sums    map[weight]int64
	begun   map[weight][]uint64 // ticks
	trace   *codec.Trace
	start   uint64
	sampled bool // by AllocationSampled
	ticks   map[weight]int64
	rounds  map[uint64][2]uint64 // the last two samples of threads
	held    []suspended          // all suspensions
	last    map[weight]uint64    // ticks of the last event of a pause
}

// suspended is the begin of a suspension.
type suspended struct{ process, thread, ticks uint64 }

// next returns when another thread of the process began a suspension after the last event of a pause, 0 for none.
func (c *counter) next(key weight) uint64 {
	for _, s := range c.held { // in the order of time
		if s.process == key.process && s.thread != key.thread && s.ticks > c.last[key] {
			return s.ticks
		}
	}
	return 0
}

// naiveWeights reads a trace event by event. Unfinished durations end with the
// recording, a pause with the next suspension; without one, a pause after which the sampler ran is none.
func naiveWeights(t *testing.T, name string, start, end uint64) map[weight]int64 {
	r := codec.NewReader(bytes.NewReader(shared.Trace(t, name)), codec.Options{Schemas: clr.Schemas, Order: codec.ByTime})
	c := counter{sums: map[weight]int64{}, begun: map[weight][]uint64{}, ticks: map[weight]int64{}, start: start, rounds: map[uint64][2]uint64{}, last: map[weight]uint64{}}
	var err error
	if c.trace, err = r.Trace(); err != nil {
		t.Fatal(err)
	}
	for ev := range r.Events() {
		if ev != nil {
			c.event(ev)
		}
	}
	for key, list := range c.begun {
		for _, from := range list {
			until := max(from, end)
			if next := c.next(key); key.of == profile.GC && next > 0 {
				until = next
			} else if key.of == profile.GC && c.sampledTwice(from) {
				continue
			}
			c.sums[key] += c.nanos(from, until)
		}
	}
	if !c.sampled {
		maps.Copy(c.sums, c.ticks)
	}
	return c.sums
}

// nanos is the difference of two times since the start, each rounded down.
func (c *counter) nanos(from, to uint64) int64 {
	since := func(ticks uint64) int64 {
		n := new(big.Int).SetUint64(ticks)
		n.Sub(n, new(big.Int).SetUint64(c.start))
		n.Mul(n, big.NewInt(1e9))
		return n.Quo(n, new(big.Int).SetUint64(c.trace.TickFrequency)).Int64()
	}
	return since(to) - since(from)
}

// sampledTwice reports whether a thread has two samples after a time.
func (c *counter) sampledTwice(ticks uint64) bool {
	for _, last := range c.rounds {
		if last[0] > ticks {
			return true
		}
	}
	return false
}

// end ends the duration that began last.
func (c *counter) end(key weight, ticks uint64) {
	if list := c.begun[key]; len(list) > 0 {
		c.sums[key] += c.nanos(list[len(list)-1], ticks)
		c.begun[key] = list[:len(list)-1]
	}
}

func (c *counter) event(ev *codec.Event) {
	key := func(of profile.Type) weight {
		process, _ := ev.ProcessID()
		thread, _ := ev.ThreadID()
		return weight{of, process, thread}
	}
	number := func(field string) uint64 {
		v, _ := ev.Field(field)
		return v.Uint64()
	}
	switch ev.Provider() {
	case clr.SamplerProvider:
		c.rounds[ev.ThreadIndex] = [2]uint64{c.rounds[ev.ThreadIndex][1], ev.Timestamp}
	case "Universal.Events":
		switch ev.Name() {
		case "cpu":
			c.sums[key(profile.CPU)] += int64(number("Value")) * 1e6
		case "cswitch":
			c.sums[key(profile.Switch)] += int64(number("Value"))
		}
	case "Microsoft-Windows-DotNETRuntime":
		c.runtime(ev, key, number)
	}
}

// runtime counts an event of the runtime.
func (c *counter) runtime(ev *codec.Event, key func(profile.Type) weight, number func(string) uint64) {
	switch ev.ID() {
	case 10:
		c.ticks[key(profile.Alloc)] += int64(number("AllocationAmount64"))
	case 303:
		c.sampled = true
		size := float64(number("ObjectSize"))
		c.sums[key(profile.Alloc)] += int64(math.Round(size / (1 - math.Exp(-size/(100*1024)))))
	case 80:
		c.sums[key(profile.Exception)]++
	case 81:
		c.begun[key(profile.Lock)] = append(c.begun[key(profile.Lock)], ev.Timestamp)
	case 91:
		if list := c.begun[key(profile.Lock)]; len(list) > 0 {
			c.begun[key(profile.Lock)] = list[:len(list)-1]
		}
		v, _ := ev.Field("DurationNs")
		c.sums[key(profile.Lock)] += int64(math.Round(v.Float64()))
	case 301:
		c.begun[key(profile.Wait)] = append(c.begun[key(profile.Wait)], ev.Timestamp)
	case 302:
		c.end(key(profile.Wait), ev.Timestamp)
	case 1:
		c.last[key(profile.GC)] = ev.Timestamp
	case 9:
		of := key(profile.GC)
		c.held, c.last[of] = append(c.held, suspended{of.process, of.thread, ev.Timestamp}), ev.Timestamp
		delete(c.begun, key(profile.GC))
		if reason := number("Reason"); reason == 1 || reason == 6 {
			c.begun[key(profile.GC)] = []uint64{ev.Timestamp}
		}
	case 3:
		c.end(key(profile.GC), ev.Timestamp)
	}
}
