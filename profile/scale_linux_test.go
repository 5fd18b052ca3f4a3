package profile

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/chunks"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/longtrace"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// TestScale measures a file of 1 GB with 1, 2, 4 and 8 goroutines, for bench/SCALE.md: the processor time of those that read, as shares of that of
// one goroutine; and that of the goroutine that joins: for the index, for the joins, which it
// makes while the others read, and for what it does alone after the last event. What others do
// then, and the garbage collector, is divided equally among those that read.
func TestScale(t *testing.T) {
	tier.NeedsNightly(t) // it takes a minute and 1 GB of disk
	f, size := scaleFile(t)
	opt, reading := Options{NoLabels: true, Limits: LargeLimits()}, codec.Options{Limits: codec.Limits{Block: -1, Total: -1}}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	all := processTime()
	_, err := FromReader(t.Context(), codec.NewReader(f, reading), opt)
	expect.NoError(t, err)
	one := processTime() - all
	t.Logf("one goroutine: %.2f s", one.Seconds())
	t.Log("| workers | all | slowest | index | joins | after |")
	for _, n := range []int{2, 4, 8} {
		var mu sync.Mutex
		spent := map[int]time.Duration{} // by thread
		joins := time.Duration(0)
		start, all := threadTime(), processTime()
		x := chunks.NewIndex(f, size, reading)
		index := threadTime() - start
		_, _, err := fromChunks(t.Context(), Chunks{x, size, n}, opt, func(job *chunks.Job[*chunk]) {
			begin, join := job.Start, job.Join
			job.Start = func() (codec.ChunkHooks, func(*codec.Reader) (*chunk, error)) {
				runtime.LockOSThread()
				before, thread := threadTime(), unix.Gettid()
				hooks, read := begin()
				return hooks, func(r *codec.Reader) (*chunk, error) {
					c, err := read(r)
					mu.Lock()
					defer mu.Unlock()
					spent[thread] = threadTime() - before
					return c, err
				}
			}
			job.Join = func(c *chunk, result codec.ChunkResult) (bool, error) {
				before := threadTime()
				defer func() { joins += threadTime() - before }()
				return join(c, result)
			}
		})
		expect.NoError(t, err)
		own, slowest, sum := threadTime()-start, time.Duration(0), processTime()-all
		rest := sum - own
		for _, d := range spent {
			slowest, rest = max(slowest, d), rest-d
		}
		slowest += rest / time.Duration(n)
		share := func(d time.Duration) float64 { return d.Seconds() / one.Seconds() }
		t.Logf("| %d | %.2f | %.2f | %.3f | %.3f | %.3f |", n, share(sum), share(slowest), share(index), share(joins), share(own-index-joins))
		if limit := map[int]float64{2: 0.58, 4: 0.32}[n]; limit > 0 {
			expect.AtMost(t, fmt.Sprint("slowest goroutine of ", n), share(slowest), limit)
		}
	}
}

// scaleFile returns a file of a long trace, and its size.
func scaleFile(t *testing.T) (*os.File, int64) {
	long, err := longtrace.New(shared.Trace(t, "azmcp-net10-cpu.v4"), 1e9)
	expect.NoError(t, err)
	f, err := os.Create(filepath.Join(t.TempDir(), "long.nettrace"))
	expect.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	_, err = io.Copy(f, io.NewSectionReader(long, 0, long.Size()))
	expect.NoError(t, err)
	_, err = f.Seek(0, io.SeekStart)
	expect.NoError(t, err)
	return f, long.Size()
}

// processTime returns the processor time that the process has used.
func processTime() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &now); err != nil {
		panic(err)
	}
	return time.Duration(now.Nano())
}

// threadTime returns the processor time that the current thread has used.
func threadTime() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now); err != nil {
		panic(err)
	}
	return time.Duration(now.Nano())
}
