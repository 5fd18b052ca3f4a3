package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// plants are the slowdowns of plants.patch, with numbers that cost about 10 % on
// one machine.
var plants = []plant{{name: "branch", amount: 7000}, {name: "table", amount: 150}, {name: "chain", amount: 24000}}

// plant is a slowdown that the environment variable GATE_PLANT selects.
type plant struct {
	name   string
	amount int
	size   float64 // the ratio that it causes
}

// noPlant is the name of runs without a slowdown.
const noPlant = "none"

// The numbers of runs, the size of the plants, and the demands.
const (
	runsEach     = 10
	plantedSize  = 1.10
	sizeAccuracy = 0.01
	mayPass      = 1
	mustFail     = 24
)

// proof runs the gate on commits whose difference is known.
type proof struct {
	*runner
	rows  []string // the planted one, and another one
	runs  []proofRun
	loads []float64
}

// proofRun is a run of the gate.
type proofRun struct {
	plant
	record *record
}

// prove measures how often the gate finds slowdowns, and prints a table. It
// returns the exit code.
func prove(ctx context.Context, opt options, stdout, notes io.Writer) (code int, err error) {
	work, err := newWorkspace(ctx, "HEAD")
	if err != nil {
		return 0, err
	}
	defer work.remove()
	work.seeds[head] = layouts // the layouts of a side are not those of the other
	rows, _, err := work.ask(ctx, opt.rows)
	if err != nil {
		return 0, err
	}
	if err := work.patch(ctx, opt.proof); err != nil {
		return 0, err
	}
	if err := work.build(ctx, opt.pkg); err != nil {
		return 0, err
	}
	out, err := create(opt.out)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	p := &proof{runner: &runner{work: work, time: opt.time, pairs: opt.pairs, out: out, notes: notes}, rows: rows}
	began := time.Now()
	if err := p.runAll(ctx, began.Add(opt.budget)); err != nil {
		return 0, err
	}
	table, holds := p.table(time.Since(began))
	fmt.Fprint(stdout, table)
	if !holds {
		code = exitRegression
	}
	return code, insert(opt.into, table)
}

// patch applies a patch to both trees.
func (w *workspace) patch(ctx context.Context, name string) error {
	full, err := filepath.Abs(name)
	if err != nil {
		return err
	}
	for side := range sideNames {
		if _, err := command(ctx, w.tree(side), "git", "apply", full); err != nil {
			return malformedError{err}
		}
	}
	return nil
}

// runAll finds the sizes of the plants, then makes all runs in random order.
func (p *proof) runAll(ctx context.Context, deadline time.Time) error {
	var order []plant
	for range runsEach {
		order = append(order, plant{name: noPlant, size: 1})
	}
	for _, s := range plants {
		if err := p.sizePlant(ctx, &s); err != nil {
			return err
		}
		order = append(order, slices.Repeat([]plant{s}, runsEach)...)
	}
	rand.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for n, s := range order {
		p.begin(s)
		if err := p.measureTimes(ctx, p.rows, deadline); err != nil {
			return err
		}
		p.runs = append(p.runs, proofRun{s, p.record})
		if load, err := strconv.ParseFloat(loadAverage(), 64); err == nil {
			p.loads = append(p.loads, load)
		}
		for _, j := range p.record.evaluate() {
			fmt.Fprintf(p.notes, "run %d of %d, %s: %s: %.3f, %s\n", n+1, len(order), s.name, j.row, j.ratio, j.text())
		}
	}
	return nil
}

// begin begins a run with a plant in the processes of head.
func (p *proof) begin(s plant) {
	p.headEnvironment = nil
	if s.name != noPlant {
		p.headEnvironment = []string{fmt.Sprintf("GATE_PLANT=%s %d", s.name, s.amount)}
	}
	p.record = newRecord()
	for _, row := range p.rows {
		p.record.row(row).probed = [2]bool{true, true}
	}
}

// sizePlant changes the amount of a plant until it causes plantedSize.
func (p *proof) sizePlant(ctx context.Context, s *plant) error {
	for range 8 {
		p.begin(*s)
		if err := p.measure(ctx, p.rows[0], measurement{phaseMeasure, 2 * layouts, 2 * p.time}); err != nil {
			return err
		}
		ratio, pairs := p.record.rows[p.rows[0]].median(phaseMeasure)
		fmt.Fprintf(p.notes, "%s: amount %d causes %.3f\n", s.name, s.amount, ratio)
		if pairs < minPairs {
			return errors.New(tooFew(pairs))
		}
		if s.size = ratio; math.Abs(ratio-plantedSize) <= sizeAccuracy {
			return nil
		}
		change := (plantedSize - 1) / max(ratio-1, (plantedSize-1)/4)
		s.amount = max(1, int(math.Round(float64(s.amount)*change)))
	}
	return fmt.Errorf("%s: no amount causes %.2f", s.name, plantedSize)
}

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
	same := func(proofRun) float64 { return 1 }
	is := func(name string) func(proofRun) bool { return func(r proofRun) bool { return r.name == name } }
	planted := func(r proofRun) bool { return r.name != noPlant }
	scaledTo := func(size float64) func(proofRun) float64 { return func(r proofRun) float64 { return size / r.size } }

	var b strings.Builder
	fmt.Fprintf(&b, "%s, %.0f minutes, load average %s, %s on two rows of %d runs:\n\n",
		time.Now().UTC().Format("2 January 2006"), took.Minutes(), p.loadRange(), sliceRange(p.runs, p.rows[0]), len(p.runs))
	b.WriteString("| slowdown | size | runs | failed | passed | not measured |\n| --- | --- | --- | --- | --- | --- |\n")
	line := func(name, size string, t tally) {
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %d |\n", name, size, t.failed+t.passed+t.unmeasured, t.failed, t.passed, t.unmeasured)
	}
	null := p.tally(p.rows[0], is(noPlant), same)
	line("none", "", null)
	other := p.tally(p.rows[1], func(proofRun) bool { return true }, same)
	line("none, in the other row", "", other)
	for _, s := range plants {
		size := 0.0
		for _, r := range p.runs {
			if r.name == s.name {
				size = r.size
			}
		}
		line(s.name, fmt.Sprintf("%.1f %%", 100*(size-1)), p.tally(p.rows[0], is(s.name), same))
	}
	found := p.tally(p.rows[0], planted, same)
	line("all three", "10 %", found)
	line("replayed", "5 %", p.tally(p.rows[0], planted, scaledTo(1.05)))
	large := p.tally(p.rows[0], planted, scaledTo(1.30))
	line("replayed", "30 %", large)
	holds := null.failed == 0 && other.failed == 0 && found.passed <= mayPass && found.failed >= mustFail && large.passed == 0
	return b.String(), holds
}

// loadRange describes the load averages during the runs.
func (p *proof) loadRange() string {
	if len(p.loads) == 0 {
		return "unknown"
	}
	median, _ := medianOf(p.loads)
	return fmt.Sprintf("%.1f to %.1f (median %.1f)", slices.Min(p.loads), slices.Max(p.loads), median)
}

// sliceRange describes how many pairs of slices the first measurements had.
func sliceRange(runs []proofRun, row string) string {
	var all []int
	for _, r := range runs {
		_, pairs := r.record.rows[row].median(phaseMeasure)
		all = append(all, pairs)
	}
	return fmt.Sprintf("%d to %d pairs of slices in 15 s", slices.Min(all), slices.Max(all))
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
