//go:build !linux

package perf

import (
	"errors"
	"io"
)

// Process returns errors.ErrUnsupported.
func Process(int) (*Recording, error) { return nil, errors.ErrUnsupported }

// Kernel returns nil.
func Kernel() []KernelSymbol { return nil }

// Files opens the files of a process.
type Files struct{}

// FilesOf returns no files.
func FilesOf(int) *Files { return &Files{} }

// Keep does nothing.
func (*Files) Keep(*Mapping) {}

// Open returns errors.ErrUnsupported.
func (*Files) Open(string) (io.ReadCloser, error) { return nil, errors.ErrUnsupported }

// Close does nothing.
func (*Files) Close() {}

// Clock is the CLOCK_MONOTONIC of a process on Linux.
type Clock struct{}

// ClockOf returns errors.ErrUnsupported.
func ClockOf(int) (Clock, error) { return Clock{}, errors.ErrUnsupported }

// Now returns 0.
func (Clock) Now() (monotonic, real uint64) { return 0, 0 }

func (Clock) ofKernel(t uint64) uint64 { return t }
