package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
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
	rows, acceptances, err := work.ask(ctx, opt.rows)
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
	r := &runner{work: work, record: newRecord(), window: opt.window, most: opt.most, out: out, notes: notes}
	if err := r.probe(ctx, rows); err != nil {
		return nil, err
	}
	if opt.instructions {
		results, err = r.evaluateInstructions(ctx)
	} else {
		results, err = r.evaluateTime(ctx, start, opt.budget)
	}
	if err != nil {
		return nil, err
	}
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

// ask reads from the repository which rows exist, here and at base, and which
// failures are accepted.
func (w *workspace) ask(ctx context.Context, file string) (rows []string, all []acceptance, err error) {
	messages, err := w.messages(ctx)
	if err != nil {
		return nil, nil, err
	}
	if all, err = parseAcceptances(messages); err != nil || file == "" {
		return nil, all, err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, malformedError{err}
	}
	if rows, err = parseRows(file, string(text)); err != nil {
		return nil, nil, err
	}
	// A row that head removes from the list is still evaluated.
	if text, err := os.ReadFile(filepath.Join(w.current(base), file)); err == nil {
		before, err := parseRows("base: "+file, string(text))
		if err != nil {
			return nil, nil, err
		}
		rows = append(rows, slices.DeleteFunc(before, func(row string) bool { return slices.Contains(rows, row) })...)
	}
	return rows, all, nil
}

// evaluateTime is the gate: burn-in, measuring, counting instructions of rows that
// time alone does not settle, confirming.
func (r *runner) evaluateTime(ctx context.Context, start time.Time, budget time.Duration) ([]rowResult, error) {
	share := func(part float64) time.Time { return start.Add(time.Duration(part * float64(budget))) }
	rows, measuring := r.comparable(), share(0.7)
	round, err := r.burnIn(ctx, rows)
	if err != nil {
		return nil, err
	}
	if time.Now().Add(minRounds * round).After(measuring) {
		fmt.Fprintf(r.notes, "no time for %d rounds: take fewer rows, or a -budget above %v\n", minRounds, budget)
		return r.record.evaluate(), nil
	}
	if err := r.compare(ctx, phaseMeasure, rows, measuring); err != nil {
		return nil, err
	}
	unsettled := r.where(rows, func(w *row) bool {
		s := w.position(phaseMeasure)
		return s == imprecise || s == uncertain || s == slow
	})
	if err := countable(); err != nil {
		fmt.Fprintln(r.notes, "instructions are not counted:", err)
	} else if err := r.countInstructions(ctx, unsettled, share(0.85)); err != nil {
		return nil, err
	}
	if err := r.compare(ctx, phaseConfirm, r.where(rows, (*row).failing), share(1)); err != nil {
		return nil, err
	}
	return r.record.evaluate(), nil
}

// where are the rows for which a condition holds.
func (r *runner) where(rows []string, holds func(*row) bool) []string {
	return slices.DeleteFunc(slices.Clone(rows), func(name string) bool { return !holds(r.record.rows[name]) })
}

// burnIn compares base with itself for one round, and returns its duration. It
// warms the machine and estimates the duration of a round.
func (r *runner) burnIn(ctx context.Context, rows []string) (time.Duration, error) {
	start := time.Now()
	if err := r.round(ctx, phaseBurnIn, 1, rows); err != nil || len(rows) == 0 {
		return 0, err
	}
	took := time.Since(start)
	var noise []float64
	for _, name := range rows {
		noise = append(noise, math.Abs(math.Log(r.record.rows[name].phases[phaseBurnIn].ratios()[0])))
	}
	slices.Sort(noise)
	fmt.Fprintf(r.notes, "burn-in: base against itself in %.1f s: half of the rows within %.1f %%, all within %.1f %%\n",
		took.Seconds(), 100*math.Expm1(noise[len(noise)/2]), 100*math.Expm1(noise[len(noise)-1]))
	return took, nil
}

// evaluateInstructions counts and compares the instructions of all rows.
func (r *runner) evaluateInstructions(ctx context.Context) ([]rowResult, error) {
	if err := countable(); err != nil {
		return nil, err
	}
	if _, err := r.burnIn(ctx, r.comparable()); err != nil {
		return nil, err
	}
	if err := r.countInstructions(ctx, r.comparable(), time.Now().Add(time.Hour)); err != nil {
		return nil, err
	}
	results := r.record.evaluate()
	for i := range results {
		j := &results[i]
		switch {
		case j.outcome != unmeasured: // new or removed
		case j.instructions > moreCode:
			j.outcome, j.why = grown, "more instructions"
		default:
			j.outcome, j.why = pass, ""
		}
	}
	return results, nil
}
