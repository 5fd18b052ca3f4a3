package bench

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime returns the processor time that the current thread has used. Unlike
// the time of day it does not count the time in which other processes run.
func threadTime() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now); err != nil {
		panic(err)
	}
	return time.Duration(now.Nano())
}
