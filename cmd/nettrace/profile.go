package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/profile"
)

// profileOptions are the flags of verbs that make a profile of a trace.
type profileOptions struct {
	kind                              string
	threads, processes                []string
	from, to                          string
	provider, event                   string
	noRepair, foldRecursion, rawNames bool
}

// profileFlags are the names of these flags, and --merge.
var profileFlags = []string{"type", "thread", "process", "from", "provider", "event", "no-repair", "fold-recursion", "raw-names", "merge"}

func (o *profileOptions) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	names := strings.Join(profile.TypeNames(), ", ")
	f.StringVar(&o.kind, "type", "", "`TYPE` of samples: "+names+"; default: wall, or what there is")
	f.StringSliceVar(&o.threads, "thread", nil, "operating-system `IDS` of threads; repair learns from all")
	f.StringSliceVar(&o.processes, "process", nil, "operating-system `IDS` or ranges of processes: 12,100-200; repair learns from all")
	f.StringVar(&o.from, "from", "", "leave out what was before this `TIME`: a duration from the sync time (2s, 1m30s), or RFC 3339")
	f.StringVar(&o.provider, "provider", "", "make samples of the events with a stack of this provider, by `NAME`")
	f.StringVar(&o.event, "event", "", "with --provider: only of this event, by `ID`, or by name where .NET defines it")
	f.BoolVar(&o.noRepair, "no-repair", false, "leave stacks that the runtime cut at 100 frames as they are")
	f.BoolVar(&o.foldRecursion, "fold-recursion", false, "show frames that repeat themselves once")
	f.BoolVar(&o.rawNames, "raw-names", false, "show methods as the runtime writes them, with module and signature, and types likewise")
	_ = cmd.RegisterFlagCompletionFunc("type", cobra.FixedCompletions(profile.TypeNames(), cobra.ShellCompDirectiveNoFileComp))
}

// profileLimits are those of a program that a person waits for.
var profileLimits = profile.Limits{
	Samples: 50e6, Frames: 200e6, Stacks: 20e6, Threads: 1 << 20, Text: 256 << 20, Symbols: 512 << 20, Repair: 2e9,
}

// parse makes profile.Options of the flags, but for the period, which needs the
// clock of the trace.
func (o *profileOptions) parse() (profile.Options, period, error) {
	opt := profile.Options{NoRepair: o.noRepair, FoldRecursion: o.foldRecursion, Provider: o.provider, Limits: profileLimits}
	var when period
	var err error
	for _, step := range []func() error{
		func() error { when, err = parsePeriod(o.from, o.to); return err },
		func() error { opt.Threads, err = parseIDs("thread", o.threads); return err },
		func() error { opt.Processes, err = parseProcesses(o.processes); return err },
		func() error { opt.Event, opt.HasEvent, err = parseEvent(o.provider, o.event); return err },
		func() error { opt.Types, err = o.types(); return err },
	} {
		if err := step(); err != nil {
			return opt, when, err
		}
	}
	return opt, when, nil
}

// types are those of --type, or nil for all. With --provider it is events.
func (o *profileOptions) types() ([]profile.Type, error) {
	switch {
	case o.provider != "" && o.kind == "":
		return []profile.Type{profile.Event}, nil
	case o.kind == "":
		return nil, nil
	}
	types := profile.TypesByName(o.kind)
	if types == nil {
		return nil, fmt.Errorf("--type: %q is none of %s", o.kind, strings.Join(profile.TypeNames(), ", "))
	}
	if types[0] == profile.Event && o.provider == "" {
		return nil, errors.New("--type event needs --provider")
	}
	return types, nil
}

