package main

import (
	"errors"
	"fmt"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
)

// readerOptions are those of all verbs: bad blocks are passed over, and the
// limits are those of a program that a person waits for.
func readerOptions(strict bool) codec.Options {
	return codec.Options{
		OnError: codec.Skip,
		Schemas: clr.Schemas,
		Strict:  strict,
		Limits: codec.Limits{
			Block: 1 << 30, Metadata: 1 << 20, Fields: 1 << 16, Nesting: 1000, Threads: 1 << 22, Labels: 1 << 24,
			Stacks: 512 << 20, Total: 1 << 30,
		},
	}
}

// fileError puts the name of a file before an error.
func fileError(name string, err error) error {
	if name == stdinName {
		name = "standard input"
	}
	return fmt.Errorf("%s: %w", name, err)
}

// reading is a codec.Reader or a codec.BlockReader, which reports what is wrong with
// its stream.
type reading interface {
	Trace() (*codec.Trace, error)
	Err() error
	BadBlocks() (int, error)
	Defects() []codec.Defect
	Lost() uint64
}

// judge tells what was wrong with a stream that was read to the error, nil at
// its end, and sets the exit code.
func (p *program) judge(name string, r reading, err error) {
	bad, first := r.BadBlocks()
	if bad > 0 {
		p.complain("%v", fileError(name, errors.New(errorText(first))))
		p.raise(exitBroken)
	}
	if err != nil {
		p.complain("%v", fileError(name, errors.New(errorText(err))))
		p.raise(codeOf(err))
	}
	if bad > 0 {
		p.complain("%v", fileError(name, fmt.Errorf("%s skipped", counted(int64(bad), "bad block"))))
	}
	p.warn(name, r, errors.Is(err, codec.ErrDefect))
}

// errorText is an error with the rule that is broken and the place.
func errorText(err error) string {
	var e *codec.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	return e.Err.Error() + ": " + placeText(e)
}

// placeText names a rule and the place where it is broken: before the first
// block, between two blocks or in one.
func placeText(e *codec.Error) string {
	text := fmt.Sprintf("%s at offset %d", e.Rule, e.Offset)
	switch {
	case e.InRow():
		return text + fmt.Sprintf(" (%s block at %d, row %d)", e.Block, e.BlockOffset, e.Row)
	case e.InBlock():
		return text + fmt.Sprintf(" (%s block at %d)", e.Block, e.BlockOffset)
	case e.BlockOffset > 0:
		return text + " (between two blocks)"
	case e.Offset == 0 && errors.Is(e.Err, codec.ErrTruncated):
		return text + " (there are no bytes at all)"
	}
	return text + " (in the stream's header)"
}

// codeOf is the exit code for an error that ended the reading.
func codeOf(err error) int {
	if errors.Is(err, codec.ErrVersion) {
		return exitVersion
	}
	return exitBroken
}

// warn tells of defects, which do not make the input broken, unless one of them
// was an error.
func (p *program) warn(name string, r reading, told bool) {
	if defects := r.Defects(); len(defects) > 0 && !told {
		total := int64(0)
		for _, d := range defects {
			total += d.Count
		}
		var first *codec.Error
		errors.As(defects[0].Err, &first)
		p.complain("%v", fileError(name, fmt.Errorf("warning: %s, the first: %s", counted(total, "defect"), placeText(first))))
	}
}

// warnLost tells of events that the stream does not hold.
func (p *program) warnLost(name string, r reading) {
	if lost := r.Lost(); lost > 0 {
		p.complain("%v", fileError(name, fmt.Errorf("warning: %s lost", countedUnsigned(lost, "event"))))
	}
}
