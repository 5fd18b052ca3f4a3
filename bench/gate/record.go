package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strconv"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchproc"
)

// The sides of a comparison.
const (
	base = iota
	head
)

var sideNames = [2]string{"base", "head"}

// The phases of a run.
const (
	phaseProbe        = "probe"        // every row once, to see which there are
	phaseBurnIn       = "burn-in"      // base against itself
	phaseMeasure      = "measure"      // base against head
	phaseInstructions = "instructions" // counted, of some rows
	phaseConfirm      = "confirm"      // base against head, the rows that would fail
)

// instructionsUnit is the unit of the counts.
const instructionsUnit = "instructions/op"

// record has the output of all processes, in the format of Go benchmarks with the
// keys phase, round and side. A live run and a file are read by the same code.
type record struct {
	names []string // of the rows, in the order they came in
	rows  map[string]*row

	results int
	units   benchfmt.UnitMetadataMap

	projection               *benchproc.Projection
	name, phase, round, side *benchproc.Field
}

// row has the record's values of one benchmark.
type row struct {
	probed       [2]bool
	phases       map[string]rounds
	exact        map[string]*[2][]float64 // by unit, from rounds of base against head
	instructions [2]float64               // 0: not counted
}

// rounds are the seconds per operation of both sides, by the number of the round.
type rounds map[int]*[2][]float64

func newRecord() *record {
	var parser benchproc.ProjectionParser
	p, err := parser.Parse(".fullname,phase,round,side", nil)
	if err != nil {
		panic(err) // the expression is valid
	}
	f := p.Fields()
	return &record{
		rows: map[string]*row{}, units: benchfmt.UnitMetadataMap{},
		projection: p, name: f[0], phase: f[1], round: f[2], side: f[3],
	}
}

// read adds the output of a process, with the keys before it, or a complete file.
// It returns the number of results.
func (r *record) read(name string, text []byte) (int, error) {
	before := r.results
	in := benchfmt.NewReader(bytes.NewReader(text), name)
	for in.Scan() {
		switch rec := in.Result().(type) {
		case *benchfmt.SyntaxError:
			return 0, malformedError{rec}
		case *benchfmt.UnitMetadata:
			r.units[rec.UnitMetadataKey] = rec
		case *benchfmt.Result:
			if err := r.add(rec); err != nil {
				return 0, err
			}
		}
	}
	return r.results - before, in.Err()
}

// add adds one result.
func (r *record) add(res *benchfmt.Result) error {
	file, line := res.Pos()
	key := r.projection.Project(res)
	round, err := strconv.Atoi(key.Get(r.round))
	side := base
	if key.Get(r.side) == sideNames[head] {
		side = head
	}
	if err != nil || sideNames[side] != key.Get(r.side) {
		return malformed("%s:%d: a result without round and side", file, line)
	}
	r.results++
	w := r.row(key.Get(r.name))
	switch phase := key.Get(r.phase); phase {
	case phaseProbe:
		w.probed[side] = true
	case phaseBurnIn, phaseMeasure, phaseConfirm:
		if !w.addTime(phase, round, side, res) {
			return malformed("%s:%d: %s has no time", file, line, res.Name.Full())
		}
		if phase != phaseBurnIn {
			r.addExact(w, side, res)
		}
	case phaseInstructions:
		w.instructions[side], _ = res.Value(instructionsUnit)
	default:
		return malformed("%s:%d: no phase is called %q", file, line, phase)
	}
	return nil
}

func (r *record) row(name string) *row {
	w := r.rows[name]
	if w == nil {
		w = &row{phases: map[string]rounds{}, exact: map[string]*[2][]float64{}}
		r.rows[name], r.names = w, append(r.names, name)
	}
	return w
}

func (w *row) addTime(phase string, round, side int, res *benchfmt.Result) bool {
	seconds, ok := res.Value("cpu-sec/op")
	if !ok {
		seconds, ok = res.Value("sec/op")
	}
	if !ok || seconds <= 0 {
		return false
	}
	if w.phases[phase] == nil {
		w.phases[phase] = rounds{}
	}
	if w.phases[phase][round] == nil {
		w.phases[phase][round] = new([2][]float64)
	}
	times := &w.phases[phase][round][side]
	*times = append(*times, seconds)
	return true
}

// addExact keeps the values that should be the same in every run, and the
// smaller the better.
func (r *record) addExact(w *row, side int, res *benchfmt.Result) {
	for _, v := range res.Values {
		if !r.isExact(v.Unit) || r.units.GetBetter(v.Unit) >= 0 {
			continue
		}
		if w.exact[v.Unit] == nil {
			w.exact[v.Unit] = new([2][]float64)
		}
		values := &w.exact[v.Unit][side]
		*values = append(*values, v.Value)
	}
}

func (r *record) isExact(unit string) bool {
	assume := r.units.Get(unit, "assume")
	return unit == "allocs/op" || unit == "B/op" || assume != nil && assume.Value == "exact"
}

// complete is an error where a round has not as many runs of one side as of the
// other.
func (r *record) complete() error {
	for _, name := range r.names {
		for phase, rounds := range r.rows[name].phases {
			for n, sides := range rounds {
				if len(sides[base]) != len(sides[head]) {
					return malformed("%s: %s, round %d: %d runs of base, %d of head",
						name, phase, n, len(sides[base]), len(sides[head]))
				}
			}
		}
	}
	return nil
}

// endKey is how the last line of a file begins; the number of results follows.
const endKey = "results: "

// evaluateFile evaluates a record that was written with -o.
func evaluateFile(name string) ([]rowResult, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, malformedError{err}
	}
	r := newRecord()
	n, err := r.read(name, text)
	if err != nil {
		return nil, err
	}
	if !bytes.HasSuffix(text, fmt.Appendf(nil, "\n%s%d\n", endKey, n)) {
		return nil, malformed("%s: truncated: its last line does not have the number of its results, %d", name, n)
	}
	if err := r.complete(); err != nil {
		return nil, err
	}
	return r.evaluate(), nil
}

// writeEnd ends a file.
func (r *record) writeEnd(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s%d\n", endKey, r.results)
	return err
}
