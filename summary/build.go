package summary

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/profile"
)

// Options configure a Builder.
type Options struct {
	// Reader are the options of the readers. Order has no effect.
	Reader codec.Options
	// Profile bounds the samples of one trace, and Analysis its other rows.
	Profile profile.Limits
	// Analysis bounds the memory for the events of one trace.
	Analysis analysis.Limits
	// Nodes is the maximum number of call paths, functions, types of events, classes and
	// distributions of all traces. Default 20,000,000, of about 100 bytes each.
	Nodes int
}

// File is a trace to add.
type File struct {
	// Name is the name in Summary.Failures.
	Name string
	// Open opens the uncompressed stream of the trace. It is called for each of two passes.
	Open func() (io.ReadCloser, error)
	// Names, if set, is called with the numbers of frames without names in the samples of the
	// trace, if it has a header.
	Names func(profile.NameSummary)
}

// ErrLimit reports that traces have more than Options.Nodes call paths, functions and
// other rows.
var ErrLimit = errors.New("summary: more rows than Options.Nodes allows")

// ErrRepeated reports that a trace is added twice: two files, or the files of two Summaries,
// have the same stream.
var ErrRepeated = errors.New("summary: the same trace twice")

// eventKey identifies a type of events.
type eventKey struct {
	provider string
	id       int64
	name     string
}

// textKey is a pair of texts: type and state or class, kind and key.
type textKey struct{ of, text string }

// sums are a number of samples, events or bytes, and their sum.
type sums struct{ count, value int64 }

// nodeKey identifies a child of a node.
type nodeKey struct{ parent, function int32 }

// series has the samples of one type and state by node.
type series struct {
	unit string
	at   map[int32]sums
}

// Builder makes a Summary. It is for one goroutine; several Builders can be merged by their
// Summaries. Use NewBuilder.
type Builder struct {
	opt       Options
	files     int64
	traces    map[string]bool // fingerprints
	lost      int64
	failures  []Failure
	events    map[eventKey]sums
	functions []Function
	function  map[Function]int32 // number, an index in functions
	nodes     []nodeKey          // by number; node 0 is the root
	node      map[nodeKey]int32  // number
	samples   map[textKey]*series
	classes   map[textKey]sums
	durations map[textKey]*durations
}

// NewBuilder returns a Builder without traces.
func NewBuilder(opt Options) *Builder {
	if opt.Nodes <= 0 {
		opt.Nodes = 20_000_000
	}
	return &Builder{
		opt: opt, traces: map[string]bool{}, events: map[eventKey]sums{}, function: map[Function]int32{}, nodes: []nodeKey{{}}, node: map[nodeKey]int32{},
		samples: map[textKey]*series{}, classes: map[textKey]sums{}, durations: map[textKey]*durations{},
	}
}

// AddTrace reads a trace and adds it. If the trace cannot be read to its end, AddTrace adds
// what comes before that place, lists the file in Summary.Failures, and returns the error:
// the caller can go on. If the context is done, or the error is ErrLimit or ErrRepeated, the
// Builder must not be used further.
func (b *Builder) AddTrace(ctx context.Context, f File) error {
	t, err := readTrace(ctx, &b.opt, f)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		b.AddFailure(Failure{File: f.Name, Error: err.Error(), Partial: t != nil})
	}
	if t == nil {
		return err
	}
	if f.Names != nil {
		f.Names(t.profile.Names(t.profile.Types()...))
	}
	b.files++
	if repeated := b.mark(t.fingerprint); repeated != nil {
		return fmt.Errorf("%s: %w", f.Name, repeated)
	}
	if full := b.addTrace(t); full != nil {
		return full
	}
	return err
}

// mark notes the fingerprints of traces. The error is ErrRepeated if one is known.
func (b *Builder) mark(fingerprints ...string) error {
	repeated := 0
	for _, of := range fingerprints {
		if b.traces[of] {
			repeated++
		}
		b.traces[of] = true
	}
	if repeated > 0 {
		return fmt.Errorf("%w: %d of %d files", ErrRepeated, repeated, len(fingerprints))
	}
	return nil
}

// AddFailure lists a file that the caller could not read.
func (b *Builder) AddFailure(f Failure) {
	b.failures = append(b.failures, Failure{valid(f.File), valid(f.Error), f.Partial})
}

// valid returns a text as it is in JSON, where bytes that are not UTF-8 are replaced: a name
// has to be the same before it was stored and after.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }

// addTrace adds a trace that was read.
func (b *Builder) addTrace(t *trace) error {
	b.lost = add(b.lost, t.lost)
	for _, e := range t.events {
		key := eventKey{valid(e.Provider), e.ID, valid(e.Name)}
		b.events[key] = b.events[key].plus(e.Count, e.Bytes)
	}
	if err := b.addSamples(t.profile); err != nil {
		return err
	}
	return b.addDurations(t)
}

