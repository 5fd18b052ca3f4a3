package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A count is the difference of two runs of the benchmark that do not make the
// same number of operations, so that neither the start of the process nor that
// of the benchmark is in it.
const fewOperations = 2

// countedTime is the approximate time without valgrind of the counted operations.
// At least one is counted.
const countedTime = 20 * time.Millisecond

// counted keeps the runtime from doing things that depend on time.
var counted = []string{"GOGC=off", "GODEBUG=asyncpreemptoff=1", "GOMAXPROCS=1"}

// valgrind counts instructions and simulates nothing.
var valgrind = []string{"valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"}

var instructionsLine = regexp.MustCompile(`I\s+refs:\s+([0-9,]+)`)

// countable returns an error without valgrind.
func countable() error {
	_, err := exec.LookPath(valgrind[0])
	return err
}

// countInstructions counts those of rows, on both sides at once, until the
// deadline.
func (r *runner) countInstructions(ctx context.Context, rows []string, deadline time.Time) error {
	for i, row := range rows {
		if time.Now().After(deadline) {
			fmt.Fprintf(r.notes, "instructions: no time for %d rows\n", len(rows)-i)
			return nil
		}
		if err := r.countRow(ctx, row); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) countRow(ctx context.Context, row string) error {
	operations := r.record.rows[row].operations()
	var counts [2]float64
	var errs [2]error
	var both sync.WaitGroup
	for side := range counts {
		both.Add(1)
		go func() {
			defer both.Done()
			counts[side], errs[side] = r.perOperation(ctx, row, side, operations)
		}()
	}
	both.Wait()
	for side := range counts {
		if errs[side] != nil {
			return errs[side]
		}
		s := slot{phase: phaseInstructions, side: side, layout: 1}
		line := fmt.Sprintf("Benchmark%s %d %.0f %s\n", row, operations, counts[side], instructionsUnit)
		if _, err := r.keep(s, []byte(line)); err != nil {
			return err
		}
	}
	return nil
}

// operations is how many of a row are counted, by the fastest of burn-in.
func (w *row) operations() int {
	fastest := countedTime.Seconds()
	for _, sides := range w.phases[phaseBurnIn] {
		fastest = min(fastest, slices.Min(sides[base]), slices.Min(sides[head]))
	}
	return max(1, int(math.Round(countedTime.Seconds()/fastest)))
}

// perOperation counts the instructions of one operation of a row.
func (r *runner) perOperation(ctx context.Context, row string, side, operations int) (float64, error) {
	few, err := r.count(ctx, row, side, fewOperations)
	if err != nil {
		return 0, err
	}
	many, err := r.count(ctx, row, side, fewOperations+operations)
	return (many - few) / float64(operations), err
}

// count counts the instructions of a process that makes so many operations.
func (r *runner) count(ctx context.Context, row string, side, operations int) (float64, error) {
	s := slot{side: side, binary: side, rows: []string{row}, layout: 1,
		window: fmt.Sprintf("%dx", operations), wrap: valgrind, environment: counted}
	cmd := r.command(ctx, s)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return 0, fmt.Errorf("%w\n%s%s", r.failure(ctx, s, err, stdout.Bytes()), row, stderr.Bytes())
	}
	found := instructionsLine.FindSubmatch(stderr.Bytes())
	if found == nil {
		return 0, fmt.Errorf("valgrind prints no count of instructions:\n%s", stderr.Bytes())
	}
	return strconv.ParseFloat(strings.ReplaceAll(string(found[1]), ",", ""), 64)
}
