package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
)

// limitMemory lets the program have so much memory for a ring, and as much as it
// needs beside that, before the garbage collector works harder. 0: no bound.
func limitMemory(ring int64) {
	const beside = 16 << 20
	if ring > 0 {
		debug.SetMemoryLimit(ring + beside)
	}
}

// usage tells the most memory that the program has had, and the time it has
// taken from processors.
func usage() string {
	text := "memory " + highWater()
	if user, system, ok := processorTime(); ok {
		text += fmt.Sprintf(", user %.3f s, system %.3f s", user.Seconds(), system.Seconds())
	}
	return text
}

// highWater is VmHWM, the program's own: what getrusage tells begins with what
// the process had before it became this program.
func highWater() string {
	data, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			return strings.TrimSpace(rest)
		}
	}
	return "unknown"
}
