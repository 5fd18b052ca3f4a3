//go:build !unix

package run

import "os"

// IgnoreFileSize does nothing: there is no such signal.
func IgnoreFileSize() {}

// HearDump does nothing: there is no such signal.
func HearDump(func()) (quit func()) { return func() {} }

// ProcessExitCode returns the exit code of an ended process.
func ProcessExitCode(state *os.ProcessState) int { return state.ExitCode() }
