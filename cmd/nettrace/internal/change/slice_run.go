package change

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/formats"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/output"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/edit"
)

// runSlice writes a part of one file, or all of it in parts.
func runSlice(ctx context.Context, p *run.Program, name string, o *sliceOptions) error {
	s, err := o.parse()
	if err != nil {
		return err
	}
	if s.split {
		return runSplit(ctx, p, name, o, s)
	}
	var in *input.File
	var r *codec.BlockReader
	var result edit.SliceResult
	if err := formats.CheckTraceName(o.Name); err != nil {
		return err
	}
	return output.Transform(p, name, &o.Target, func(src *input.File, out io.Writer) error {
		in = src
		r = codec.NewBlockReader(in, input.ReaderOptions(false))
		first, err := s.prepare(p, in, r)
		if err != nil {
			return err
		}
		defer first.Close()
		result, err = edit.Slice(ctx, out, r, s.opt)
		return s.failure(p, in, r, err)
	}, func() {
		printSliceReport(p, in, r, s, result)
		reportRedaction(p, s.opt.Redact)
	})
}

// prepare sets the options that depend on the trace, and opens the file a second
// time to find the naming events that the slice needs. The result is to be
// closed.
func (s *slicing) prepare(p *run.Program, in *input.File, r input.Reader) (*input.File, error) {
	none := &input.File{}
	trace, err := r.Trace()
	if err != nil {
		return none, nil // Slice returns it
	}
	if s.opt.Time, err = s.period.Ticks(trace); err != nil {
		return none, err
	}
	s.filter.SetTime(s.opt.Time) // for the message when nothing matches
	if s.each > 0 {
		if trace.TickFrequency == 0 {
			return none, errors.New("--split: the trace has no clock")
		}
		s.size.Ticks = max(1, trace.Ticks(s.each)-trace.SyncTicks)
	}
	s.opt.Naming = symbols.NewNaming(symbols.Options{})
	if s.opt.DropRundown || in.Name == input.Stdin {
		return none, nil
	}
	first, err := in.Again(p)
	if err != nil {
		return none, err
	}
	if !first.Regular {
		first.Close()
		return none, nil
	}
	s.first = first
	s.opt.First = codec.NewBlockReader(first, input.ReaderOptions(false))
	return first, nil
}

// failure returns an error of edit with its exit code. When no event is
// selected, it prints the errors of the source.
func (s *slicing) failure(p *run.Program, in *input.File, r input.Reader, err error) error {
	name := in.Name
	var nothing *edit.NothingError
	if !errors.As(err, &nothing) {
		return sourceFailure(name, r, err)
	}
	if s.opt.First != nil { // which was read to its end
		input.Report(p, s.first, s.opt.First, s.opt.First.Err())
	}
	trace, _ := r.Trace()
	return exit.With(exit.Broken, input.FileError(name, errors.New(s.nothing(nothing, trace))))
}

// nothing returns the reason why no event is selected.
func (s *slicing) nothing(e *edit.NothingError, t *codec.Trace) string {
	s.filter.MissedInTime(e.Outside, e.First, e.Last)
	if e.Events == 0 {
		return "no event matches: there are no events"
	}
	dropped := e.Events - s.filter.MissedCount()
	switch {
	case dropped == 0:
		return s.filter.NothingMatched(t)
	case dropped == e.Events:
		return fmt.Sprintf("no event matches: %s left out by --drop-rundown", display.Grouped(dropped))
	}
	return s.filter.NothingMatched(t) + fmt.Sprintf("; %s more left out by --drop-rundown", display.Grouped(dropped))
}

// printSliceReport prints the errors of the source, and the events that the
// slice lacks.
func printSliceReport(p *run.Program, in *input.File, r input.Reader, s *slicing, result edit.SliceResult) {
	name := in.Name
	input.Report(p, in, r, r.Err())
	printChanges(p, name, result.Changes)
	tell := func(format string, args ...any) {
		p.Complain("%v", input.FileError(name, fmt.Errorf(format, args...)))
	}
	for _, text := range s.filter.Unmatched() {
		tell("%s", text)
	}
	if result.Lost > 0 {
		tell("warning: %s lost within the slice", display.CountedUnsigned(result.Lost, "event"))
	}
	if result.LostDropped > 0 {
		tell("warning: %s of the source are not counted as lost, because the format cannot express the number",
			display.CountedUnsigned(result.LostDropped, "lost event"))
	}
	if result.NamesDropped > 0 {
		tell("warning: --drop-rundown left out %s for names: stacks may have none", display.Counted(result.NamesDropped, "event"))
	}
	if result.OnePass && result.Names > 0 {
		tell("note: a pipe can be read only once: the slice keeps %s for names, some of which it may not need",
			display.Counted(result.Names, "event"))
	}
	if result.BoundsDropped {
		tell("note: this format cannot record the bounds of the slice: durations without an end count up to its last event; --format v6 records them")
	}
}