// parseIDs reads numbers.
func parseIDs(flag string, list []string) ([]uint64, error) {
	var ids []uint64
	for _, text := range list {
		id, err := parseNumber(flag, text)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// parseProcesses reads the numbers and ranges of --process.
func parseProcesses(list []string) ([]profile.IDRange, error) {
	parsed, err := parseRanges("process", list)
	var ids []profile.IDRange
	for _, r := range parsed {
		ids = append(ids, profile.IDRange{First: r[0], Last: r[1]})
	}
	return ids, err
}

// parseEvent reads the id of an event, or its name in the runtime's manifest.
func parseEvent(provider, text string) (id uint32, given bool, err error) {
	if text == "" {
		return 0, false, nil
	}
	if provider == "" {
		return 0, false, errors.New("--event needs --provider")
	}
	if n, err := strconv.ParseUint(text, 0, 32); err == nil {
		return uint32(n), true, nil
	}
	for e := range clr.Events() {
		if strings.EqualFold(e.Provider, provider) && strings.EqualFold(e.Name, text) {
			return e.ID, true, nil
		}
	}
	return 0, false, fmt.Errorf("--event: %q is neither a number nor a known event of %s (nettrace info shows ids)", text, provider)
}

// loaded is a profile, how its reading ended, and which types are to be shown.
type loaded struct {
	*profile.Profile
	file   string // its name, for messages
	reader *codec.Reader
	err    error // of the trace; what came before it is in the profile
	types  []profile.Type
	asked  []profile.Type // nil: all
	window codec.TimeRange
}

// load reads a trace as a profile. Without samples to show, the error says why.
func (o *profileOptions) load(name string, in io.Reader, marks bool) (*loaded, error) {
	opt, when, err := o.parse()
	if err != nil {
		return nil, err
	}
	opt.Marks = marks
	l := &loaded{file: name, reader: codec.NewReader(in, readerOptions(false))}
	if when.given() {
		if trace, _ := l.reader.Trace(); trace != nil {
			if opt.Time, err = when.ticks(trace); err != nil {
				return nil, exitWith(exitUsage, fileError(name, err))
			}
		}
	}
	l.Profile, l.err = profile.FromReader(context.Background(), l.reader, opt)
	if l.Profile == nil {
		return nil, exitWith(codeOf(l.err), fileError(name, errors.New(errorText(l.err))))
	}
	l.asked, l.window = opt.Types, opt.Time
	for _, t := range l.Types() {
		if opt.Types == nil || slices.Contains(opt.Types, t) {
			l.types = append(l.types, t)
		}
	}
	return l, nil
}

// one is the type that formats show that have room for one: of processor time
// that which was measured.
func (l *loaded) one() profile.Type {
	if l.asked != nil {
		return l.types[len(l.types)-1]
	}
	return l.types[0]
}

// all are the types that there are of those that were asked for.
func (l *loaded) all() []profile.Type { return l.types }

// justOne is the type of one, if there is any.
func (l *loaded) justOne() []profile.Type {
	if len(l.types) == 0 {
		return nil
	}
	return []profile.Type{l.one()}
}

// chosen are the types that were asked for, or the first that there is.
func (l *loaded) chosen() []profile.Type {
	if l.asked != nil || len(l.types) == 0 {
		return l.types
	}
	return l.types[:1]
}

// marked says whether there are events for a line of time.
func (l *loaded) marked() bool {
	for range l.Marks() {
		return true
	}
	return false
}

// empty is why there are no samples to show.
func (l *loaded) empty() error {
	asked := l.asked
	if asked == nil {
		asked = []profile.Type{profile.Wall}
	}
	var why []string
	for _, t := range asked {
		if text := l.ReasonText(t); !slices.Contains(why, text) {
			why = append(why, text)
		}
	}
	text := strings.Join(why, "; ")
	if l.asked == nil {
		text += "; nor of any other type"
	}
	return l.nothing(text)
}

// nothing returns the error for a profile of which nothing can be shown, for the
// reason why.
func (l *loaded) nothing(why string) error {
	return exitWith(max(exitBroken, codeOf(l.err)), fileError(l.file, errors.New("nothing to show: "+why)))
}

// weightless reports whether no sample of the type that is shown has a value.
func (l *loaded) weightless() bool {
	for s := range l.Samples(l.one()) {
		if s.Value > 0 {
			return false
		}
	}
	return true
}

// tell reports what is wrong with the trace, and what the samples of some
// types leave out, estimate or do not name.
func (l *loaded) tell(p *program, types []profile.Type) {
	for _, text := range []string{l.cutText(types), l.notSampledText(types), l.unfinishedText(types)} {
		if text != "" {
			p.complain("%v", fileError(l.file, errors.New(text)))
		}
	}
	p.warnNames(l.file, l.Names(types...))
	p.judge(l.file, l.reader, l.err)
	p.warnLost(l.file, l.reader)
}

// notSampledText reports the time in which threads were not sampled.
func (l *loaded) notSampledText(types []profile.Type) string {
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
	return fmt.Sprintf("not sampled: %s of %s, which no sample counts", amount(sum, profile.Wall), counted(threads, "thread"))
}

// unfinished counts the samples whose ends are not in the trace.
func (l *loaded) unfinished(types []profile.Type) int64 {
	n := int64(0)
	for _, t := range types {
		for s := range l.Samples(t) {
			if s.Unfinished {
				n++
			}
		}
	}
	return n
}

// unfinishedText reports them.
func (l *loaded) unfinishedText(types []profile.Type) string {
	n := l.unfinished(types)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("unfinished: %s whose end is not in the trace, counted up to the end of the recording", counted(n, "sample"))
}

// cutText counts the samples of some types whose stacks the runtime cut, nothing
// when there are none.
func (l *loaded) cutText(types []profile.Type) string {
	r := l.CountStacks(types...)
	if r.Repaired+r.Truncated == 0 {
		return ""
	}
	return fmt.Sprintf("%s with a stack cut at 100 frames: %s repaired, %s left cut",
		counted(r.Repaired+r.Truncated, "sample"), grouped(r.Repaired), grouped(r.Truncated))
}
