// Package samples reads a trace as a profile, as the flags of a command choose.
package samples

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/filter"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/chunks"
	"github.com/nettrace-go/nettrace/profile"
)

// Selection holds the values of the flags that choose the samples of a profile.
type Selection struct {
	filter.Criteria
	Kind     string // of samples: --type
	RawNames bool   // names of methods as the runtime writes them

	// DefaultStates are those of samples that are shown without --type and
	// --state; nil for all.
	DefaultStates []profile.State
	// Types are the types of samples of a command without --type; nil for all.
	Types []profile.Type

	AsyncFlags
	Lines    bool // frames have source lines
	NoLabels bool // the command shows no labels of samples
	Requests bool // the command shows the requests of samples, which are labels too

	Workers int // value of --workers

	noRepair, foldRecursion bool

	work   WorkFlags
	class  []string
	frames FrameFlags

	lineFlags LineFlags
}

// Flags are the names of the flags that apply to profiles only.
var Flags = append([]string{
	"type", "thread", "process", "from", "to", "provider", "event", "no-repair", "async", "physical", "fold-recursion", "runtime-helpers", "state", "class",
	"raw-names", "merge", "lines", "pdb", "symbols",
}, slices.Concat(frameFlags, requestFlags)...)

// WorkersHelp is the part of the help about --workers. Its last sentence has no end.
const WorkersHelp = "With --workers several goroutines read a file, also a .zst that this program wrote. The output\n" +
	"is the same. One goroutine reads a file of version 3"

// NoRepairHelp is the help of the flag --no-repair.
const NoRepairHelp = "do not repair stacks that the runtime truncated at 100 frames"

// RequestFlags returns the flags that choose the work for requests.
func (o *Selection) RequestFlags() *RequestFlags { return &o.frames.RequestFlags }

// AddFlags adds these flags.
func (o *Selection) AddFlags(cmd *cobra.Command) {
	o.AddEventFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.Kind, "type", "", "`TYPE` of samples: "+strings.Join(profile.TypeNames(), ", ")+
		"; event makes samples of the events that --provider and --event select (default: event if --provider or --event is given, otherwise the first type of this list of which FILE has samples)")
	f.BoolVar(&o.noRepair, "no-repair", false, NoRepairHelp)
	o.AsyncFlags.AddFlags(cmd)
	f.BoolVar(&o.foldRecursion, "fold-recursion", false, "show one of several equal runs of frames that follow each other")
	o.work.AddFlags(cmd)
	f.StringSliceVar(&o.class, "class", nil, "only allocations of a class that one of these `REGEXPS` matches")
	o.frames.AddFlags(cmd)
	f.BoolVar(&o.RawNames, "raw-names", false, "show methods as the runtime writes them, with module and signature, and types likewise")
	_ = cmd.RegisterFlagCompletionFunc("type", cobra.FixedCompletions(profile.TypeNames(), cobra.ShellCompDirectiveNoFileComp))
}

// AddLineFlags adds the flags for source lines.
func (o *Selection) AddLineFlags(cmd *cobra.Command) { o.lineFlags.AddFlags(cmd) }

// SelectsEvents reports whether --provider or --event is given, so that samples are made
// of events.
func (o *Selection) SelectsEvents() bool { return len(o.Providers)+len(o.Events) > 0 }

// parse makes profile.Options of the flags, but for the period, which needs the clock of
// the trace. The filter selects the events that become samples.
func (o *Selection) parse() (profile.Options, *filter.Filter, error) {
	opt := profile.Options{NoRepair: o.noRepair, Async: o.Async, Physical: o.Physical, FoldRecursion: o.foldRecursion, RuntimeHelpers: o.work.RuntimeHelpers, NoLabels: o.NoLabels && len(o.class) == 0, Requests: o.Requests || !o.NoLabels, Limits: profile.LargeLimits()}
	events := filter.Criteria{Providers: o.Providers, Events: o.Events}
	var selected *filter.Filter
	var err error
	for _, step := range []func() error{
		func() error { return input.CheckWorkers(o.Workers) },
		func() error { opt.Threads, err = parseIDs("thread", o.Threads); return err },
		func() error { opt.Processes, err = parseIDs("process", o.Processes); return err },
		func() error { selected, err = events.Parse(); return err },
		func() error { opt.Types, err = o.types(); return err },
		func() error { opt.Filter, err = o.frames.Filter(); return err },
		func() error { opt.Filter.Class, err = o.classes(opt.Types); return err },
		func() error { opt.States, err = o.sampleStates(opt.Types); return err },
		func() error {
			if o.Lines || o.lineFlags.Given() {
				opt.Lines, err = o.lineFlags.Resolver()
			}
			return err
		},
	} {
		if err := step(); err != nil {
			return opt, nil, err
		}
	}
	if o.SelectsEvents() {
		opt.Select = selected.Match
	}
	return opt, selected, nil
}

