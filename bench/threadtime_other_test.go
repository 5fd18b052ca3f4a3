//go:build !linux

package bench

import "time"

// startTime is when the program started.
var startTime = time.Now()

// threadTime returns the time since the program started: only on Linux is the
// processor time of a thread known here.
func threadTime() time.Duration { return time.Since(startTime) }
