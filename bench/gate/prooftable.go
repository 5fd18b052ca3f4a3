package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// tally counts outcomes.
type tally struct{ failed, passed, unmeasured int }

func (t *tally) add(o outcome) {
	switch {
	case o.fails():
		t.failed++
	case o == pass:
		t.passed++
	default:
		t.unmeasured++
	}
}

// tally evaluates a row of the runs with a plant, with the slices of head scaled.
func (p *proof) tally(row string, holds func(proofRun) bool, scale func(proofRun) float64) (t tally) {
	for _, run := range p.runs {
		if holds(run) {
			outcome, _ := run.record.rows[row].scaled(scale(run)).evaluate()
			t.add(outcome)
		}
	}
	return t
}

// scaled returns a copy of the row in which all slices of head take longer.
func (w *row) scaled(factor float64) *row {
	c := *w
	c.slices = map[string]processes{}
	for phase, all := range w.slices {
		c.slices[phase] = processes{}
		for n, sides := range all {
			times := slices.Clone(sides[head])
			for i := range times {
				times[i] *= factor
			}
			c.slices[phase][n] = &[2][]float64{sides[base], times}
		}
	}
	return &c
}

// table returns the results as Markdown, and whether the demands hold.
func (p *proof) table(took time.Duration) (string, bool) {
	all := func(proofRun) bool { return true }
	planted := func(r proofRun) bool { return r.name != noPlant }
	with := func(name string) func(proofRun) bool { return func(r proofRun) bool { return r.name == name } }
	measured := func(proofRun) float64 { return 1 }
	scaledTo := func(size float64) func(proofRun) float64 { return func(r proofRun) float64 { return size / r.size } }

	null, other := p.tally(p.rows[0], with(noPlant), measured), p.tally(p.rows[1], all, measured)
	found, large := p.tally(p.rows[0], planted, measured), p.tally(p.rows[0], planted, scaledTo(1.30))
	lines := []string{
		"| slowdown | size | runs | failed | passed | not measured |", "| --- | --- | --- | --- | --- | --- |",
		null.line("none", ""), other.line("none, in the other row", ""),
	}
	for _, s := range p.sized {
		lines = append(lines, p.tally(p.rows[0], with(s.name), measured).line(s.name, fmt.Sprintf("%.1f %%", 100*(s.size-1))))
	}
	lines = append(lines, found.line("all three", "10 %"),
		p.tally(p.rows[0], planted, scaledTo(1.05)).line("replayed", "5 %"), large.line("replayed", "30 %"))
	holds := null.failed == 0 && other.failed == 0 && found.passed <= mayPass && found.failed >= mustFail && large.passed == 0
	return p.conditions(took) + "\n\n" + strings.Join(lines, "\n") + "\n", holds
}

// line returns a line of the table.
func (t tally) line(name, size string) string {
	return fmt.Sprintf("| %s | %s | %d | %d | %d | %d |", name, size, t.failed+t.passed+t.unmeasured, t.failed, t.passed, t.unmeasured)
}

// conditions describes the machine during the runs.
func (p *proof) conditions(took time.Duration) string {
	var pairs []float64
	for _, r := range p.runs {
		_, n := r.record.rows[p.rows[0]].median(phaseMeasure)
		pairs = append(pairs, float64(n))
	}
	return fmt.Sprintf("%s: %d runs in %.0f minutes on %d processors, load average %s, pairs of slices in a first measurement %s.",
		time.Now().UTC().Format("2 January 2006"), len(p.runs), took.Minutes(), runtime.NumCPU(), span("%.1f", p.loads), span("%.0f", pairs))
}

// span describes the range of values.
func span(format string, values []float64) string {
	if len(values) == 0 {
		return "unknown"
	}
	median, _ := medianOf(values)
	return fmt.Sprintf(strings.ReplaceAll("% to % (median %)", "%", format), slices.Min(values), slices.Max(values), median)
}

// The lines of a Markdown file around the table.
const (
	tableBegin = "<!-- gate-proof -->\n"
	tableEnd   = "<!-- end of gate-proof -->\n"
)

// insert replaces the table in a Markdown file, if there is one.
func insert(name, table string) error {
	if name == "" {
		return nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	before, rest, begins := bytes.Cut(text, []byte(tableBegin))
	_, after, ends := bytes.Cut(rest, []byte(tableEnd))
	if !begins || !ends {
		return malformed("%s: no lines %q and %q", name, strings.TrimSpace(tableBegin), strings.TrimSpace(tableEnd))
	}
	return os.WriteFile(name, slices.Concat(before, []byte(tableBegin+table+tableEnd), after), 0o644)
}
