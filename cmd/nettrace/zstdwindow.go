package main

import (
	"fmt"
	"io"
	"math/bits"

	"github.com/klauspost/compress/zstd"
)

// largestWindow is the largest zstd window in bytes that is unpacked, because a
// window is held in memory.
const largestWindow = 256 << 20

// largestLong is the largest window, as a power of 2, that zstd itself unpacks.
const largestLong = 31

// head keeps the first bytes of what is read through it: the header of a frame.
type head struct {
	src io.Reader
	b   []byte
}

// Read implements io.Reader.
func (h *head) Read(p []byte) (int, error) {
	n, err := h.src.Read(p)
	if more := zstd.HeaderMaxSize - len(h.b); more > 0 {
		h.b = append(h.b, p[:min(n, more)]...)
	}
	return n, err
}

// windowError is the error for a zstd window that is too large. It names the option
// with which zstd unpacks the file, by the header of its first frame.
func windowError(frame []byte) error {
	var h zstd.Header
	long, size := largestLong, "the zstd window"
	if err := h.Decode(frame); err == nil && h.WindowSize > largestWindow {
		long = bits.Len64(h.WindowSize - 1)
		size += fmt.Sprintf(" of %d MiB", (h.WindowSize+1<<20-1)>>20)
	}
	text := fmt.Sprintf("%s is above the limit of %d MiB", size, largestWindow>>20)
	if long > largestLong {
		return fmt.Errorf("%s, and above the %d MiB that zstd unpacks", text, 1<<(largestLong-20))
	}
	return fmt.Errorf("%s: unpack the file with \"zstd -d --long=%d\" first", text, long)
}
