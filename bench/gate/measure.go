package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"
)

// runner runs test binaries and records their output.
type runner struct {
	work            *workspace
	record          *record
	time            time.Duration // of the first measurement of a row
	pairs           int           // the maximum of a measurement, 0: no maximum
	headEnvironment []string      // of the processes of head
	out             io.Writer     // gets the record
	notes           io.Writer     // gets a line for each step
}

// sliceTime is the processor time of a slice of base.
const sliceTime = 14 * time.Millisecond

// measurement is one of the two measurements of a row.
type measurement struct {
	phase     string
	processes int // pairs of processes, one after the other
	time      time.Duration
}

// first and second are the measurements of a row. The second one takes four times
// as long.
func (r *runner) first() measurement { return measurement{phaseMeasure, layouts, r.time} }

func (r *runner) second() measurement { return measurement{phaseConfirm, 2 * layouts, 4 * r.time} }

// measure measures a row. Each pair of processes has the next layout.
func (r *runner) measure(ctx context.Context, row string, m measurement) error {
	began := time.Now()
	for n := range m.processes {
		share := m.time * time.Duration(n+1) / time.Duration(m.processes)
		s := slot{phase: m.phase, processes: n + 1, rows: []string{row}, layout: 1 + n%layouts}
		if err := r.measureProcesses(ctx, s, began.Add(share), r.pairs/m.processes); err != nil {
			return fmt.Errorf("%s: %w", row, err)
		}
	}
	ratio, pairs := r.record.rows[row].median(m.phase)
	fmt.Fprintf(r.notes, "%s: %s: %.3f, median of %d pairs in %.0f s, load average %s\n",
		m.phase, row, ratio, pairs, time.Since(began).Seconds(), loadAverage())
	return nil
}

// measureProcesses measures slices of a row in turn in a process of each side. It
// measures one pair at least.
func (r *runner) measureProcesses(ctx context.Context, s slot, deadline time.Time, most int) error {
	var sides [2]*process
	for side := range sides {
		s.side = side
		p, err := r.start(ctx, s)
		if err != nil {
			return err
		}
		defer p.kill()
		sides[side] = p
	}
	operations, err := calibrate(sides[base].slice)
	if err != nil {
		return err
	}
	if _, err := sides[head].slice(operations); err != nil { // fills its caches
		return err
	}
	var times [2][]time.Duration
	for n := 1; n == 1 || time.Now().Before(deadline) && n != most+1; n++ {
		side := rand.IntN(2)
		for range sides {
			took, err := sides[side].slice(operations)
			if err != nil {
				return err
			}
			times[side] = append(times[side], took)
			side = 1 - side
		}
	}
	return r.keepProcesses(s, sides, times, operations)
}

// calibrate returns the number of operations that take sliceTime.
func calibrate(slice func(operations int) (time.Duration, error)) (int, error) {
	for n := 1; ; {
		took, err := slice(n)
		if err != nil {
			return 0, err
		}
		fit := float64(n) * float64(sliceTime) / float64(max(took, time.Microsecond))
		if took >= sliceTime/2 {
			return max(1, int(fit)), nil
		}
		n = max(n+1, min(int(fit), 100*n))
	}
}

// keepProcesses ends a pair of processes and records its slices and the results of
// the benchmarks.
func (r *runner) keepProcesses(s slot, sides [2]*process, times [2][]time.Duration, operations int) error {
	for side, p := range sides {
		var text []byte
		for _, took := range times[side] {
			text = fmt.Appendf(text, "Benchmark%s %d %.1f %s\n", s.rows[0], operations, float64(took)/float64(operations), processorUnit)
		}
		results, err := p.end()
		if err != nil {
			return err
		}
		s.side = side
		if err := r.keep(s, append(text, results...)); err != nil {
			return err
		}
	}
	return nil
}

// keep records the output of a process.
func (r *runner) keep(s slot, text []byte) error {
	keys := fmt.Sprintf("phase: %s\nprocesses: %d\nside: %s\nlayout: %d\n", s.phase, s.processes, sideNames[s.side], s.layout)
	text = append([]byte(keys), text...)
	if _, err := r.out.Write(text); err != nil {
		return err
	}
	_, err := r.record.read(sideNames[s.side]+" "+s.phase, text)
	return err
}

// probe runs each row of both sides once, all rows of the package if none are
// named. Of the rows that only base's list names, those that neither side has are gone.
func (r *runner) probe(ctx context.Context, rows, before []string) error {
	all := slices.Concat(rows, before)
	for side := range sideNames {
		if err := r.run(ctx, slot{phase: phaseProbe, side: side, rows: all, window: "1x", layout: 1}); err != nil {
			return err
		}
	}
	for _, row := range rows {
		if r.record.rows[row] == nil {
			return malformed("%s: neither side has this row", row)
		}
	}
	r.record.sort(all)
	return tooMany(r.record.names)
}
