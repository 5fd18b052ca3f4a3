package main

import (
	"errors"
	"io"
	"runtime"
	"syscall"
)

// Exit codes. When several apply, the highest counts. A program that a signal ends
// exits with 128 plus the number of the signal, as a shell reports it.
const (
	exitDone    = 0
	exitBroken  = 1 // the input is malformed; what could be read was written
	exitUsage   = 2 // the command line is wrong, or a file cannot be opened
	exitVersion = 3 // the input is of a version that is not supported

	exitInterrupted = 130 // by Ctrl-C
)

// failure is an error that chooses the exit code. Errors of other types come
// from the command line.
type failure struct {
	code int
	err  error
}

func (f *failure) Error() string { return f.err.Error() }

// Unwrap returns the error without its exit code.
func (f *failure) Unwrap() error { return f.err }

// exitWith returns err as one that ends the program with an exit code.
func exitWith(code int, err error) error { return &failure{code, err} }

// exitCodeFor returns the exit code that err chooses, and whether it chooses one.
func exitCodeFor(err error) (code int, ok bool) {
	var f *failure
	if errors.As(err, &f) {
		return f.code, true
	}
	return 0, false
}

// hasExitCode reports whether err chooses an exit code.
func hasExitCode(err error) bool {
	_, ok := exitCodeFor(err)
	return ok
}

// writeFailure returns the error of a command whose write to standard output failed
// with err, and nil where err is nil.
func writeFailure(err error) error {
	if err == nil {
		return nil
	}
	return exitWith(exitBroken, &outputError{err})
}

// outputError is what writing to standard output failed with.
type outputError struct{ err error }

func (e *outputError) Error() string { return e.err.Error() }

func (e *outputError) Unwrap() error { return e.err }

// isBrokenPipe says whether standard output failed because its reader has gone.
func isBrokenPipe(err error) bool {
	const brokenPipe, noData = syscall.Errno(109), syscall.Errno(232) // of Windows
	var out *outputError
	if !errors.As(err, &out) {
		return false
	}
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) ||
		runtime.GOOS == "windows" && (errors.Is(err, brokenPipe) || errors.Is(err, noData))
}
