//go:build linux

package events

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/choice"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/chunks"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// scaleFigures are those of a run with a number of goroutines.
type scaleFigures struct {
	wall, cpu     time.Duration
	slowest, rest time.Duration // processor time of one goroutine that reads, and of the one that joins
}

// TestScale measures a file of 1 GB with 1, 2, 4 and 8 goroutines, for
// bench/SCALE.md. Only processor times are checked: other processes can run too.
func TestScale(t *testing.T) {
	tier.NeedsNightly(t) // it takes minutes and 1 GB of disk
	program, path := filepath.Join(t.TempDir(), "nettrace"), testfile.Long(t, 1e9)
	out, err := exec.Command("go", "build", "-o", program, "github.com/nettrace-go/nettrace/cmd/nettrace").CombinedOutput()
	expect.Equal(t, "go build", fmt.Sprint(err, string(out)), "<nil>")
	t.Logf("%d cores, %s, %s", runtime.NumCPU(), runtime.Version(), runtime.GOARCH)
	var one scaleFigures
	for _, n := range []int{1, 2, 4, 8} {
		f := measureProcess(t, program, path, n)
		measureThreads(t, &f, path, n)
		if n == 1 {
			one = f
		}
		share := func(a, of time.Duration) float64 { return float64(a) / float64(of) }
		t.Logf("| %d | %.1f s | %.2f s | %.2f | %.2f | %.2f |", n, f.wall.Seconds(), f.cpu.Seconds(), share(f.cpu, one.cpu),
			share(f.slowest, one.slowest), share(f.rest, one.slowest))
		if limit := map[int]float64{2: 0.58, 4: 0.32}[n]; limit > 0 {
			expect.AtMost(t, fmt.Sprint("slowest goroutine of ", n), share(f.slowest, one.slowest), limit)
		}
		if n > 1 {
			expect.AtMost(t, "serial part", share(f.rest, one.slowest), 0.1)
			expect.AtMost(t, "processor time", share(f.cpu, one.cpu), 1.15)
		}
	}
}

// measureProcess runs the program.
func measureProcess(t *testing.T, program, path string, workers int) (f scaleFigures) {
	cmd := exec.Command(program, "events", "--format=ndjson", "--fields", "--stacks", fmt.Sprint("--workers=", workers), path)
	start := time.Now()
	expect.NoError(t, cmd.Run())
	f.wall = time.Since(start)
	f.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return f
}

// measureThreads does the same in this process, with each goroutine in a thread of
// its own.
func measureThreads(t *testing.T, f *scaleFigures, path string, workers int) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var mu sync.Mutex
	spent := map[int]time.Duration{}
	o := &options{format: choice.Of("ndjson"), order: "file", fields: true, stacks: true, workers: workers}
	o.around = func(job *chunks.Job[*part]) {
		start := job.StartPieces
		job.StartPieces = func(pass func(*part) error) (codec.ChunkHooks, func(*codec.Reader) (*part, error)) {
			runtime.LockOSThread()
			before, thread := threadTime(), unix.Gettid()
			hooks, read := start(pass)
			return hooks, func(r *codec.Reader) (*part, error) {
				p, err := read(r)
				mu.Lock()
				defer mu.Unlock()
				spent[thread] = threadTime() - before
				return p, err
			}
		}
	}
	p := &run.Program{Stdout: io.Discard, Stderr: io.Discard}
	l, err := o.listing(p.Stdout)
	expect.NoError(t, err)
	in, err := input.Open(p, path, input.Options{})
	expect.NoError(t, err)
	defer in.Close()
	before := threadTime()
	expect.NoError(t, list(p, context.Background(), in, l, o))
	f.rest = threadTime() - before
	if workers == 1 {
		f.slowest, f.rest = f.rest, 0
	}
	for _, d := range spent {
		f.slowest = max(f.slowest, d)
	}
}

// threadTime returns the processor time that the current thread has used.
func threadTime() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now); err != nil {
		panic(err)
	}
	return time.Duration(now.Nano())
}
