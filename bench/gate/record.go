package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
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
	phaseProbe   = "probe"   // every row once, to see which there are
	phaseMeasure = "measure" // slices of base and head in turn
	phaseConfirm = "confirm" // the same, for rows that would fail
	phaseCount   = "count"   // events that cachegrind counts
)

// processorUnit is the unit of slices: of the processor time of a process.
const processorUnit = "cpu-ns/op"

// record has the output of all processes, in the format of Go benchmarks with the
// keys phase, processes and side. A live run and a file are read by the same code.
type record struct {
	names []string // of the rows, in the order of the list
	rows  map[string]*row

	results int
	units   benchfmt.UnitMetadataMap

	projection                   *benchproc.Projection
	name, phase, processes, side *benchproc.Field
}

// row has the record's values of one benchmark.
type row struct {
	probed    [2]bool
	probeTime float64 // seconds per operation of the probe, the shorter one

	slices map[string]processes                // by phase
	exact  map[string]map[string]*[2][]float64 // by phase and unit
	counts [2]map[string]float64               // by the unit, of cachegrind
	short  string                              // the resource that a live run did not have for the row
}

// processes are the processor seconds per operation of slices of both sides, by
// the number of the pair of processes.
type processes map[int]*[2][]float64

func newRecord() *record {
	var parser benchproc.ProjectionParser
	p, err := parser.Parse(".fullname,phase,processes,side", nil)
	if err != nil {
		panic(err) // the expression is valid
	}
	f := p.Fields()
	return &record{
		rows: map[string]*row{}, units: benchfmt.UnitMetadataMap{},
		projection: p, name: f[0], phase: f[1], processes: f[2], side: f[3],
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
	number, err := strconv.Atoi(key.Get(r.processes))
	side := base
	if key.Get(r.side) == sideNames[head] {
		side = head
	}
	if err != nil || sideNames[side] != key.Get(r.side) {
		return malformed("%s:%d: a result without processes and side", file, line)
	}
	r.results++
	w := r.row(key.Get(r.name))
	switch phase := key.Get(r.phase); phase {
	case phaseProbe:
		w.probed[side] = true
		if took, ok := res.Value("sec/op"); ok && (w.probeTime == 0 || took < w.probeTime) {
			w.probeTime = took
		}
	case phaseMeasure, phaseConfirm:
		if _, ok := res.Value("sec/op"); ok { // of all slices
			r.addExact(w.exactOf(phase), side, res)
		} else if !w.addSlice(phase, number, side, res) {
			return malformed("%s:%d: %s has no time", file, line, res.Name.Full())
		}
	case phaseCount:
		r.addExact(w.exactOf(phase), side, res)
		w.addCounts(side, res)
	default:
		return malformed("%s:%d: no phase is called %q", file, line, phase)
	}
	return nil
}

func (r *record) row(name string) *row {
	w := r.rows[name]
	if w == nil {
		w = &row{slices: map[string]processes{}, exact: map[string]map[string]*[2][]float64{}}
		r.rows[name], r.names = w, append(r.names, name)
	}
	return w
}

// sort sorts the rows in the order of a list.
func (r *record) sort(list []string) {
	place := func(name string) int {
		if i := slices.Index(list, name); i >= 0 {
			return i
		}
		return len(list)
	}
	slices.SortStableFunc(r.names, func(a, b string) int { return place(a) - place(b) })
}

// addSlice adds the time of a slice. It returns false if there is none.
func (w *row) addSlice(phase string, number, side int, res *benchfmt.Result) bool {
	seconds, ok := res.Value("cpu-sec/op")
	if !ok || seconds <= 0 {
		return false
	}
	if w.slices[phase] == nil {
		w.slices[phase] = processes{}
	}
	if w.slices[phase][number] == nil {
		w.slices[phase][number] = new([2][]float64)
	}
	times := &w.slices[phase][number][side]
	*times = append(*times, seconds)
	return true
}

func (w *row) exactOf(phase string) map[string]*[2][]float64 {
	if w.exact[phase] == nil {
		w.exact[phase] = map[string]*[2][]float64{}
	}
	return w.exact[phase]
}

// addExact keeps the values that should be the same in every run, and the
// smaller the better.
func (r *record) addExact(exact map[string]*[2][]float64, side int, res *benchfmt.Result) {
	for _, v := range res.Values {
		if !r.isExact(v.Unit) || r.units.GetBetter(v.Unit) >= 0 {
			continue
		}
		if exact[v.Unit] == nil {
			exact[v.Unit] = new([2][]float64)
		}
		values := &exact[v.Unit][side]
		*values = append(*values, v.Value)
	}
}

func (r *record) isExact(unit string) bool {
	assume := r.units.Get(unit, "assume")
	return unit == "allocs/op" || unit == "B/op" || assume != nil && assume.Value == "exact"
}

// complete returns an error where a pair of processes has not as many slices of
// one side as of the other.
func (r *record) complete() error {
	for _, name := range r.names {
		for phase, processes := range r.rows[name].slices {
			for n, sides := range processes {
				if len(sides[base]) != len(sides[head]) {
					return malformed("%s: %s, processes %d: %d slices of base, %d of head",
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
