//go:build linux && (check || nightly)

package program_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestMemoryOfStart bounds the memory of the program at its start: a collector that runs
// next to a service must be small. The peak includes the pages of the program's file that
// were read, which the system can drop: they grow with the program, and how many are read
// around one that is needed differs from run to run. Hence the least of three runs counts.
func TestMemoryOfStart(t *testing.T) {
	const limit, limitPrivate = 27 << 10, 5 << 10 // kB; a program of 34 MB, most of whose pages are of its file
	var peak, private int64
	for range 3 {
		p, own := memoryOfStart(t)
		t.Logf("the peak of version is %d kB, of which %d kB are private", p, own)
		if peak == 0 || p < peak {
			peak, private = p, own
		}
	}
	expect.AtMost(t, "peak", peak, limit)
	expect.AtMost(t, "private memory", private, limitPrivate)
	expect.AtLeast(t, "private memory", private, 1000)
	expect.AtLeast(t, "peak", peak, 1000)
}

// memoryOfStart runs the program, and returns its peak and private memory in kB while it
// waits to print; getrusage would return the peak of the test itself.
func memoryOfStart(t *testing.T) (peak, private int64) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	fillPipe(t, w)
	cmd := exec.Command(programtest.Build(t), "version")
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waits := 0
	proctest.WaitFor(t, func() bool {
		if waits++; !allSleep(cmd.Process.Pid) {
			waits = 0
		}
		return waits == 10
	})
	peak, err = proctest.HighWater(cmd.Process.Pid)
	expect.NoError(t, err)
	private, err = proctest.Private(cmd.Process.Pid)
	expect.NoError(t, err)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	return peak, private
}

// allSleep reports whether each thread of a process waits.
func allSleep(pid int) bool {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, thread := range threads {
		text, err := os.ReadFile(thread)
		_, state, found := bytes.Cut(text, []byte(") "))
		if err != nil || !found || state[0] != 'S' {
			return false
		}
	}
	return len(threads) > 1 // a Go program has several when it runs
}

// fillPipe writes until nothing more fits.
func fillPipe(t *testing.T, w *os.File) {
	t.Helper()
	fd := int(w.Fd())
	if err := syscall.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{4096, 1} {
		for {
			if _, err := syscall.Write(fd, make([]byte, size)); errors.Is(err, syscall.EAGAIN) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := syscall.SetNonblock(fd, false); err != nil {
		t.Fatal(err)
	}
}
