package main

import (
	"os"
	"syscall"
)

// residentMax is the most memory of a process that was resident, in bytes. That
// of this program, from which it was forked, counts for it too, so that this one
// has to be the smaller one.
func residentMax(p *os.ProcessState) int64 {
	if usage, ok := p.SysUsage().(*syscall.Rusage); ok {
		return int64(usage.Maxrss) << 10
	}
	return 0
}
