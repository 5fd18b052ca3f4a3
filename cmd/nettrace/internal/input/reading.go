package input

import (
	"errors"
	"fmt"
	"syscall"

	library "github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/rule"
)

// ReaderOptions returns the options of the readers of all commands: bad blocks are
// skipped unless strict is set, and the limits are higher than those of package codec.
func ReaderOptions(strict bool) codec.Options {
	onError := codec.Skip
	if strict {
		onError = codec.Stop
	}
	return codec.Options{
		OnError: onError,
		Schemas: clr.Schemas,
		Strict:  strict,
		Limits:  library.LargeLimits(),
	}
}

// FileError returns err with the name of a file before it.
func FileError(name string, err error) error {
	if name == Stdin {
		name = "standard input"
	}
	return exit.Named(name, err)
}

// Reader is a codec.Reader or a codec.BlockReader: both report the errors of
// their stream.
type Reader interface {
	Trace() (*codec.Trace, error)  // the trace, once its header was read
	Err() error                    // the error that ended the reading
	BadBlocks() (int, error)       // number and first error of blocks that were skipped
	Defects() []codec.Defect       // violations of rules that do not end the reading
	Lost() uint64                  // number of lost events
	TrailingBytes() (int64, error) // number of bytes after the end mark
}

// Report prints the errors of an input that was read up to the error err, nil
// at its end, and what follows that place, and sets the exit code. The input is
// not closed before it, or before Rest.
func Report(p *run.Program, in *File, r Reader, err error) {
	name := in.Name
	bad, first := r.BadBlocks()
	if bad > 0 {
		p.Complain("%v", FileError(name, errors.New(ErrorText(first))))
		p.Raise(exit.Broken)
	}
	switch {
	case err != nil && in.process && (errors.Is(err, codec.ErrTruncated) || errors.Is(err, syscall.ECONNRESET)):
		p.Complain("%v", FileError(name, errors.New(exit.StreamEnded)))
		p.Raise(exit.Broken)
	case err != nil:
		p.Complain("%v", FileError(name, errors.New(ErrorText(err))))
		p.Raise(ExitCode(err))
	}
	if bad > 0 {
		p.Complain("%v", FileError(name, fmt.Errorf("%s skipped", display.Counted(int64(bad), "bad block"))))
	}
	why := ""
	if err != nil || bad > 0 {
		why = damage(in.head())
	}
	if why != "" {
		p.Complain("%v", FileError(name, errors.New(why)))
	}
	warn(p, name, r, errors.Is(err, codec.ErrDefect))
	rest := in.Rest(r, err)
	_, noHeader := r.Trace()
	reportRest(p, in, rest, err != nil, bad > 0, noHeader == nil && why == "")
}

// reportRest prints how many bytes are not read. Bytes after the end mark do not change the
// exit code: the format ends there, and "nettrace check" has a warning for them. Without the
// header of a stream there is nothing that nettrace repair could keep.
func reportRest(p *run.Program, in *File, rest Rest, ended, bad, repairable bool) {
	if rest.err != nil {
		p.Complain("%v", FileError(in.Name, errors.New(ErrorText(rest.err))))
		p.Raise(ExitCode(rest.err))
	}
	if rest.bytes == 0 {
		return
	}
	text := "warning: "
	if !rest.all {
		text += "at least "
	}
	text += display.Counted(rest.bytes, "byte")
	switch {
	case !repairable:
		return
	case ended:
		text += " after the error are not read: nettrace repair keeps every complete row"
	case bad:
		text += " after the end mark are not read, which may be a part of the bad block: nettrace repair keeps every complete row"
	default:
		text += " after the end mark are not read: if they are another trace, join the files with nettrace merge, not with cat"
	}
	p.Complain("%v", FileError(in.Name, errors.New(text)))
}

// ErrorText returns the text of an error with the number of the rule and the place.
func ErrorText(err error) string {
	var e *codec.Error
	if !errors.As(err, &e) {
		return exit.Text(err)
	}
	return e.Err.Error() + ": " + placeText(e)
}

// placeText returns a rule and the place of its violation: before the first
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
		return text + " (the input is empty)"
	}
	return text + " (in the stream's header)"
}

// ExitCode returns the exit code for an error that ended the reading.
func ExitCode(err error) int {
	if errors.Is(err, codec.ErrVersion) {
		return exit.Version
	}
	return exit.Broken
}

// warn prints a warning about defects, which do not make the input malformed,
// unless one was already reported as an error.
func warn(p *run.Program, name string, r Reader, reported bool) {
	if defects := r.Defects(); len(defects) > 0 && !reported {
		total := int64(0)
		for _, d := range defects {
			total += d.Count
		}
		var first *codec.Error
		errors.As(defects[0].Err, &first)
		p.Complain("%v", FileError(name, fmt.Errorf("warning: %s, the first: %s", display.Counted(total, "defect"), placeText(first))))
	}
}

// ReportUndefined prints how many events the command left out, because the trace does not
// define their metadata, and sets the exit code.
func ReportUndefined(p *run.Program, name string, r Reader) {
	for _, d := range r.Defects() {
		var first *codec.Error
		if d.Rule != rule.REF001 || !errors.As(d.Err, &first) {
			continue
		}
		p.Complain("%v", FileError(name, fmt.Errorf("events left out, of undefined metadata: %s, the first: %s", display.Grouped(d.Count), placeText(first))))
		p.Raise(exit.Broken)
	}
}

// ReportLost prints how many events of the trace are lost.
func ReportLost(p *run.Program, name string, r Reader) {
	if lost := r.Lost(); lost > 0 {
		p.Complain("%v", FileError(name, fmt.Errorf("warning: %s lost", display.CountedUnsigned(lost, "event"))))
	}
}
