package profile_test

import (
	"bytes"
	"maps"
	"math"
	"testing"

	"github.com/nettrace-go/nettrace/clr"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
)

// weight is what the samples of a type on a thread come to.
type weight struct {
	of              profile.Type
	process, thread uint64
}

// TestWeights: by thread and type, values add up to what the events say, read by
// their schemas.
func TestWeights(t *testing.T) {
	met := map[profile.Type]bool{}
	for _, name := range shared.Small(t) {
		p, err := profile.FromReader(codec.NewReader(bytes.NewReader(shared.Trace(t, name)), codec.Options{}), profile.Options{})
		if p == nil {
			t.Fatal(name, err)
		}
		got := map[weight]int64{}
		for _, of := range p.Types() {
			met[of] = true
			for s := range p.Samples(of) {
				thread := p.Threads()[s.Thread]
				got[weight{of, thread.ProcessID, thread.ID}] += s.Value
			}
		}
		want := tally(t, name, p.Interval)
		compareWeights(t, name, got, want)
	}
	for _, of := range profile.Types() {
		if !met[of] && of != profile.Event && !testing.Short() {
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

// counter adds up what events say.
type counter struct {
	sums    map[weight]int64
	begun   map[weight]uint64 // ticks
	last    map[weight]uint64
	managed map[weight]bool
	trace   *codec.Trace
	sampled bool // by AllocationSampled
	ticks   map[weight]int64
}

// tally reads a trace event by event.
func tally(t *testing.T, name string, interval int64) map[weight]int64 {
	r := codec.NewReader(bytes.NewReader(shared.Trace(t, name)), codec.Options{Schemas: clr.Schemas, Order: codec.ByTime})
	c := counter{
		sums: map[weight]int64{}, begun: map[weight]uint64{}, last: map[weight]uint64{}, managed: map[weight]bool{},
		ticks: map[weight]int64{},
	}
	var err error
	if c.trace, err = r.Trace(); err != nil {
		t.Fatal(err)
	}
	for ev := range r.Events() {
		if ev != nil {
			c.event(ev)
		}
	}
	for key := range c.last {
		c.own(key, interval)
	}
	if !c.sampled {
		maps.Copy(c.sums, c.ticks)
	}
	maps.DeleteFunc(c.sums, func(_ weight, sum int64) bool { return sum < 0 })
	return c.sums
}

func (c *counter) nanos(from, to uint64) int64 {
	return int64(math.Trunc(float64(to-from) * 1e9 / float64(c.trace.TickFrequency)))
}

// own gives a thread's last sample the time it owns.
func (c *counter) own(key weight, nanos int64) {
	c.sums[key] += nanos
	if c.managed[key] {
		c.sums[weight{profile.CPUApprox, key.process, key.thread}] += nanos
	}
}

func (c *counter) event(ev *codec.Event) {
	key := func(of profile.Type) weight {
		process, _ := ev.ProcessID()
		thread, _ := ev.ThreadID()
		return weight{of, process, thread}
	}
	number := func(field string) uint64 { return ev.Field(field).Uint64() }
	switch ev.Provider() {
	case "Microsoft-DotNETCore-SampleProfiler":
		k := key(profile.Wall)
		if last, ok := c.last[k]; ok {
			c.own(k, c.nanos(last, ev.Timestamp))
		}
		c.last[k], c.managed[k] = ev.Timestamp, ev.Payload()[0] == 2
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
	case 91:
		c.sums[key(profile.Lock)] += int64(math.Round(ev.Field("DurationNs").Float64()))
	case 301:
		c.begun[key(profile.Wait)] = ev.Timestamp
	case 302:
		if from, ok := c.begun[key(profile.Wait)]; ok {
			c.sums[key(profile.Wait)] += c.nanos(from, ev.Timestamp)
			delete(c.begun, key(profile.Wait))
		}
	case 9:
		delete(c.begun, key(profile.GC))
		if reason := number("Reason"); reason == 1 || reason == 6 {
			c.begun[key(profile.GC)] = ev.Timestamp
		}
	case 3:
		if from, ok := c.begun[key(profile.GC)]; ok {
			c.sums[key(profile.GC)] += c.nanos(from, ev.Timestamp)
			delete(c.begun, key(profile.GC))
		}
	}
}
