package main

import (
	"os"
	"syscall"
)

// residentMax is the peak resident memory of a process in bytes. That of this
// program, from which it was forked, counts for it too, so this program must be
// smaller.
func residentMax(p *os.ProcessState) int64 {
	if usage, ok := p.SysUsage().(*syscall.Rusage); ok {
		return int64(usage.Maxrss) << 10
	}
	return 0
}
