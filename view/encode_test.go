package view_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/parts"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/view"
)

// noLimits are those of a user who waits for the result.
var noLimits = profile.Limits{Samples: -1, Frames: -1, Stacks: -1, Threads: -1, Text: -1, Symbols: -1, Repair: -1}

// read returns the content of the document of a trace.
func read(t testing.TB, name string, data []byte) *view.Source {
	t.Helper()
	s := &view.Source{Tool: "nettrace test", File: name, Counters: &view.Counters{}}
	var err error
	s.Profile, err = profile.FromReader(t.Context(), codec.NewReader(bytes.NewReader(data), codec.Options{}), view.ProfileOptions(noLimits))
	if err != nil {
		s.Error = err.Error()
	}
	if s.Profile == nil {
		t.Fatal(err)
	}
	all := append(parts.All(), s.Counters)
	s.Trace, _ = analysis.Read(t.Context(), codec.NewReader(bytes.NewReader(data), codec.Options{Order: codec.ByTime}), analysis.Options{Parts: all})
	for _, part := range all {
		s.Reports = append(s.Reports, part.Reports(s.Trace)...)
	}
	return s
}

// encode returns the decoded document of a source.
func encode(t *testing.T, s *view.Source) (*document, int) {
	t.Helper()
	data, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, data), len(data)
}

// traces are the traces of the tests: recorded on Linux, Windows and macOS, with
// each kind of samples.
func traces(t *testing.T) []string {
	few := []string{"net10-mix-cpu.v4", "net10-mix-locks.v4", "net10-counters.v4", "net10-killed-cut.v4", "onecollect-small.v6", "aspnet-net10.v4"}
	if tier.Check {
		return shared.Traces(t)
	}
	return few
}

// TestSamples compares every number of every sample with the profile.
func TestSamples(t *testing.T) {
	for _, name := range traces(t) {
		t.Run(name, func(t *testing.T) {
			s := read(t, name, shared.Trace(t, name))
			d, _ := encode(t, s)
			expect.Equal(t, "types", len(d.Types), len(s.Profile.Types()))
			for i, of := range s.Profile.Types() {
				if d.Types[i].Of == "" {
					compareSamples(t, s.Profile, d, of, &d.Types[i])
				}
			}
		})
	}
}

// compareSamples compares the samples of one type.
func compareSamples(t *testing.T, p *profile.Profile, d *document, of profile.Type, have *view.Type) {
	t.Helper()
	rows := d.rows(have)
	i := 0
	for sample := range p.Samples(of) {
		if i == len(rows) {
			t.Fatalf("%v: only %d rows", of, i)
		}
		want := rowOf(p, d.StartNs, &sample)
		if rows[i].node = 0; rows[i] != want {
			t.Fatalf("%v: row %d is %+v, want %+v", of, i, rows[i], want)
		}
		i++
	}
	expect.Equal(t, fmt.Sprintf("rows of %v", of), len(rows), i)
}

// classKeys are the labels that "nettrace top --by class" shows.
var classKeys = map[profile.Type]string{
	profile.Alloc: "allocation class", profile.Exception: "exception type", profile.Lock: "contention type", profile.GC: "gc reason",
}

// rowOf returns the row of a sample, without the node.
func rowOf(p *profile.Profile, startNs int64, s *profile.Sample) row {
	r := row{thread: s.Thread, at: startNs + p.Nanos(s.Ticks), value: s.Value, status: int64(s.Status), count: s.Count, evidence: s.Evidence}
	if s.Type.IsDuration() {
		r.until = startNs + p.Nanos(s.Until)
	}
	if s.Unfinished {
		r.status += 4
	}
	if s.Type == profile.Wall {
		state, _ := p.State(s)
		r.state = 2 * int64(state)
		if s.Managed {
			r.state++
		}
	}
	for _, l := range p.Labels(s) {
		if l.Key == classKeys[s.Type] {
			r.class, r.raw = l.Text, l.Raw
		}
	}
	return r
}