// Wanted returns the types and states of the flags, nil for all.
func (o *Selection) Wanted() ([]profile.Type, []profile.State, error) {
	types, err := o.types()
	if err != nil {
		return nil, nil, err
	}
	states, err := o.sampleStates(types)
	return types, states, err
}

// Check returns an error if a flag has a wrong value.
func (o *Selection) Check() error {
	if _, _, err := o.parse(); err != nil {
		return err
	}
	_, err := o.Period()
	return err
}

// types returns the types of --type, or else those that --state or --class selects, or else
// Types. Where events are selected it is Event.
func (o *Selection) types() ([]profile.Type, error) {
	switch {
	case o.SelectsEvents() && o.Kind == "":
		return []profile.Type{profile.Event}, nil
	case o.Kind == "" && len(o.work.states) > 0 && len(o.class) > 0:
		return nil, errors.New("--state and --class exclude each other: " + onlyStates + ", and " + onlyClasses)
	case o.Kind == "" && len(o.work.states) > 0:
		return []profile.Type{profile.Wall, profile.CPUApprox}, nil
	case o.SelectsClasses() && o.Kind == "":
		return []profile.Type{profile.Alloc}, nil
	case o.Kind == "":
		return o.Types, nil
	}
	types := profile.TypesByName(o.Kind)
	switch {
	case types == nil:
		return nil, fmt.Errorf("--type: %q is none of %s", o.Kind, strings.Join(profile.TypeNames(), ", "))
	case types[0] == profile.Event && !o.SelectsEvents():
		return nil, errors.New("--type event needs --provider or --event")
	case types[0] != profile.Event && o.SelectsEvents():
		return nil, fmt.Errorf("--provider and --event select the events of --type event: they have no effect with --type %s", o.Kind)
	}
	return types, nil
}

// The types of samples that --state and --class are about.
const (
	onlyStates  = "only samples of --type wall and cpu have a state"
	onlyClasses = "only samples of --type alloc are selected by class"
)

// SelectsClasses reports whether --class is given.
func (o *Selection) SelectsClasses() bool { return len(o.class) > 0 }

// classes returns the regular expression of --class, nil for all classes.
func (o *Selection) classes(types []profile.Type) (*regexp.Regexp, error) {
	if o.SelectsClasses() && !slices.Contains(types, profile.Alloc) {
		return nil, errors.New("--class: " + onlyClasses)
	}
	return Alternatives("class", o.class)
}

// OnlyText returns why --state or --class chooses the types, or "" if neither does.
func (o *Selection) OnlyText() string {
	switch {
	case o.Kind != "" || o.SelectsEvents():
		return ""
	case len(o.work.states) > 0:
		return onlyStates
	case o.SelectsClasses():
		return onlyClasses
	}
	return ""
}

// selectsByNames reports whether a filter is given that selects samples by the names of their
// methods, on which states depend too.
func (o *Selection) selectsByNames() bool { return len(o.work.states) > 0 || o.frames.selects() }

// parseIDs reads the numbers and ranges of a flag.
func parseIDs(flag string, list []string) ([]profile.IDRange, error) {
	parsed, err := filter.ParseRanges(flag, list)
	var ids []profile.IDRange
	for _, r := range parsed {
		ids = append(ids, profile.IDRange{First: r[0], Last: r[1]})
	}
	return ids, err
}

// Loaded is a profile of a trace, the error that ended the reading, and the types of
// samples to show.
type Loaded struct {
	*profile.Profile
	File   string          // its name, for messages
	Reader input.Reader    // the reader of the trace
	Err    error           // of the trace; the profile has the events before it
	Kinds  []profile.Type  // of samples, of those that were requested
	Window codec.TimeRange // the period

	in       *input.File
	types    []profile.Type // nil: all
	only     string         // why --state or --class chooses the types, or ""
	noMarks  bool           // a filter selects samples, so that marks alone are not what was requested
	byNames  bool           // a filter selects samples by names of methods
	selected *filter.Filter // the events that became samples
	alone    string         // why one goroutine has read the trace, or ""
	apart    string         // of RequestFlags.Apart
}

