package fuzz

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/conformance/cases"
	"github.com/nettrace-go/nettrace/internal/corpora"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// corporaHarvest copies blocks from the traces of corpora: of each trace and kind
// the smallest ones, and a larger one.
var corporaHarvest = sync.OnceValue(func() *harvest {
	h := &harvest{bodies: map[place][][]byte{}}
	for _, name := range []string{
		"net10-netperf.v3", "net10-empty.v4", "net10-counters.v4", "net10-mix-gcheap.v4", "net10-alloc-sampled.v4",
		"azmcp-net10-dropped.v4", "net10-http.v4", "net10-types.v4", "onecollect-small.v6", "onecollect-noend.v6",
	} {
		b, err := corpora.Open(name)
		if err != nil {
			panic(err)
		}
		one := &harvest{bodies: map[place][][]byte{}}
		one.take(b)
		for p, bodies := range one.bodies {
			slices.SortStableFunc(bodies, func(a, b []byte) int { return len(a) - len(b) })
			bodies = slices.CompactFunc(bodies, bytes.Equal)
			h.bodies[p] = append(h.bodies[p], bodies[:min(3, len(bodies))]...)
			if len(bodies) > 3 {
				h.bodies[p] = append(h.bodies[p], bodies[len(bodies)/2])
			}
		}
		h.streams = append(h.streams, one.streams...)
	}
	return h
})

// probes copies all blocks of the small streams in the repository.
func probes(tb testing.TB) *harvest {
	h := &harvest{bodies: map[place][][]byte{}}
	for _, name := range shared.Streams(tb) {
		if strings.HasPrefix(name, "probe-") {
			h.take(shared.Stream(tb, name))
		}
	}
	return h
}

// seeds adds the bodies of a kind of block, and some of our own.
func seeds(f *testing.F, kind wire.Kind, version version, own ...[]byte) {
	p := place{version.Format, kind}
	addAll(f, slices.Concat(own, corporaHarvest().bodies[p], caseHarvest().bodies[p], probes(f).bodies[p]))
}

// addAll adds seeds once each.
func addAll(f *testing.F, inputs [][]byte) {
	seen := map[string]bool{}
	for _, b := range inputs {
		if len(b) <= largestSeed && !seen[string(b)] {
			seen[string(b)] = true
			f.Add(b)
		}
	}
}

// caseHarvest copies the conformance cases, valid and invalid.
var caseHarvest = sync.OnceValue(func() *harvest {
	h := &harvest{bodies: map[place][][]byte{}}
	for _, c := range cases.All() {
		h.take(c.Trace)
	}
	return h
})

// allStreams are the complete small streams.
func allStreams(tb testing.TB) [][]byte {
	return slices.Concat(corporaHarvest().streams, caseHarvest().streams, probes(tb).streams)
}

// firstBlock returns the kind of a stream's first block, and the start of the
// second.
func firstBlock(b []byte) (place, int) {
	r := codec.NewBytesBlockReader(b, codec.Options{OnError: codec.Skip})
	block, ok := r.Next()
	if !ok {
		return place{}, 0
	}
	t, err := r.Trace()
	if err != nil {
		return place{}, 0
	}
	return placeOf(t, block), int(r.Offset())
}
