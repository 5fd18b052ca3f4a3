package profile_test

import (
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/profile"
)

// TestOwnedTime checks which time the samples of thread 1 own, and which time of it
// was not sampled.
func TestOwnedTime(t *testing.T) {
	reasonless := []byte{0, 0, 0, 0, 1, 0, 0, 0, 0, 0}
	regular := func(m *makingTrace, times ...uint64) {
		for _, at := range times {
			m.sample(at, 1)
			m.sample(at+1, 2)
		}
	}
	for _, c := range []struct {
		name       string
		format     wire.Format
		properties []codec.KeyValue
		make       func(*makingTrace)
		want       []span
		notSampled int64 // microseconds
	}{
		{
			name: "each round", want: []span{{100, 100, false}, {200, 100, false}, {300, 100, false}},
			make: func(m *makingTrace) { regular(m, 100, 200, 300) },
		},
		{
			name: "a round without the thread", want: []span{{100, 101, false}, {301, 100, false}}, notSampled: 100,
			make: func(m *makingTrace) {
				regular(m, 100)
				m.sample(201, 2)
				m.sample(300, 2)
				m.sample(301, 1)
			},
		},
		{
			name: "a suspension begins the round", want: []span{{100, 80, false}, {300, 100, false}}, notSampled: 120,
			make: func(m *makingTrace) {
				m.on(90, gcSuspending, samplerID, reasonless...)
				regular(m, 100)
				m.on(180, gcSuspending, samplerID, reasonless...)
				m.sample(201, 2)
				m.on(280, gcSuspending, samplerID, reasonless...)
				regular(m, 300)
			},
		},
		{
			name: "rounds without samples", want: []span{{100, 80, false}, {500, 300, false}}, notSampled: 320,
			make: func(m *makingTrace) {
				m.on(90, gcSuspending, samplerID, reasonless...)
				regular(m, 100)
				for _, at := range []uint64{180, 280, 380, 480} {
					m.on(at, gcSuspending, samplerID, reasonless...)
				}
				regular(m, 500)
				m.on(800, gcSuspending, samplerID, reasonless...)
			},
		},
		{
			name: "a pause without an end before rounds", want: []span{{100, 100, false}, {200, 100, false}, {300, 100, false}},
			make: func(m *makingTrace) { regular(m, 100); m.on(150, gcSuspending, 1, forGC...); regular(m, 200, 300) },
		},
		{
			name: "a long time without rounds", want: []span{{100, 100, false}, {200, 5000, false}, {5200, 100, false}, {5300, 100, false}},
			make: func(m *makingTrace) { regular(m, 100, 200, 5200, 5300) },
		},
		{
			name: "a pause", want: []span{{100, 100, false}, {200, 30, false}, {300, 100, false}},
			make: func(m *makingTrace) {
				regular(m, 100, 200)
				m.on(210, gcSuspending, 2, forGC...)
				m.on(280, gcRestarted, 2)
				regular(m, 300)
			},
		},
		{ // the sampler cannot run in it: it is no time without rounds
			name: "a long pause", want: []span{{100, 100, false}, {200, 100, false}, {200_300, 100, false}, {200_400, 100, false}},
			make: func(m *makingTrace) {
				regular(m, 100, 200)
				m.on(220, gcSuspending, 1, forGC...)
				m.on(200_220, gcRestarted, 1)
				regular(m, 200_300, 200_400)
			},
		},
		{
			name: "losses before the next round", want: []span{{100, 100, false}, {200, 100, false}, {5200, 100, false}, {5300, 100, false}}, notSampled: 4900,
			make: func(m *makingTrace) { regular(m, 100, 200); m.Lose(samplerID, 40); regular(m, 5200, 5300) },
		},
		{ // a chunk keeps the last numbers of threads by 6 bits of their index
			name: "losses up to the number of another thread", want: []span{{100, 100, false}, {200, 100, false}, {5200, 100, false}, {5300, 100, false}}, notSampled: 4900,
			make: func(m *makingTrace) {
				regular(m, 100, 200)
				for range 44 {
					m.on(210, 0xfff, samplerID+64)
				}
				m.Lose(samplerID, 40)
				regular(m, 5200, 5300)
			},
		},
		{
			name: "losses of another thread", want: []span{{100, 100, false}, {200, 5000, false}, {5200, 100, false}, {5300, 100, false}},
			make: func(m *makingTrace) {
				m.on(90, 0xfff, 1)
				regular(m, 100, 200)
				m.Lose(1, 40)
				m.on(210, 0xfff, 1)
				regular(m, 5200, 5300)
			},
		},
		{
			name: "another thread of the sampler", want: []span{{100, 100, false}, {200, 300, false}, {500, 100, false}},
			make: func(m *makingTrace) {
				regular(m, 100, 200)
				m.event(500, sampleEvents, 0, samplerID+1, 1, 2, 0, 0, 0)
			},
		},
		{
			name: "another process", want: []span{{100, 100, false}, {200, 100, false}}, format: wire.V6,
			make: func(m *makingTrace) {
				regular(m, 100)
				m.event(150, sampleEvents, 0, 1900, 1001, 2, 0, 0, 0)
				regular(m, 200)
				m.event(250, sampleEvents, 0, 1900, 1001, 2, 0, 0, 0)
			},
		},
		{
			name: "a merged trace", want: []span{{100, 100, false}, {200, 100, false}}, format: wire.V6,
			properties: []codec.KeyValue{{Key: "Source1.Name", Value: "a"}, {Key: "Source2.Name", Value: "b"}},
			make: func(m *makingTrace) {
				regular(m, 100, 200)
				m.event(5000, sampleEvents, 0, samplerID+1, 3, 2, 0, 0, 0)
			},
		},
		{
			name: "two sources of a merged trace with one thread ID", format: wire.V6, notSampled: 100,
			want:       []span{{100, 101, false}, {150, 100, false}, {250, 101, false}, {301, 99, false}, {351, 99, false}},
			properties: []codec.KeyValue{{Key: "Source1.Name", Value: "a"}, {Key: "Source2.Name", Value: "b"}},
			make: func(m *makingTrace) {
				other := func(at uint64) { m.event(at, sampleEvents, 0, samplerID+1, 1, 2, 0, 0, 0) }
				m.sample(100, 1)
				m.sample(101, 2)
				other(150)
				m.sample(201, 2)
				other(250)
				m.sample(300, 2)
				m.sample(301, 1)
				other(351)
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.format.IsZero() {
				c.format = wire.V4
			}
			m := makeTrace(c.format, c.properties...)
			if c.format == wire.V6 {
				for _, id := range []uint64{1, 2, 3, samplerID, samplerID + 1, 1001, 1900} {
					m.Thread(&codec.Thread{Index: id, ThreadID: id, HasThreadID: true, ProcessID: 1 + id/1000, HasProcessID: true})
				}
			}
			c.make(m)
			p := m.read(t, profile.Options{})
			thread := slices.IndexFunc(p.Threads(), func(row profile.Thread) bool { return row.ID == 1 })
			var got []span
			for s := range p.ThreadSamples(profile.Wall, thread) {
				got = append(got, span{int64(s.Ticks), s.Value / 1e3, false})
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
			if got := p.NotSampled(thread) / 1e3; got != c.notSampled {
				t.Errorf("got %d µs not sampled, want %d", got, c.notSampled)
			}
		})
	}
}