// Merge adds a Summary, which it does not keep. The error is ErrRepeated if a trace of it was
// added before; the Builder must then not be used further.
func (b *Builder) Merge(s *Summary) error {
	if err := s.check(); err != nil {
		return err
	}
	if err := b.mark(s.Traces...); err != nil {
		return err
	}
	b.files = add(b.files, s.Files)
	b.lost = add(b.lost, s.Lost)
	b.failures = append(b.failures, s.Failures...)
	for _, e := range s.Events {
		key := eventKey{e.Provider, e.ID, e.Name}
		b.events[key] = b.events[key].plus(e.Count, e.Bytes)
	}
	functions := make([]int32, len(s.Functions))
	for i, f := range s.Functions {
		functions[i] = b.functionNumber(f)
	}
	nodes := make([]int32, len(s.Stacks.Depth)+1)
	path := []int32{0} // node of the Builder by depth
	for i, depth := range s.Stacks.Depth {
		path = path[:depth]
		node := b.child(path[depth-1], functions[s.Stacks.Function[i]])
		path = append(path, node)
		nodes[i+1] = node
	}
	for _, from := range s.Samples {
		to := b.seriesOf(from.Type, from.State, from.Unit)
		for i, node := range from.Node {
			to.add(nodes[node], from.Count[i], from.Value[i])
		}
	}
	for _, c := range s.Classes {
		key := textKey{c.Type, c.Class}
		b.classes[key] = b.classes[key].plus(c.Count, c.Value)
	}
	for i := range s.Durations {
		from := &s.Durations[i]
		to, err := b.durationsOf(from.Kind, from.Key)
		if err != nil {
			return err
		}
		if err := to.merge(from); err != nil {
			return err
		}
	}
	return b.checkSize()
}

func (b *Builder) checkSize() error {
	if n := len(b.nodes) + len(b.functions) + len(b.events) + len(b.classes) + len(b.durations) + len(b.failures); n > b.opt.Nodes {
		return fmt.Errorf("%w: %d of %d", ErrLimit, n, b.opt.Nodes)
	}
	return nil
}

// functionNumber returns the number of a function.
func (b *Builder) functionNumber(f Function) int32 {
	n, ok := b.function[f]
	if !ok {
		n = int32(len(b.functions))
		b.function[f] = n
		b.functions = append(b.functions, f)
	}
	return n
}

// child returns the node of a function below a node.
func (b *Builder) child(parent, function int32) int32 {
	key := nodeKey{parent, function}
	n, ok := b.node[key]
	if !ok {
		n = int32(len(b.nodes))
		b.node[key] = n
		b.nodes = append(b.nodes, key)
	}
	return n
}

// seriesOf returns the samples of a type and state.
func (b *Builder) seriesOf(of, state, unit string) *series {
	key := textKey{of, state}
	s := b.samples[key]
	if s == nil {
		s = &series{unit: unit, at: map[int32]sums{}}
		b.samples[key] = s
	}
	return s
}

func (s *series) add(node int32, count, value int64) { s.at[node] = s.at[node].plus(count, value) }

// durationsOf returns the distribution of a kind and key.
func (b *Builder) durationsOf(kind, key string) (*durations, error) {
	key = valid(key)
	at := textKey{kind, key}
	d := b.durations[at]
	if d == nil {
		made, err := newDurations(kind, key)
		if err != nil {
			return nil, err
		}
		d = made
		b.durations[at] = d
	}
	return d, nil
}

// Summary returns the sums so far.
func (b *Builder) Summary() *Summary {
	s := &Summary{
		Version: Version, Files: b.files, Traces: slices.Sorted(maps.Keys(b.traces)), Lost: b.lost, Failures: append([]Failure{}, b.failures...),
		Events: []Event{}, Samples: []Samples{}, Classes: []Class{}, Durations: []Durations{},
	}
	slices.SortFunc(s.Failures, func(x, y Failure) int { return cmp.Or(cmp.Compare(x.File, y.File), cmp.Compare(x.Error, y.Error)) })
	for key, n := range b.events {
		s.Events = append(s.Events, Event{key.provider, key.id, key.name, n.count, n.value})
	}
	slices.SortFunc(s.Events, func(x, y Event) int {
		return cmp.Or(cmp.Compare(x.Provider, y.Provider), cmp.Compare(x.ID, y.ID), cmp.Compare(x.Name, y.Name))
	})
	for key, n := range b.classes {
		s.Classes = append(s.Classes, Class{key.of, key.text, n.count, n.value})
	}
	slices.SortFunc(s.Classes, func(x, y Class) int { return cmp.Or(cmp.Compare(x.Type, y.Type), cmp.Compare(x.Class, y.Class)) })
	for _, d := range b.durations {
		s.Durations = append(s.Durations, d.done())
	}
	slices.SortFunc(s.Durations, func(x, y Durations) int { return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Key, y.Key)) })
	b.stacks(s)
	return s
}

// plus returns n with a count and a value added.
func (n sums) plus(count, value int64) sums {
	return sums{add(n.count, count), add(n.value, value)}
}

// add returns a sum that saturates, which does not depend on the order of numbers that are
// not negative.
func add(a, b int64) int64 {
	if b > 0 && a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