// TestStacks compares the stacks of all samples with the profile, and the
// functions' modules.
func TestStacks(t *testing.T) {
	for _, name := range traces(t) {
		t.Run(name, func(t *testing.T) {
			s := read(t, name, shared.Trace(t, name))
			d, _ := encode(t, s)
			known := map[int64]profile.StackID{}
			for i, of := range s.Profile.Types() {
				if d.Types[i].Of != "" {
					continue
				}
				rows := d.rows(&d.Types[i])
				for sample := range s.Profile.Samples(of) {
					at := rows[0].node
					rows = rows[1:]
					if id, ok := known[at]; ok && id == sample.Stack {
						continue
					}
					known[at] = sample.Stack
					if got, want := d.path(at), pathOf(s.Profile, sample.Stack); !slices.Equal(got, want) {
						t.Fatalf("%v: stack %d is\n%s, want\n%s", of, sample.Stack, strings.Join(got, "\n"), strings.Join(want, "\n"))
					}
				}
			}
		})
	}
}

// pathOf returns the functions of a stack, root first.
func pathOf(p *profile.Profile, id profile.StackID) []string {
	var list []string
	for _, frame := range slices.Backward(p.Stack(id)) {
		f := p.Function(p.Frame(frame).Function)
		list = append(list, f.Name+" "+f.RawName+" in "+f.Module+" of "+typeName(f))
	}
	return list
}

// typeName returns the name of the type that declares a function.
func typeName(f *profile.Function) string {
	if f.Symbol == nil || f.Symbol.Namespace == "" {
		return ""
	}
	return f.Symbol.TypeName()
}

// TestPreorder: a node comes after its parent, and its subtree after it.
func TestPreorder(t *testing.T) {
	s := read(t, "net10-mix-cpu.v4", shared.Trace(t, "net10-mix-cpu.v4"))
	d, _ := encode(t, s)
	expect.Equal(t, "nodes", len(d.columns["parent"]), d.Nodes)
	open := []int64{0}
	for node := int64(1); node < int64(d.Nodes); node++ {
		parent := node - d.columns["parent"][node]
		for len(open) > 0 && open[len(open)-1] != parent {
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			t.Fatalf("the subtree of node %d ended before node %d", parent, node)
		}
		open = append(open, node)
	}
}

// TestNotSampled: the gaps between the samples of a thread, without the pauses in them, are the time that was not sampled.
func TestNotSampled(t *testing.T) {
	s := read(t, "net10-mix-cpu.v4", shared.Trace(t, "net10-mix-cpu.v4"))
	d, _ := encode(t, s)
	gaps := make([]int64, len(d.Threads))
	rows := d.rows(&d.Types[0])
	for i := 1; i < len(rows); i++ {
		if before := rows[i-1]; before.thread == rows[i].thread {
			gaps[before.thread] += max(0, rows[i].at-before.until-d.paused(before.thread, before.until, rows[i].at))
		}
	}
	for thread, gap := range gaps {
		expect.Equal(t, fmt.Sprintf("gaps of thread %d", thread), gap, s.Profile.NotSampled(thread))
	}
}

// maxSizes are the largest documents of traces, in bytes, with all types of
// samples and all parts.
var maxSizes = map[string]int{"roslyn-net10-cpu.v4": 195_000, "aspnet-net10.v4": 270_000}

// TestSize bounds the size of documents.
func TestSize(t *testing.T) {
	for name, most := range maxSizes {
		t.Run(name, func(t *testing.T) {
			_, size := encode(t, read(t, name, shared.Trace(t, name)))
			t.Logf("%d bytes", size)
			expect.AtMost(t, "bytes", size, most)
		})
	}
}

// TestTimed: samples of processor time are points in time, those of waits are not.
func TestTimed(t *testing.T) {
	want := map[string]bool{"cpu": false, "wall": true, "cpu~": true, "alloc-size": false, "lock-time": true, "gc-pause": true, "exception": false}
	for _, name := range []string{"onecollect-small.v6", "aspnet-net10.v4"} {
		d, _ := encode(t, read(t, name, shared.Trace(t, name)))
		for _, of := range d.Types {
			if timed, ok := want[of.Name]; ok {
				expect.Equal(t, name+": "+of.Name, of.Timed, timed)
			}
		}
	}
}
