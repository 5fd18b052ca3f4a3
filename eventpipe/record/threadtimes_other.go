//go:build !linux

package record

import "errors"

// NewThreadTimes returns the ThreadTimes of a process, by its id in the caller's
// namespace. It reads nothing yet.
func NewThreadTimes(int) *ThreadTimes { return &ThreadTimes{} }

// Read returns errors.ErrUnsupported: only Linux has the times.
func (t *ThreadTimes) Read() error { return errors.ErrUnsupported }
