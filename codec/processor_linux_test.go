package codec

import (
	"runtime"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// threadTime returns a function that reports the processor time that the thread of
// the test has used. Unlike the time of day it does not count the time in which
// other processes run.
func threadTime(t *testing.T) func() time.Duration {
	t.Helper()
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	const clockOfThread = 3 // CLOCK_THREAD_CPUTIME_ID
	return func() time.Duration {
		var now syscall.Timespec
		if _, _, fault := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, clockOfThread, uintptr(unsafe.Pointer(&now)), 0); fault != 0 {
			panic(fault)
		}
		return time.Duration(now.Nano())
	}
}
