// Package memory bounds and reports the memory of the program itself.
package memory

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
)

// Limit sets the memory above which the garbage collector runs more often: for
// a ring of size bytes, and for the rest of the program. 0 sets no limit.
func Limit(ring int64) {
	const beside = 16 << 20
	if ring > 0 {
		debug.SetMemoryLimit(ring + beside)
	}
}

// Relax makes the garbage collector run less often than usual in this program, for a
// command that mostly uses its memory again, unless GOGC is set. The returned function undoes that.
func Relax() (undo func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	before := debug.SetGCPercent(50)
	return func() { debug.SetGCPercent(before) }
}

// Usage returns the peak of the program's memory, and the processor time that it has
// taken.
func Usage() string {
	text := "memory " + highWater()
	if user, system, ok := processorTime(); ok {
		text += fmt.Sprintf(", user %.3f s, system %.3f s", user.Seconds(), system.Seconds())
	}
	return text
}

// highWater returns VmHWM, the peak of this program. The value of getrusage
// includes the memory of the process before it executed this program.
func highWater() string {
	data, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			return strings.TrimSpace(rest)
		}
	}
	return "unknown"
}
