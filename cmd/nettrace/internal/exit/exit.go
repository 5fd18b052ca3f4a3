// Package exit has the program's exit codes and the errors that choose one.
package exit

import (
	"errors"
	"io"
	"runtime"
	"syscall"
)

// Exit codes. When several apply, the highest counts. A program that a signal ends
// exits with 128 plus the number of the signal, as a shell reports it.
const (
	Done    = 0 // the command did what was asked
	Broken  = 1 // the input is malformed; what could be read was written
	Usage   = 2 // the command line is wrong, or a file cannot be opened
	Version = 3 // the input is of a version that is not supported

	Interrupted = 130 // by Ctrl-C
)

// codeError is an error that chooses the exit code. Errors of other types come from the
// command line.
type codeError struct {
	code int
	err  error
}

func (f *codeError) Error() string { return f.err.Error() }

func (f *codeError) Unwrap() error { return f.err }

// With returns err as one that ends the program with an exit code.
func With(code int, err error) error { return &codeError{code, err} }

// CodeOf returns the exit code that err chooses, and whether it chooses one.
func CodeOf(err error) (code int, ok bool) {
	var f *codeError
	if errors.As(err, &f) {
		return f.code, true
	}
	return 0, false
}

// HasCode reports whether err chooses an exit code.
func HasCode(err error) bool {
	_, ok := CodeOf(err)
	return ok
}

// WriteError returns the error of a command whose write to standard output failed
// with err, and nil where err is nil.
func WriteError(err error) error {
	if err == nil {
		return nil
	}
	return With(Broken, &outputError{err})
}

// outputError is what writing to standard output failed with.
type outputError struct{ err error }

func (e *outputError) Error() string { return e.err.Error() }

func (e *outputError) Unwrap() error { return e.err }

// IsBrokenPipe reports whether a write to standard output failed because its reader has
// closed it.
func IsBrokenPipe(err error) bool {
	const brokenPipe, noData = syscall.Errno(109), syscall.Errno(232) // of Windows
	var out *outputError
	if !errors.As(err, &out) {
		return false
	}
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) ||
		runtime.GOOS == "windows" && (errors.Is(err, brokenPipe) || errors.Is(err, noData))
}
