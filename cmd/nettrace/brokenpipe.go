package main

import (
	"errors"
	"io"
	"runtime"
	"syscall"
)

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
