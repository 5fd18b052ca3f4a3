//go:build !linux

package record

import "errors"

// Reserve reports that space cannot be allocated.
func (f osFile) Reserve(int64, int64) error { return errors.ErrUnsupported }

// Free reports that the free bytes are not known.
func (f osFile) Free() (int64, error) { return 0, errors.ErrUnsupported }
