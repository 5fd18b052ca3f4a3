// Package stacks is the command stacks, which lists the stacks of events.
package stacks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/choice"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/filter"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/profile"
)

// options are the flags of stacks.
type options struct {
	filter.Criteria
	format              choice.Format
	display             terminal.Flags
	filters             samples.FrameFlags
	work                samples.WorkFlags
	addresses, rawNames bool
	async               samples.AsyncFlags
	noRepair            bool
	depth               int
	limit               uint64
	lineFlags           samples.LineFlags
	lines, details      bool
	weights             map[profile.Type]map[moment]int64 // of samples, for --details
}

// Command returns the command stacks.
func Command(p *run.Program) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "stacks FILE",
		Short: "List the stacks of the events in a file, with names",
		Long: "stacks prints one line for each event that has a stack, in order of time: ticks, provider, id,\n" +
			"thread, and the frames, leaf first, with tabs between them. On a terminal it prints a table instead,\n" +
			"unless --wide is given. With --format ndjson it prints one JSON object on each line. It reads the\n" +
			"file to its end before it prints, because the runtime writes the names of most methods there. The\n" +
			"command nettrace stack prints the stacks that the threads of a running process have now.\n\n" +
			"A frame without a name is [kernel], [stub called from METHOD], [native] or the [file] that it\n" +
			"is in, where the trace has the answer, and ?!0x... elsewhere. With --raw-names a frame is\n" +
			"module!Namespace.Name(signature), as TraceEvent prints it, and ?!0x... without a name.\n\n" +
			"The runtime truncates stacks at 100 frames. stacks repairs them: it continues such a stack with the\n" +
			"frames of complete stacks of the sample profiler. A stack that cannot be repaired ends in a frame\n" +
			"[truncated at 100 frames]. --no-repair prints stacks as they were recorded.\n\n" +
			"In the stacks of samples, exceptions and locks, the innermost frames of the runtime that the help of\n" +
			"nettrace top lists are folded into their callers; --runtime-helpers keeps them. --state selects\n" +
			"samples of the sample profiler by what their threads did.\n\n" +
			filter.Help + "\n" + samples.FramesHelp() + "\n" + samples.AsyncHelp + "\n" +
			"With --lines, a frame has its source line: Cart.Total(int)  cart.cs:42, with (catch?) where the thread\n" +
			"may be in a catch block; standard error has the reasons why others have none. With --details, each frame\n" +
			"is an object with names, kind, module, address and source line; noLine is the reason why a method\n" +
			"has no line, and frames that are folded otherwise are printed. Stacks are joined as with --async, and\n" +
			"async says how: async-profiler, tpl, physical where nothing was to join, and unknown where a method\n" +
			"was resumed and the trace does not show what awaits it. Where the trace has requests of ASP.NET\n" +
			"Core, request is the one whose work the stack is, and owner how that is known: async-profiler, tpl,\n" +
			"activity, or thread for the synchronous part; ambiguous without request if several are possible.\n" +
			"Its span is the innermost open span of the program, where the trace has SetActivityId and the spans.\n\n" + samples.LinesHelp + "\n" +
			"Without a stack to print, stacks prints the reason and exits with 1.",
		Example: "  nettrace stacks --provider Microsoft-DotNETCore-SampleProfiler app.nettrace | head\n" +
			"  nettrace stacks --event 'GCAllocationTick*' app.nettrace | cut -f5 | sort | uniq -c\n" +
			"  nettrace stacks --json --event 'Exception*' --from 2s --to 3s app.nettrace | jq -r '.frames[0]'",
		Args: run.OneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.addresses && cmd.Flags().Changed("group") {
				return errors.New("--addresses and --group exclude each other")
			}
			if err := o.checkLines(); err != nil {
				return err
			}
			return list(cmd.Context(), p, args[0], &o)
		},
	}
	o.Criteria.AddFlags(cmd)
	o.format.AddFlags(cmd, []string{choice.Text, choice.NDJSON}, choice.Text, "")
	o.display.AddWideFlag(cmd)
	f := cmd.Flags()
	f.Uint64Var(&o.limit, "limit", 0, "print at most `N` stacks; 0 for no limit")
	f.IntVar(&o.depth, "depth", 0, "print at most `N` frames of each stack, nearest to the leaf; 0 for all")
	f.BoolVar(&o.addresses, "addresses", false, "print addresses, not names")
	f.BoolVar(&o.rawNames, "raw-names", false, "print names as the runtime writes them, with the module")
	o.filters.AddFlags(cmd)
	o.work.AddFlags(cmd)
	o.async.AddFlags(cmd)
	f.BoolVar(&o.lines, "lines", false, "print the source line of each frame")
	f.BoolVar(&o.details, "details", false, "print all that is known of each stack; needs --format ndjson")
	o.lineFlags.AddFlags(cmd)
	f.BoolVar(&o.noRepair, "no-repair", false, samples.NoRepairHelp)
	return cmd
}

// checkLines returns an error for flags that have no effect together.
func (o *options) checkLines() error {
	switch {
	case o.details && !o.format.IsJSON():
		return errors.New("--details needs --format ndjson")
	case o.details && (o.addresses || o.rawNames || o.lines):
		return errors.New("--details prints addresses, raw names and lines: it excludes --addresses, --raw-names and --lines")
	case o.lines && (o.addresses || o.rawNames):
		return errors.New("--lines excludes --addresses and --raw-names")
	}
	return nil
}

