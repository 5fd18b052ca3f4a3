package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// evaluateBranch runs the benchmarks of both sides and evaluates them.
func evaluateBranch(ctx context.Context, opt options, notes io.Writer) (results []rowResult, err error) {
	start := time.Now()
	work, err := newWorkspace(ctx, opt.base)
	if err != nil {
		return nil, err
	}
	defer work.remove()
	rows, before, acceptances, err := work.ask(ctx, opt.rows)
	if err != nil {
		return nil, err
	}
	if err := work.build(ctx, opt.pkg); err != nil {
		return nil, err
	}
	fmt.Fprintf(notes, "base %.12s, head %.12s: built in %.0f s\n", work.commits[base], work.commits[head], time.Since(start).Seconds())
	out, err := create(opt.out)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	r := &runner{work: work, record: newRecord(), time: opt.time, pairs: opt.pairs, out: out, notes: notes}
	if err := r.probe(ctx, rows, before); err != nil {
		return nil, err
	}
	timed := maxTimed
	if opt.instructions {
		timed = 0
	}
	if err := r.measureRows(ctx, timed, time.Now().Add(opt.budget)); err != nil {
		return nil, err
	}
	results = r.record.evaluate()
	accept(results, acceptances)
	return results, r.record.writeEnd(out)
}

// create creates a file, or nothing without a name.
func create(name string) (io.WriteCloser, error) {
	if name == "" {
		name = os.DevNull
	}
	return os.Create(name)
}

// ask reads from the repository which rows the lists of head and, besides them, of base have, and
// which failures are accepted. A row that head removes from the list is still evaluated.
func (w *workspace) ask(ctx context.Context, file string) (rows, before []string, all []acceptance, err error) {
	messages, err := w.messages(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	if all, err = parseAcceptances(messages); err != nil || file == "" {
		return nil, nil, all, err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, nil, malformedError{err}
	}
	if rows, err = parseRows(file, string(text)); err != nil {
		return nil, nil, nil, err
	}
	if text, err := os.ReadFile(filepath.Join(w.current(base), file)); err == nil {
		if before, err = parseRows("base: "+file, string(text)); err != nil {
			return nil, nil, nil, err
		}
	}
	return rows, slices.DeleteFunc(before, func(row string) bool { return slices.Contains(rows, row) }), all, nil
}

// noTime is the resource that is short when the budget ends.
const noTime = "budget: it ended before this row, see -budget"

// measureRows measures the time of the first rows, and counts the events of the
// other rows and of those whose time fails.
func (r *runner) measureRows(ctx context.Context, timed int, deadline time.Time) error {
	rows := r.comparable()
	timed = min(timed, len(rows))
	if err := r.measureTimes(ctx, rows[:timed], deadline); err != nil {
		return err
	}
	failing := r.where(rows[:timed], func(w *row) bool { outcome, _ := w.evaluate(); return outcome.fails() })
	return r.count(ctx, append(failing, rows[timed:]...), deadline)
}

// measureTimes measures the time of rows, of those that would fail a second time.
func (r *runner) measureTimes(ctx context.Context, rows []string, deadline time.Time) error {
	if err := r.measureAll(ctx, rows, r.first(), deadline); err != nil {
		return err
	}
	suspects := r.where(rows, (*row).suspect)
	slices.SortFunc(suspects, func(a, b string) int { // the slowest one first
		before, _ := r.record.rows[a].median(phaseMeasure)
		after, _ := r.record.rows[b].median(phaseMeasure)
		return cmp.Compare(after, before)
	})
	return r.measureAll(ctx, suspects, r.second(), deadline)
}

// measureAll measures rows, as many as end before the deadline.
func (r *runner) measureAll(ctx context.Context, rows []string, m measurement, deadline time.Time) error {
	for _, row := range rows {
		if time.Now().Add(m.time).After(deadline) {
			r.record.rows[row].short = noTime
		} else if err := r.measure(ctx, row, m); err != nil {
			return err
		}
	}
	return nil
}

// comparable returns the rows that both sides have.
func (r *runner) comparable() []string {
	return r.where(r.record.names, func(w *row) bool { return w.probed == [2]bool{true, true} })
}

// where returns the rows for which a condition holds.
func (r *runner) where(rows []string, holds func(*row) bool) []string {
	return slices.DeleteFunc(slices.Clone(rows), func(name string) bool { return !holds(r.record.rows[name]) })
}

// loadAverage returns that of the last minute, on Linux.
func loadAverage() string {
	text, _ := os.ReadFile("/proc/loadavg")
	load, _, found := strings.Cut(string(text), " ")
	if !found {
		return "unknown"
	}
	return load
}