// Load reads a trace as a profile, with several goroutines if --workers and the file allow
// it.
func (o *Selection) Load(ctx context.Context, name string, in *input.File, marks bool) (*Loaded, error) {
	if err := o.frames.FindSpans(ctx, name); err != nil {
		return nil, exit.With(exit.Usage, err)
	}
	opt, selected, err := o.parse()
	if err != nil {
		return nil, err
	}
	when, err := o.Period()
	if err != nil {
		return nil, err
	}
	opt.Marks = marks
	l := &Loaded{File: name, in: in}
	if err := l.read(ctx, in, o.Workers, &opt, &when); err != nil {
		return nil, exit.With(exit.Usage, input.FileError(name, err))
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if l.Profile == nil {
		return nil, exit.With(input.ExitCode(l.Err), input.FileError(name, errors.New(input.ErrorText(l.Err))))
	}
	if err := CheckAsync(name, l.Profile, o.Async); err != nil {
		return nil, err
	}
	l.types, l.selected, l.Window = opt.Types, selected, opt.Time
	l.only, l.byNames, l.apart = o.OnlyText(), o.selectsByNames(), o.frames.Apart()
	l.noMarks = l.byNames || o.SelectsClasses()
	for _, t := range l.Types() {
		if opt.Types == nil || slices.Contains(opt.Types, t) {
			l.Kinds = append(l.Kinds, t)
		}
	}
	return l, nil
}

// read reads a trace. It returns an error if the clock of the trace cannot express the
// period.
func (l *Loaded) read(ctx context.Context, in *input.File, workers int, opt *profile.Options, when *filter.Period) (err error) {
	if index := indexOf(in, workers, opt); index != nil {
		if opt.Time, err = when.Ticks(index.Trace()); err != nil {
			return err
		}
		file := profile.Chunks{Index: index, Size: in.Random().Size(), Workers: in.Workers(workers)}
		l.Profile, l.Reader, l.Err = profile.FromChunks(ctx, file, *opt)
		return nil
	}
	r := codec.NewReader(in, input.ReaderOptions(false))
	l.Reader = r
	trace, _ := r.Trace()
	if opt.Time, err = when.Ticks(trace); err != nil {
		return err
	}
	l.Profile, l.Err = profile.FromReader(ctx, r, *opt)
	switch {
	case workers < 2:
	case opt.Select != nil:
		l.alone = "--provider and --event are for one"
	default:
		l.alone = in.WhyOneWorker(trace)
	}
	return nil
}

// indexOf returns the index of a file for several goroutines, nil if one reads it.
func indexOf(in *input.File, workers int, opt *profile.Options) *codec.Index {
	if opt.Select != nil || in.Workers(workers) < 2 {
		return nil
	}
	index := chunks.NewIndex(in.Random(), in.Random().Size(), input.ReaderOptions(false))
	in.NextPass()
	return index
}

// NoteWorkers prints why one goroutine has read the trace although --workers asks for more.
func (l *Loaded) NoteWorkers(p *run.Program) {
	if l.alone != "" {
		input.NoteOneWorker(p, l.File, l.alone)
	}
}

// requested reports whether the command or its flags name the types. --state and --class
// only restrict them.
func (l *Loaded) requested() bool { return l.types != nil && l.only == "" }

// One returns the type that a format with one type shows: of processor time, the measured
// one.
func (l *Loaded) One() profile.Type {
	if l.requested() {
		return l.Kinds[len(l.Kinds)-1]
	}
	return l.Kinds[0]
}

// All returns the types that the trace has of those that were requested.
func (l *Loaded) All() []profile.Type { return l.Kinds }

// JustOne returns the type that One returns, or none where there is none.
func (l *Loaded) JustOne() []profile.Type {
	if len(l.Kinds) == 0 {
		return nil
	}
	return []profile.Type{l.One()}
}

// Chosen returns the types that were requested, or else the first one.
func (l *Loaded) Chosen() []profile.Type {
	if l.requested() || len(l.Kinds) == 0 {
		return l.Kinds
	}
	return l.Kinds[:1]
}

// HasMarks reports whether there are events to show without samples.
func (l *Loaded) HasMarks() bool {
	if l.noMarks {
		return false
	}
	for range l.Marks() {
		return true
	}
	return false
}

// Empty returns the error for a profile without samples to show.
func (l *Loaded) Empty() error {
	filtered := l.filtered()
	var why []string
	for _, t := range l.reasons(filtered) {
		text := l.ReasonText(t)
		if t == profile.Event && l.Why(t) == profile.NoEvents {
			trace, _ := l.Reader.Trace()
			text = l.selected.NothingMatched(trace)
		}
		if !slices.Contains(why, text) {
			why = append(why, text)
		}
	}
	text := strings.Join(why, "; ")
	if l.byNames {
		if missing := NamesText(l.AllNames(filtered...)); missing != "" {
			text += "; " + missing
		}
	}
	switch {
	case l.only != "":
		text += "; " + l.only
	case l.types == nil && len(filtered) == 0:
		text += "; other types have no samples either (nettrace report prints what the trace has)"
	}
	return l.Nothing(text)
}

// FiltersMatchNothing reports, of a profile without samples to show, whether flags are the
// reason.
func (l *Loaded) FiltersMatchNothing() bool { return l.types != nil || len(l.filtered()) > 0 }

// reasons returns the types whose reasons Empty prints.
func (l *Loaded) reasons(filtered []profile.Type) []profile.Type {
	switch {
	case l.types != nil:
		return l.types
	case len(filtered) > 0:
		return filtered
	}
	return []profile.Type{profile.Wall}
}

// filtered returns the types whose samples the flags leave out.
func (l *Loaded) filtered() []profile.Type {
	var list []profile.Type
	for _, name := range profile.TypeNames() {
		for _, t := range profile.TypesByName(name) {
			if l.Why(t) == profile.Filtered {
				list = append(list, t)
			}
		}
	}
	return list
}

// Nothing returns the error for a profile of which nothing can be shown, with the reason.
func (l *Loaded) Nothing(why string) error {
	return exit.With(max(exit.Broken, input.ExitCode(l.Err)), input.FileError(l.File, errors.New("nothing to show: "+why)))
}

// Weightless reports whether each sample of the type One has the value 0.
func (l *Loaded) Weightless() bool {
	for s := range l.Samples(l.One()) {
		if s.Value > 0 {
			return false
		}
	}
	return true
}

// Report prints the errors of the trace, and the numbers of samples that are
// left out, estimated or without a name.
func (l *Loaded) Report(p *run.Program, types []profile.Type) {
	for _, text := range []string{l.CutText(types), JoinsText(l.Profile, types...), FaultText(l.Profile), l.NotSampledText(types), l.UnfinishedText(types)} {
		if text != "" {
			p.Complain("%v", input.FileError(l.File, errors.New(text)))
		}
	}
	WarnNames(p, l.File, l.Names(types...), types...)
	l.ReportTrace(p)
}

// ReportTrace prints the errors of the trace, before its input is closed, and the number of
// events that are lost.
func (l *Loaded) ReportTrace(p *run.Program) {
	l.NoteWorkers(p)
	input.Report(p, l.in, l.Reader, l.Err)
	input.ReportLost(p, l.File, l.Reader)
	if l.apart != "" {
		p.Complain("%v", input.FileError(l.File, errors.New(l.apart)))
	}
}

// NotSampledText returns a sentence about the time in which threads were not sampled, or
// an empty text.
func (l *Loaded) NotSampledText(types []profile.Type) string {
	if !slices.Contains(types, profile.Wall) && !slices.Contains(types, profile.CPUApprox) {
		return ""
	}
	sum, threads := int64(0), int64(0)
	for i := range l.Threads() {
		if n := l.NotSampled(i); n > 0 && l.Selected(i) {
			sum, threads = sum+n, threads+1
		}
	}
	if sum == 0 {
		return ""
	}
	return fmt.Sprintf("not sampled: %s of %s, which no sample counts", Amount(sum, profile.Wall), display.Counted(threads, "thread"))
}

// UnfinishedText returns a sentence about the samples whose ends are not in the trace, or
// an empty text.
func (l *Loaded) UnfinishedText(types []profile.Type) string {
	n := l.CountUnfinished(types...)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("unfinished: %s whose end is not in the trace, counted up to the end of the recording at most", display.Counted(n, "sample"))
}

// CutText returns a sentence about the samples whose stacks the runtime or the operating
// system truncated, or an empty text.
func (l *Loaded) CutText(types []profile.Type) string {
	ofSystem := func(t profile.Type) bool { return t == profile.CPU || t == profile.Switch }
	var parts []string
	if r := l.CountStacks(slices.DeleteFunc(slices.Clone(types), ofSystem)...); r.Repaired+r.Truncated > 0 {
		parts = append(parts, fmt.Sprintf("%s with a stack truncated at 100 frames: %s repaired, %s not repaired",
			display.Counted(r.Repaired+r.Truncated, "sample"), display.Grouped(r.Repaired), display.Grouped(r.Truncated)))
	}
	if r := l.CountStacks(slices.DeleteFunc(slices.Clone(types), func(t profile.Type) bool { return !ofSystem(t) })...); r.Truncated > 0 {
		parts = append(parts, fmt.Sprintf("%s with a stack truncated at 127 frames (kernel.perf_event_max_stack)", display.Counted(r.Truncated, "sample")))
	}
	return strings.Join(parts, "; ")
}
