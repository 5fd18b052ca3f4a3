//go:build linux && (check || nightly)

package program_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// TestMemoryOfStart bounds the memory of the program at its start: a collector that runs
// next to a service must be small. The peak includes the pages of the program's file that
// were read, which the system can drop: they grow with the program, and how many are read
// around one that is needed differs from run to run. Hence the least of three runs counts.
func TestMemoryOfStart(t *testing.T) {
	const limit, limitPrivate = 27 << 10, 5 << 10 // kB; a program of 34 MB, most of whose pages are of its file
	program := programtest.Build(t)
	var peak, private int64
	for range 3 {
		p, own := memoryOfStart(t, program)
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
func memoryOfStart(t *testing.T, program string) (peak, private int64) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	fillPipe(t, w)
	cmd := exec.Command(program, "version")
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

// budgets are the most memory in MB that commands need for a trace of 1 MB, of 42 MB and of
// 1 GB, with the pages of the program's file, of which a start reads 19 MB. A limit is a
// fifth above the highest of some runs: how many pages are read around one that is needed
// differs from run to run. The longer traces are copies of one of 13 MB: each has a rundown,
// whose methods top, report and query keep.
var budgets = []struct {
	args             []string // FILE is the trace, OUT a file
	one, many, giant int64    // 0: not measured
}{
	{[]string{"info", "FILE"}, 31, 36, 38},
	{[]string{"events", "--format", "ndjson", "--fields", "--stacks", "FILE"}, 31, 36, 46},
	{[]string{"top", "FILE"}, 35, 53, 280},
	{[]string{"convert", "--format", "speedscope", "-o", "OUT.json", "--force", "FILE"}, 35, 53, 300},
	{[]string{"report", "FILE"}, 35, 68, 230},
	{[]string{"report", "--format", "html", "-o", "OUT.html", "--force", "FILE"}, 39, 77, 0},
	{[]string{"report", "--format", "html", "--events", "-o", "OUT.html", "--force", "FILE"}, 41, 97, 0},
	{[]string{"query", "FILE", "SELECT count(*) FROM samples"}, 37, 62, 490},
}

// TestMemoryOfCommands compares the peak memory of commands with their budgets.
func TestMemoryOfCommands(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is missing, whose memory is less than that of the program: a process that a test starts has the peak of the test at least")
	}
	program := programtest.Build(t)
	out := filepath.Join(t.TempDir(), "out")
	one := testfile.New(t, "one.nettrace", shared.Trace(t, "azmcp-net10-startup.v4"))
	many := testfile.Long(t, 42<<20)
	giant := ""
	if tier.Nightly {
		giant = testfile.Long(t, 1<<30)
	}
	for _, b := range budgets {
		for _, run := range []struct {
			file  string
			limit int64
		}{{one, b.one}, {many, b.many}, {giant, b.giant}} {
			if run.file == "" || run.limit == 0 {
				continue
			}
			names, what := strings.NewReplacer("FILE", run.file, "OUT", out), strings.NewReplacer("FILE", filepath.Base(run.file))
			args := make([]string, len(b.args))
			for i, arg := range b.args {
				args[i] = names.Replace(arg)
			}
			command := what.Replace(strings.Join(b.args, " "))
			peak := peakOf(t, python, program, args)
			t.Logf("%3d MB of at most %3d: %s", peak>>10, run.limit, command)
			expect.AtMost(t, "peak in kB of "+command, peak, run.limit<<10)
		}
	}
}

// peakOf runs a program as a child of a small one, and returns the peak of its memory in kB.
func peakOf(t *testing.T, python, program string, args []string) int64 {
	t.Helper()
	const script = `import resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)`
	cmd := exec.CommandContext(t.Context(), python, append([]string{"-c", script, program}, args...)...)
	text, err := cmd.Output()
	expect.NoError(t, err)
	code, rest, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	expect.Equal(t, "exit code of "+strings.Join(args, " "), code, "0")
	peak, err := strconv.ParseInt(rest, 10, 64)
	expect.NoError(t, err)
	return peak
}
