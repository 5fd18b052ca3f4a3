// Package pprof converts a profile.Profile into the format of go tool pprof
// (profile.proto).
//
// One file has all sample types, each with its own column; the default type of
// viewers is wall time. Samples of a thread with the same stack and labels
// become one. Labels are those of the .NET continuous profiler, and
//
//	thread state    managed or external: the state of a wall sample
//	stack           repaired or cut, if the runtime truncated the stack
//	activity id     of an event that belonged to an activity
//	related activity id
//	unfinished      true, for a duration whose end is not in the trace
//
// A function's system name is the raw one, which pprof shows with -symbolize or
// in raw dumps only. The raw name is not used as name, because pprof would
// treat it as a mangled name and remove generic arguments and signatures. Each
// module is a mapping that declares that its function names are known, as
// otherwise pprof would look for the file on the local machine. The profile has
// no command line unless Options.CommandLine is set.
package pprof

import (
	"fmt"
	"io"
	"slices"

	pprof "github.com/google/pprof/profile"

	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

// Options configure a pprof profile. The zero value is right for most programs.
type Options struct {
	// Types are the types to show. Default: all that have samples.
	Types []profile.Type
	// RawNames shows methods and types as the runtime writes them, and uses the
	// readable names of methods as system names.
	RawNames bool
	// Comments are written before the comments that describe how the profile
	// was made.
	Comments []string
	// CommandLine adds the command lines of the processes as comments, each
	// shortened to 500 characters in the middle of its longest arguments.
	// Command lines can contain secrets. Default: the profile has only the name
	// of the program.
	CommandLine bool
	// NoLabels leaves out the labels, and samples of value 0: samples with the same
	// stack become one, those of several threads too.
	NoLabels bool
}

// Write writes a profile in pprof's format, compressed with gzip. It returns
// the error of w.
func Write(w io.Writer, p *profile.Profile, opt Options) error { return New(p, opt).Write(w) }

// New returns the profile, to merge, filter or send it.
func New(p *profile.Profile, opt Options) *pprof.Profile {
	types := opt.Types
	if len(types) == 0 {
		types = p.Types()
	}
	b := &builder{p: p, raw: opt.RawNames, bare: opt.NoLabels, known: map[string]*pprof.Sample{}, modules: map[string]*pprof.Mapping{}}
	start, end := p.Bounds()
	b.out = &pprof.Profile{
		DurationNanos: p.Nanos(end) - p.Nanos(start),
		Comments:      append(slices.Clone(opt.Comments), comments(p, types)...),
	}
	if opt.CommandLine {
		b.out.Comments = append(b.out.Comments, commandLines(p, types)...)
	}
	b.out.PeriodType, b.out.Period = period(p, types)
	if at := p.Trace.Time(start); !at.IsZero() {
		b.out.TimeNanos = at.UnixNano()
	}
	columns := b.columns(types)
	b.mapping(calltree.ProcessName(p, types...)) // the first one is the program's
	for i, t := range types {
		b.samples(t, columns[i])
	}
	return b.out
}

// period returns the sampling period in the unit of one of the types: time
// between samples, bytes between allocations, or 1 event.
func period(p *profile.Profile, types []profile.Type) (*pprof.ValueType, int64) {
	made := func(v profile.ValueType, n int64) (*pprof.ValueType, int64) {
		return &pprof.ValueType{Type: v.Name, Unit: v.Unit}, n
	}
	for _, t := range []profile.Type{profile.Wall, profile.CPUApprox, profile.CPU} {
		if slices.Contains(types, t) {
			return made(t.Value(), p.Interval)
		}
	}
	if len(types) == 0 {
		return made(profile.Wall.Value(), p.Interval)
	}
	const betweenAllocations = 100 << 10
	first := types[0]
	if count, ok := first.Count(); ok && first != profile.Alloc {
		return made(count, 1)
	}
	if first == profile.Alloc {
		return made(first.Value(), betweenAllocations)
	}
	return made(first.Value(), 1)
}

// comments describe how the profile was made.
func comments(p *profile.Profile, types []profile.Type) []string {
	list := []string{fmt.Sprintf("NetTrace format %s, sampled every %d ns (median)", p.Trace.Format, p.Interval)}
	if text := p.WindowText(); text != "" {
		list = append(list, "times "+text+" of a recording "+p.RecordingText())
	}
	if r := p.CountStacks(types...); r.Repaired+r.Truncated > 0 {
		list = append(list, fmt.Sprintf("stacks cut by the runtime: %d samples repaired, %d left cut, %d whole", r.Repaired, r.Truncated, r.Complete))
	}
	for _, t := range types {
		if t == profile.CPUApprox {
			list = append(list, "cpu~ is wall time in managed code, an approximation of processor time")
		}
	}
	if sum := p.TotalNotSampled(); sum > 0 && slices.Contains(types, profile.Wall) {
		list = append(list, fmt.Sprintf("not sampled: %d ns of all threads, which no sample counts", sum))
	}
	if n := p.CountUnfinished(types...); n > 0 {
		list = append(list, fmt.Sprintf("unfinished samples, which count up to the end of the recording: %d", n))
	}
	if p.Lost > 0 {
		list = append(list, fmt.Sprintf("the writer dropped %d events", p.Lost))
	}
	return list
}

// column has the positions of a type's numbers in a sample; count is -1 without
// one.
type column struct{ value, count int }

// columns makes the sample types.
func (b *builder) columns(types []profile.Type) []column {
	var all []column
	add := func(v profile.ValueType) int {
		b.out.SampleType = append(b.out.SampleType, &pprof.ValueType{Type: v.Name, Unit: v.Unit})
		return len(b.out.SampleType) - 1
	}
	for _, t := range types {
		c := column{add(t.Value()), -1}
		if v, ok := t.Count(); ok {
			c.count = add(v)
		}
		all = append(all, c)
		if t == profile.Wall || b.out.DefaultSampleType == "" {
			b.out.DefaultSampleType = t.Value().Name
		}
	}
	return all
}
