package eventpipe

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"time"
)

// Fields of /proc/PID/stat: processor time in clock ticks, which Linux gives 100 of in a second.
const (
	userTime   = 14
	systemTime = 15
	clockTick  = time.Second / 100
)

// CPUTime reads the processor time of one process: not of a later one with its PID.
type CPUTime struct {
	file *os.File
	text [1024]byte
}

// OpenCPUTime opens the file with the processor time of a process with a PID in the caller's
// namespace. The error is one of the system, or [errors.ErrUnsupported] outside of Linux.
func OpenCPUTime(pid int) (*CPUTime, error) {
	file, err := os.Open(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	return &CPUTime{file: file}, nil
}

// Read returns the time that the process has spent in its own code and in the kernel since its
// start. It allocates nothing. The error is one of the system: the process has ended.
func (c *CPUTime) Read() (user, system time.Duration, err error) {
	n, err := c.file.ReadAt(c.text[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, 0, err
	}
	s, err := parseStat(c.text[:n])
	if err != nil {
		return 0, 0, fmt.Errorf("eventpipe: %s: %w", c.file.Name(), err)
	}
	u, _ := strconv.ParseInt(string(s.field(userTime)), 10, 64)
	k, _ := strconv.ParseInt(string(s.field(systemTime)), 10, 64)
	return time.Duration(u) * clockTick, time.Duration(k) * clockTick, nil
}

// Close closes the file.
func (c *CPUTime) Close() error { return c.file.Close() }
