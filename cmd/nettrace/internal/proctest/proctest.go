// Package proctest starts and watches processes in tests.
//
// Only tests import this package.
package proctest

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// HighWater returns the peak of the memory of a process in kB, with the pages of its file.
func HighWater(pid int) (int64, error) { return memory(pid, "status", "VmHWM:") }

// Private returns the memory of a process in kB that no file holds.
func Private(pid int) (int64, error) { return memory(pid, "status", "RssAnon:") }

// Parted returns the memory of a process in kB, with its part of each page that several
// processes share.
func Parted(pid int) (int64, error) { return memory(pid, "smaps_rollup", "Pss:") }

// memory returns a size of a process in kB by its name in a file of /proc/PID.
func memory(pid int, file, name string) (int64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file))
	if err != nil {
		return 0, err
	}
	_, rest, ok := strings.Cut(string(data), name)
	if !ok {
		return 0, errors.New("no " + name)
	}
	return strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
}

// WaitFor waits until is returns true.
func WaitFor(t *testing.T, is func() bool) {
	t.Helper()
	for begun := time.Now(); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Since(begun) > Patience {
			t.Fatal("the condition is not true in time")
		}
	}
}

// Patience is the time that a test waits for a condition that must become true.
// It is long, because a busy machine is slow.
const Patience = 2 * time.Minute
