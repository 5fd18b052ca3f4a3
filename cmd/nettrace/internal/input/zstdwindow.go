package input

import (
	"fmt"
	"math/bits"

	library "github.com/nettrace-go/nettrace"
)

// largestLong is the largest window, as a power of 2, that zstd itself unpacks.
const largestLong = 31

// windowError is the error for a zstd window that is too large, 0 when its size is
// not known. It names the option with which zstd unpacks the file.
func windowError(bytes uint64) error {
	long, size := largestLong, "the zstd window"
	if bytes > 0 {
		long = bits.Len64(bytes - 1)
		size += fmt.Sprintf(" of %d MiB", (bytes+1<<20-1)>>20)
	}
	text := fmt.Sprintf("%s is above the limit of %d MiB", size, library.MaxWindow>>20)
	if long > largestLong {
		return fmt.Errorf("%s, and above the %d MiB that zstd unpacks", text, 1<<(largestLong-20))
	}
	return fmt.Errorf("%s: unpack the file with \"zstd -d --long=%d\" first", text, long)
}
