package change

import (
	"io"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/klauspost/compress/zstd"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
)

// The memory of merge: mergeMemory for itself, and for each input one region
// between two sequence points and twice the window of zstd.
const (
	mergeMemory  = 64 << 20
	mergeRegion  = 32 << 20 // codec.Limits.Reorder, by default
	commonWindow = 8 << 20  // the largest window that zstd uses up to level 19 without --long
)

// boundMemory makes the garbage collector work harder before merge takes more
// memory than it needs, and prints which files need much of it.
func boundMemory(p *run.Program, files []string) {
	windows, largest, name := int64(0), int64(0), ""
	for _, file := range files {
		window := windowOf(file)
		if windows += window; window > largest {
			largest, name = window, file
		}
	}
	const beside = mergeMemory / 4 // memory outside of the collector's limit: the program itself
	debug.SetMemoryLimit(mergeMemory - beside + int64(len(files))*mergeRegion + 2*windows)
	if largest > commonWindow {
		p.Complain("warning: zstd windows take up to %d MiB of memory: %s has one of %d MiB (use files compressed without --long and --ultra, or decompress them first)",
			2*windows>>20, filepath.Base(name), largest>>20)
	}
}

// windowOf returns the window in bytes of a regular file that is compressed with
// zstd, from the header of its first frame, and 0 for other files.
func windowOf(file string) int64 {
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return 0
	}
	f, err := os.Open(file)
	if err != nil {
		return 0
	}
	defer f.Close()
	head := make([]byte, zstd.HeaderMaxSize)
	n, _ := io.ReadFull(f, head)
	var header zstd.Header
	if header.Decode(head[:n]) != nil || header.Skippable {
		return 0
	}
	if header.SingleSegment {
		return int64(header.FrameContentSize)
	}
	return int64(header.WindowSize)
}
