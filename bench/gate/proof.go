package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
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
	sized []plant
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
	rows, _, _, err := work.ask(ctx, opt.rows)
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
		p.sized = append(p.sized, s)
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
