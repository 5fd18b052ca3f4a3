package eventpipe

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestCPUTime: the time of this process is that of getrusage, and reading it allocates nothing.
func TestCPUTime(t *testing.T) {
	c, err := OpenCPUTime(os.Getpid())
	expect.NoError(t, err)
	defer c.Close()
	for used := time.Duration(0); used < 5*clockTick; { // so that the ticks count something
		var r syscall.Rusage
		expect.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &r))
		used = time.Duration(r.Utime.Nano() + r.Stime.Nano())
	}
	var user, system time.Duration
	expect.Equal(t, "allocations", testing.AllocsPerRun(10, func() { user, system, err = c.Read() }), 0)
	expect.NoError(t, err)
	var r syscall.Rusage
	expect.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &r))
	expect.AtMost(t, "difference", (time.Duration(r.Utime.Nano()+r.Stime.Nano()) - user - system).Abs(), 5*clockTick)
}