// check returns an error for values that are out of range.
func (o *options) check() error {
	if o.depth < 0 {
		return errors.New("--depth: a number of frames is not negative")
	}
	return nil
}

// list lists the stacks of one file.
func list(ctx context.Context, p *run.Program, name string, o *options) error {
	if err := o.check(); err != nil {
		return err
	}
	wanted, err := o.Parse()
	if err != nil {
		return err
	}
	if err := o.filters.FindSpans(ctx, name); err != nil {
		return exit.With(exit.Usage, err)
	}
	frames, err := o.filters.Filter()
	if err != nil {
		return err
	}
	states, err := o.work.States()
	if err != nil {
		return err
	}
	period, err := o.Period()
	if err != nil {
		return err
	}
	in, err := input.Open(p, name, input.Options{Silent: true})
	if err != nil {
		return err
	}
	defer in.Close()
	r := codec.NewReader(in, input.ReaderOptions(false))
	trace, _ := r.Trace()
	window, err := period.Ticks(trace)
	if err != nil {
		return exit.With(exit.Usage, input.FileError(name, err))
	}
	wanted.SetTime(window)
	matched := int64(0)
	opt := profile.Options{
		Types: []profile.Type{profile.Wall, profile.Event}, NoRepair: o.noRepair, Async: o.async.Async || o.details, Physical: o.async.Physical || o.addresses, Limits: profile.LargeLimits(), Filter: frames,
		States: states, RuntimeHelpers: o.work.RuntimeHelpers,
		Select: func(e *codec.Event) bool {
			match := wanted.Match(e)
			if match {
				matched++
			}
			return match
		},
	}
	if o.details {
		opt.Types = append(opt.Types, profile.CPU)
	}
	if o.lines || o.details || o.lineFlags.Given() {
		if opt.Lines, err = o.lineFlags.Resolver(); err != nil {
			return err
		}
		opt.RuntimeHelpers = opt.RuntimeHelpers || o.details
		opt.Requests = o.details
	}
	prof, err := profile.FromReader(ctx, r, opt)
	in.EndProgress()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if !o.async.Async && errors.Is(err, profile.ErrNoTaskEvents) {
		err = nil // --details says of each stack what is not known
	}
	printed := 0
	if prof != nil {
		if err := samples.CheckAsync(name, prof, o.async.Async); err != nil {
			return err
		}
		n, end := o.print(p.Stdout, prof)
		if end != nil {
			return exit.WriteError(end)
		}
		printed = n
		if !o.addresses {
			samples.WarnNames(p, name, prof.Names(profile.Event))
		}
		texts := []string{samples.JoinsText(prof, profile.Event), samples.FaultText(prof), o.filters.Apart()}
		if o.lines {
			texts = append(texts, samples.LineTexts(prof, profile.Event)...)
		}
		if o.details || len(states) > 0 {
			texts = append(texts, samples.OneCodeText(prof, prof.Types()))
		}
		for _, text := range texts {
			if text != "" {
				p.Complain("%v", input.FileError(name, errors.New(text)))
			}
		}
	}
	input.Report(p, in, r, err)
	input.ReportLost(p, name, r)
	if printed == 0 && !errors.Is(err, codec.ErrVersion) {
		why := reason(wanted, trace, matched)
		if prof != nil && prof.Why(profile.Event) == profile.Filtered {
			why = "no stacks: " + prof.ReasonText(profile.Event)
			if text := samples.NamesText(prof.AllNames(profile.Event)); text != "" {
				why += "; " + text
			}
		}
		p.Complain("%v", input.FileError(name, errors.New(why)))
		p.Raise(exit.Broken)
	}
	if printed > 0 {
		for _, text := range wanted.Unmatched() {
			p.Complain("%v", input.FileError(name, errors.New(text)))
		}
	}
	return nil
}

// reason returns the reason why there is no stack, when matched events match.
func reason(wanted *filter.Filter, trace *codec.Trace, matched int64) string {
	events := matched + wanted.MissedCount()
	switch {
	case events == 0:
		return "no stacks: there are no events"
	case matched == 0:
		return wanted.NothingMatched(trace)
	case matched < events:
		return fmt.Sprintf("no stacks: %s, of %s, have none", display.Counted(matched, "matching event"), display.Grouped(events))
	}
	return fmt.Sprintf("no stacks: the %s have none", display.Counted(events, "event"))
}

// print writes the stacks in order of time and returns their number.
func (o *options) print(dst io.Writer, prof *profile.Profile) (int, error) {
	list := slices.Collect(prof.Samples(profile.Event))
	slices.SortStableFunc(list, func(a, b profile.Sample) int { return cmp.Compare(a.Ticks, b.Ticks) })
	if o.limit > 0 {
		list = list[:min(uint64(len(list)), o.limit)]
	}
	line := o.appendText
	switch screen := o.display.Screen(dst); {
	case o.details:
		line, o.weights = o.appendDetails, weights(prof)
	case o.format.IsJSON():
		line = o.appendJSON
	case screen.Width > 0:
		_, err := dst.Write(o.table(prof, list, screen))
		return len(list), err
	}
	var b []byte
	for i := range list {
		b = line(b, prof, &list[i])
		if len(b) < 32<<10 && i+1 < len(list) {
			continue
		}
		if _, err := dst.Write(b); err != nil {
			return i, err
		}
		b = b[:0]
	}
	return len(list), nil
}
