package main

import (
	"fmt"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/workload"
)

// class is a kind of trace that has a goal of its own.
type class string

const (
	ordinary class = ""
	sampler  class = "sampler" // small events, many of them samples
	large    class = "large"   // events whose copying is a large part of the work
)

// The limits of the classes of traces: bytes of the file per event, and the share
// of its events that are samples.
const (
	samplerBytes = 40
	samplerShare = 0.15
	largeBytes   = 200
	sampleSource = "Microsoft-DotNETCore-SampleProfiler"
)

// classOf reads the trace again.
func classOf(t workload.Trace, events int) class {
	switch size := len(t.Data) / max(1, events); {
	case size >= largeBytes:
		return large
	case size > samplerBytes:
		return ordinary
	}
	samples := 0
	r := codec.NewBytesReader(t.Data, codec.Options{})
	for e, ok := r.Next(); ok; e, ok = r.Next() {
		if e.Provider() == sampleSource {
			samples++
		}
	}
	if float64(samples) < samplerShare*float64(events) {
		return ordinary
	}
	return sampler
}

// ratioLines are the geometric means: peer, source, class, ratio. The class all
// has all evaluated traces. The last line is the ratio of the time from memory to
// that from a stream.
func ratioLines(rows []*row, o options) string {
	var b strings.Builder
	sources := map[reader]string{stream: "stream", memory: "memory"}
	for _, p := range peers(o) {
		for _, source := range []reader{stream, memory} {
			for _, c := range []class{"all", sampler, large} {
				var of []*row
				for _, r := range rows {
					if c == "all" || r.class == c {
						of = append(of, r)
					}
				}
				fmt.Fprintf(&b, "%s %s %s %.3f\n", names[p], sources[source], c, geometricMean(ratios(of, p, source)))
			}
		}
	}
	fmt.Fprintf(&b, "ours memory/stream all %.3f\n", geometricMean(ratios(rows, memory, stream)))
	return b.String()
}
