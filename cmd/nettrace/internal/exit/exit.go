// Package exit has the program's exit codes and the errors that choose one.
package exit

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"syscall"
)

// Exit codes. When several apply, the highest counts. A program that a signal ends
// exits with 128 plus the number of the signal, as a shell reports it.
const (
	Done    = 0 // the command succeeded
	Broken  = 1 // the input is malformed; its readable part was written
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

// StreamEnded is the reason why a stream of a process has no end mark. Which of the two it was
// shows only the exit status of the process, which its parent knows.
const StreamEnded = "the stream ended without an end mark: the process was killed or crashed"

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

// WriteError returns the error of a command whose write to standard output
// failed with err, or nil if err is nil.
func WriteError(err error) error {
	if err == nil {
		return nil
	}
	return With(Broken, &outputError{err})
}

// outputError is the error of a write to standard output.
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

// packages begin the messages of errors from the packages that the program calls.
var packages = [...]string{"agent: ", "codec: ", "delivery: ", "edit: ", "eventpipe: ", "record: ", "gen: ", "heap: ", "nettrace: "}

// Text returns the message of an error without the name of the package at its start: users
// of the program call no package.
func Text(err error) string {
	text := err.Error()
	for _, name := range packages {
		if rest, ok := strings.CutPrefix(text, name); ok {
			return rest
		}
	}
	return text
}

// namedError is an error with the name of its subject.
type namedError struct {
	name string
	err  error
}

// Named returns err with the name of its subject before the message: a file, a process or a
// flag.
func Named(name string, err error) error { return &namedError{name, err} }

func (e *namedError) Error() string { return e.name + ": " + Text(e.err) }

func (e *namedError) Unwrap() error { return e.err }
