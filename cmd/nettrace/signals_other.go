//go:build !unix

package main

import "os"

func ignoreFileSize() {}

// hearDump does nothing: there is no such signal.
func hearDump(func()) (quit func()) { return func() {} }

// exitCodeOf is that of an ended process.
func exitCodeOf(state *os.ProcessState) int { return state.ExitCode() }
