package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/edit"
)

// slice writes a part of one file, or all of it in parts.
func (p *program) slice(name string, o *sliceOptions) error {
	s, err := o.parse()
	if err != nil {
		return err
	}
	if s.split {
		return p.split(name, o, s)
	}
	var r *codec.BlockReader
	var result edit.SliceResult
	if err := fitsTrace(o.name); err != nil {
		return err
	}
	return p.transform(name, &o.outputOptions, func(in io.Reader, out io.Writer) error {
		r = codec.NewBlockReader(in, readerOptions(false))
		first, err := s.prepare(p, name, r)
		if err != nil {
			return err
		}
		defer first.Close()
		result, err = edit.Slice(context.Background(), out, r, s.opt)
		return s.failure(p, name, r, err)
	}, func() {
		p.tellSlice(name, r, s, result)
		p.reportRedaction(s.opt.Redact)
	})
}

// prepare sets the options that depend on the trace, and opens the file a second
// time to find the naming events that the slice needs. The result is to be
// closed.
func (s *slicing) prepare(p *program, name string, r reading) (*input, error) {
	none := &input{}
	trace, err := r.Trace()
	if err != nil {
		return none, nil // Slice returns it
	}
	if s.opt.Time, err = s.period.ticks(trace); err != nil {
		return none, err
	}
	s.filter.setTime(s.opt.Time) // for the message when nothing matches
	if s.each > 0 {
		if trace.TickFrequency == 0 {
			return none, errors.New("--split: the trace has no clock")
		}
		s.size.Ticks = max(1, trace.Ticks(s.each)-trace.SyncTicks)
	}
	s.opt.Naming = symbols.NewNaming(symbols.Options{})
	if s.opt.DropRundown || name == stdinName {
		return none, nil
	}
	first, err := p.open(name, opening{quiet: true})
	if err != nil {
		return none, err
	}
	if !first.regular {
		first.Close()
		return none, nil
	}
	s.opt.First = codec.NewBlockReader(first, readerOptions(false))
	return first, nil
}

// failure returns an error of edit with its exit code. When nothing is selected,
// it prints what is wrong with the source.
func (s *slicing) failure(p *program, name string, r reading, err error) error {
	var nothing *edit.NothingError
	if !errors.As(err, &nothing) {
		return sourceFailure(name, r, err)
	}
	if s.opt.First != nil { // which was read to its end
		p.judge(name, s.opt.First, s.opt.First.Err())
	}
	trace, _ := r.Trace()
	return exitWith(exitBroken, fileError(name, errors.New(s.nothing(nothing, trace))))
}

// nothing explains why no event is selected.
func (s *slicing) nothing(e *edit.NothingError, t *codec.Trace) string {
	s.filter.missedInTime(e.Outside, e.First, e.Last)
	if e.Events == 0 {
		return "no event matches: there are no events"
	}
	dropped := e.Events - s.filter.missedCount()
	switch {
	case dropped == 0:
		return s.filter.nothingMatched(t)
	case dropped == e.Events:
		return fmt.Sprintf("no event matches: %s left out by --drop-rundown", grouped(dropped))
	}
	return s.filter.nothingMatched(t) + fmt.Sprintf("; %s more left out by --drop-rundown", grouped(dropped))
}

// tellSlice prints what is wrong with the source, and what the slice lacks.
func (p *program) tellSlice(name string, r reading, s *slicing, result edit.SliceResult) {
	p.judge(name, r, r.Err())
	p.tellChanges(name, result.Changes)
	tell := func(format string, args ...any) {
		p.complain("%v", fileError(name, fmt.Errorf(format, args...)))
	}
	if result.Lost > 0 {
		tell("warning: %s lost in what is written", countedUnsigned(result.Lost, "event"))
	}
	if result.LostDropped > 0 {
		tell("warning: %s of the source not counted as lost, because the format cannot express the number",
			countedUnsigned(result.LostDropped, "lost event"))
	}
	if result.NamesDropped > 0 {
		tell("warning: --drop-rundown left out %s for names: stacks may have none", counted(result.NamesDropped, "event"))
	}
	if result.OnePass && result.Names > 0 {
		tell("note: a pipe can be read only once: the slice keeps %s for names, some of which it may not need",
			counted(result.Names, "event"))
	}
	if result.BoundsDropped {
		tell("note: this format has no place for the bounds of the slice: durations without an end count up to its last event; --format v6 records them")
	}
}
