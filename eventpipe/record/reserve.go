package record

import (
	"errors"
	"syscall"
)

const (
	// keptBack is the space that a File keeps back for the names of methods, which come last.
	keptBack = 16 << 20
	// keptPart is the greatest part of the free space that is kept back.
	keptPart = 2
	// reserveStep is the space that is allocated beyond it at a time.
	reserveStep = 1 << 20
)

// reserve is the space that is allocated for a file beyond its end. The zero value allocates
// none: the file system, or the system, cannot.
type reserve struct {
	kept      int64 // bytes that are kept back
	allocated int64 // bytes from the start of the file
	full      error // why the space after the file is not kept back any more, or nil
}

// newReserve returns the reserve of a file that is empty.
func newReserve(dst destination) (r reserve) {
	if free, err := dst.Free(); err == nil {
		r.kept = min(keptBack, free/keptPart)
	}
	return r
}

// grow allocates the space for a file of this size, and what is kept back after it.
func (r *reserve) grow(dst destination, size int64) {
	want := size + r.kept
	if r.kept == 0 || r.full != nil || want <= r.allocated {
		return
	}
	err := dst.Reserve(r.allocated, want+reserveStep-r.allocated)
	if err == nil {
		r.allocated = want + reserveStep
		return
	}
	switch err := dst.Reserve(r.allocated, want-r.allocated); {
	case err == nil:
		r.allocated = want
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT):
		r.full = &writeError{err}
	default:
		r.kept = 0
	}
}

// Low returns an error, which wraps ErrFull, when the file system has only the space that the
// File keeps back for names, and nil before. The File accepts more blocks: those with names,
// and what belongs to them, should be the only ones.
func (f *File) Low() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.reserve.full
}
