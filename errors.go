package nettrace

import (
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// MaxWindow is the largest zstd window, in bytes, that a Source decompresses. The
// decompression keeps the window in memory.
const MaxWindow = 256 << 20

// DamagedError reports compressed data that cannot be decompressed.
type DamagedError struct {
	Compression string // "zstd" or "gzip"
	Err         error  // of the decompressor; io.ErrUnexpectedEOF if the data is truncated
}

// Error names the compression and the cause.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("nettrace: damaged %s data: %v", e.Compression, e.Err)
}

// Unwrap returns the decompressor's error.
func (e *DamagedError) Unwrap() error { return e.Err }

// WindowError reports a zstd frame whose window is larger than MaxWindow.
type WindowError struct {
	Size uint64 // bytes; 0 if the frame is not the stream's first
}

// Error names the size and the limit.
func (e *WindowError) Error() string {
	size := ""
	if e.Size > 0 {
		size = fmt.Sprintf(" of %d MiB", (e.Size+1<<20-1)>>20)
	}
	return fmt.Sprintf("nettrace: the zstd window%s is larger than the limit of %d MiB", size, MaxWindow>>20)
}

// typed returns the error of the stream that is read, if it has one, or else the
// decompressor's error as a typed one.
func (s *Source) typed(err error) error {
	switch {
	case s.watch.err != nil:
		return s.watch.err
	case s.compression.Compression == "":
		return err
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return &WindowError{firstWindow(s.watch.head)}
	}
	return &DamagedError{s.compression.Compression, err}
}

// firstWindow returns the size of the window in the header of a zstd frame, or 0
// if it is not larger than MaxWindow.
func firstWindow(frame []byte) uint64 {
	var h zstd.Header
	if err := h.Decode(frame); err != nil || h.WindowSize <= MaxWindow {
		return 0
	}
	return h.WindowSize
}
