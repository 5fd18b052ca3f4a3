//go:build !linux

package perf

import (
	"context"
	"errors"
	"fmt"
)

// Recorder records the processor time of a process.
type Recorder struct{}

// Start returns errors.ErrUnsupported: perf_event_open is a system call of Linux.
func Start(Options) (*Recorder, error) {
	return nil, fmt.Errorf("perf: %w: perf_event_open is a system call of Linux", errors.ErrUnsupported)
}

// Scope returns what is recorded.
func (*Recorder) Scope() Scope { return Scope{} }

// Counts returns what has been recorded so far.
func (*Recorder) Counts() Counts { return Counts{} }

// Run returns at once.
func (*Recorder) Run(context.Context, func([]byte) error) error { return nil }

// Close does nothing.
func (*Recorder) Close() {}
