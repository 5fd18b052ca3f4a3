package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/perf/benchfmt"
)

// The units of what cachegrind counts.
const (
	instructions = "instructions/op"
	l1Misses     = "L1-misses/op"
	llMisses     = "LL-misses/op"
	mispredicts  = "mispredictions/op"

	// cycles is KCachegrind's estimate from the others.
	cycles = "estimated-cycles/op"
)

// countLines finds the counts in the output of valgrind. Misses of instructions
// and of data are added.
var countLines = map[string]*regexp.Regexp{
	instructions: regexp.MustCompile(`I\s+refs:\s+([0-9,]+)`),
	l1Misses:     regexp.MustCompile(`[ID]1\s+misses:\s+([0-9,]+)`),
	llMisses:     regexp.MustCompile(`LL[id]\s+misses:\s+([0-9,]+)`),
	mispredicts:  regexp.MustCompile(`Mispredicts:\s+([0-9,]+)`),
}

// costs are the cycles of KCachegrind's estimate.
var costs = map[string]float64{instructions: 1, l1Misses: 10, llMisses: 100, mispredicts: 10}

// Counts are the difference of two runs of the benchmark with different numbers
// of operations, so that neither the start of the process nor that of the
// benchmark is in it.
const fewOperations = 2

// countedTime is the approximate time without valgrind of the counted operations,
// of which there are at least minCounted.
const (
	countedTime = 10 * time.Millisecond
	minCounted  = 10
)

// countEnvironment keeps the runtime from doing things that depend on time, and from
// RDTSCP: valgrind's CPUID has it on any machine, but valgrind executes it only if the
// machine has it.
var countEnvironment = []string{"GOGC=off", "GODEBUG=asyncpreemptoff=1,cpu.rdtscp=off", "GOMAXPROCS=1"}

// cachegrind simulates the caches and the prediction of branches.
var cachegrind = []string{"valgrind", "--tool=cachegrind", "--cache-sim=yes", "--branch-sim=yes", "--cachegrind-out-file=/dev/null"}

// noValgrind is the resource that is short without valgrind.
const noValgrind = "valgrind: it is not installed"

// countable reports whether valgrind is installed.
func countable() bool {
	_, err := exec.LookPath(cachegrind[0])
	return err == nil
}

// count counts the events of rows until the deadline.
func (r *runner) count(ctx context.Context, rows []string, deadline time.Time) error {
	for _, row := range rows {
		switch {
		case !countable():
			r.record.rows[row].short = noValgrind
		case time.Now().After(deadline):
			r.record.rows[row].short = noTime
		default:
			if err := r.countRow(ctx, row); err != nil {
				return err
			}
		}
	}
	return nil
}

// countRow counts the events of a row, of both sides at once.
func (r *runner) countRow(ctx context.Context, row string) error {
	operations := minCounted
	if took := r.record.rows[row].probeTime; took > 0 {
		operations = max(minCounted, int(math.Round(countedTime.Seconds()/took)))
	}
	var texts [2][]byte
	var errs [2]error
	var both sync.WaitGroup
	for side := range texts {
		both.Go(func() { texts[side], errs[side] = r.perOperation(ctx, row, side, operations) })
	}
	both.Wait()
	for side := range texts {
		if errs[side] != nil {
			return errs[side]
		}
		if err := r.keep(slot{phase: phaseCount, processes: 1, side: side, layout: 1}, texts[side]); err != nil {
			return err
		}
	}
	return nil
}

// perOperation returns the output of a benchmark with its counts per operation.
func (r *runner) perOperation(ctx context.Context, row string, side, operations int) ([]byte, error) {
	few, _, err := r.countProcess(ctx, row, side, fewOperations)
	if err != nil {
		return nil, err
	}
	many, text, err := r.countProcess(ctx, row, side, fewOperations+operations)
	if err != nil {
		return nil, err
	}
	line := fmt.Appendf(nil, "Benchmark%s %d", row, operations)
	estimate := 0.0
	for _, unit := range slices.Sorted(maps.Keys(countLines)) {
		each := max(0, many[unit]-few[unit]) / float64(operations)
		line = fmt.Appendf(line, " %.1f %s", each, unit)
		estimate += costs[unit] * each
	}
	return fmt.Appendf(line, " %.1f %s\n%s", estimate, cycles, text), nil
}

// countProcess counts the events of a process with a number of operations.
func (r *runner) countProcess(ctx context.Context, row string, side, operations int) (map[string]float64, []byte, error) {
	s := slot{side: side, rows: []string{row}, layout: 1,
		window: fmt.Sprintf("%dx", operations), wrap: cachegrind, environment: countEnvironment}
	cmd := r.command(ctx, s)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, nil, fmt.Errorf("%w\n%s%s", r.failure(ctx, s, err, stdout.Bytes()), row, stderr.Bytes())
	}
	counts, err := parseCounts(stderr.String())
	return counts, stdout.Bytes(), err
}

// parseCounts reads the output of valgrind.
func parseCounts(text string) (map[string]float64, error) {
	counts := map[string]float64{}
	for unit, line := range countLines {
		found := line.FindAllStringSubmatch(text, -1)
		if found == nil {
			return nil, fmt.Errorf("valgrind prints no %s:\n%s", unit, text)
		}
		for _, f := range found {
			n, err := strconv.ParseFloat(strings.ReplaceAll(f[1], ",", ""), 64)
			if err != nil {
				return nil, err
			}
			counts[unit] += n
		}
	}
	return counts, nil
}

// addCounts adds the counts of a result, if it has any.
func (w *row) addCounts(side int, res *benchfmt.Result) {
	if _, ok := res.Value(instructions); !ok {
		return
	}
	w.counts[side] = map[string]float64{}
	for _, v := range res.Values {
		w.counts[side][v.Unit] = v.Value
	}
}

// countRatio returns that of head to base, NaN if they were not counted.
func (w *row) countRatio(unit string) float64 {
	if w.counts[base] == nil || w.counts[head] == nil {
		return math.NaN()
	}
	return w.counts[head][unit] / w.counts[base][unit]
}

// explanation describes the counts of both sides.
func (w *row) explanation() string {
	if w.counts[base] == nil || w.counts[head] == nil {
		return ""
	}
	var all []string
	for _, unit := range slices.Sorted(maps.Keys(countLines)) {
		all = append(all, fmt.Sprintf("%.0f %s, before %.0f", w.counts[head][unit], unit, w.counts[base][unit]))
	}
	return strings.Join(all, "; ")
}
