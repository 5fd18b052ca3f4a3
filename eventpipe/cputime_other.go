//go:build !linux

package eventpipe

import (
	"errors"
	"time"
)

// CPUTime reads the processor time of one process, on Linux only.
type CPUTime struct{}

// OpenCPUTime returns [errors.ErrUnsupported].
func OpenCPUTime(int) (*CPUTime, error) { return nil, errors.ErrUnsupported }

// Read returns [errors.ErrUnsupported].
func (*CPUTime) Read() (user, system time.Duration, err error) { return 0, 0, errors.ErrUnsupported }

// Close does nothing.
func (*CPUTime) Close() error { return nil }
