package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/dev/peer/internal/peer"
	"github.com/nettrace-go/nettrace/internal/workload"
)

// reader is a column of the measurement.
type reader int

const (
	stream reader = iota // codec from an io.Reader, which is evaluated
	memory               // codec in place
	dotnetdiag
	traceEvent
	readers
)

var names = [readers]string{"ours", "ours, in memory", "dotnetdiag", "TraceEvent"}

// peers are the other readers.
func peers(o options) []reader {
	if o.te == "" {
		return []reader{dotnetdiag}
	}
	return []reader{dotnetdiag, traceEvent}
}

// row is a trace with its measurements.
type row struct {
	trace   workload.Trace
	events  int
	judged  bool // it counts in the geometric means
	class   class
	passes  [readers]func() (workload.Sum, error)
	samples [readers][]float64 // ns an event, by round; of TraceEvent its own median, by run
	notes   []string           // the traces that a peer does not read
}

// newRows reads each trace once with each reader, and notes where the peer sees
// other events than we do.
func newRows(traces []workload.Trace, o options) ([]*row, error) {
	var rows []*row
	for _, t := range traces {
		r := &row{trace: t}
		r.passes[stream] = t.Pass("stream", codec.Options{})
		r.passes[memory] = t.Pass("memory", codec.Options{})
		r.passes[dotnetdiag] = peer.Pass(t)
		ours, err := r.passes[stream]()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Name, err)
		}
		switch again, err := r.passes[memory](); {
		case err != nil:
			return nil, fmt.Errorf("%s: %w", t.Name, err)
		case again != ours:
			return nil, fmt.Errorf("%s: %+v from memory, %+v from a stream", t.Name, again, ours)
		}
		r.events, r.class = ours.Events, classOf(t, ours.Events)
		r.judged = ours.Events >= o.minEvents && len(t.Data) <= o.maxBytes*ours.Events
		theirs, err := r.passes[dotnetdiag]()
		switch {
		case err != nil:
			r.passes[dotnetdiag] = nil
			r.notes = append(r.notes, "dotnetdiag: "+err.Error())
		case theirs.Events != ours.Events:
			r.notes = append(r.notes, fmt.Sprintf("dotnetdiag sees %d events", theirs.Events))
		case theirs != ours:
			r.notes = append(r.notes, "dotnetdiag sees other times or ids")
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// measure fills the samples: o.rounds rounds over all traces.
func measure(rows []*row, o options) error {
	if o.te != "" {
		return measureTE(rows, o)
	}
	for i := range o.rounds {
		round(rows, i)
	}
	return nil
}

// measureTE adds the samples of te. Te reads one trace repeatedly, after a
// warm-up. Half of the passes of the other readers come before each of its runs
// and half after it, so that all compared values come from the same few seconds.
func measureTE(rows []*row, o options) error {
	dir, err := os.MkdirTemp("", "versus")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for _, r := range rows {
		for range o.runs {
			r.repeat(o.rounds / 2)
			if err := runTE(r, dir, o); err != nil {
				return err
			}
			r.repeat(o.rounds - o.rounds/2)
			if len(r.samples[traceEvent]) == 0 {
				break // it does not read this one
			}
		}
	}
	return nil
}

// warmUp is how long a reader reads a trace before its passes count.
const warmUp = 300 * time.Millisecond

// repeat reads the trace with one reader after the other, each over and over.
func (r *row) repeat(passes int) {
	for _, c := range []reader{stream, memory, dotnetdiag} {
		if r.passes[c] == nil {
			continue
		}
		runtime.GC() // no reader pays for the garbage of another one
		for start := time.Now(); time.Since(start) < warmUp; {
			r.pass(c)
		}
		for range passes {
			r.samples[c] = append(r.samples[c], r.pass(c))
		}
	}
}

// pass reads the trace once and returns the time of an event in nanoseconds.
func (r *row) pass(c reader) float64 {
	start := time.Now()
	sum, err := r.passes[c]()
	took := time.Since(start)
	if err != nil {
		panic(err) // the first pass went well
	}
	return float64(took) / float64(sum.Events)
}

// round reads each trace once with each reader, every other round in the
// opposite order, so that no reader meets one trace twice in a row.
func round(rows []*row, i int) {
	order := slices.Clone(rows)
	columns := []reader{stream, memory, dotnetdiag}
	if i%2 == 1 {
		slices.Reverse(order)
		slices.Reverse(columns)
	}
	for _, r := range order {
		for _, c := range columns {
			if r.passes[c] == nil {
				continue
			}
			runtime.GC() // no reader pays for the garbage of another one
			r.samples[c] = append(r.samples[c], r.pass(c))
		}
	}
}
