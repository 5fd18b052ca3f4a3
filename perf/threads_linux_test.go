package perf

import (
	"context"
	"errors"
	"os"
	"runtime"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// busyThread is a thread that used a processor for a while.
type busyThread struct {
	id      int
	nanos   uint64
	covered bool // the recording had begun before it
}

// TestThreadsStart: threads that start and end all the time, also while the events are being
// opened, are neither missed nor counted twice: each has the samples of its own processor time.
func TestThreadsStart(t *testing.T) {
	tier.NeedsCheck(t)
	const spawners, each, busyFor = 2, 60, 10_000_000 // threads, nanoseconds
	var spawning sync.WaitGroup
	var mu sync.Mutex
	var threads []busyThread
	begun, started := make(chan struct{}), make(chan struct{})
	for range spawners {
		spawning.Go(func() {
			for i := range each {
				if i == each/6 { // the others begin while the events are opened, or after it
					mu.Lock()
					select {
					case <-begun:
					default:
						close(begun)
					}
					mu.Unlock()
				}
				if i == each/2 {
					<-started
				}
				done := make(chan busyThread)
				go func() {
					runtime.LockOSThread() // and never unlock it: the thread ends
					one := busyThread{id: unix.Gettid()}
					select {
					case <-started:
						one.covered = true
					default:
					}
					for one.nanos = threadTime(); one.nanos < busyFor; one.nanos = threadTime() {
					}
					done <- one
				}()
				one := <-done
				mu.Lock()
				threads = append(threads, one)
				mu.Unlock()
			}
		})
	}
	<-begun
	r, err := Start(Options{PID: os.Getpid(), NoSwitches: true})
	close(started)
	if forbidden := (*PermissionError)(nil); errors.As(err, &forbidden) {
		spawning.Wait()
		t.Skip(err)
	}
	expect.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	samples := map[int]int{}
	go func() {
		var d decoder
		ended <- r.Run(ctx, func(b []byte) error {
			if record, ok := d.decode(b); ok && record.Kind == Sample {
				samples[int(record.TID)]++
			}
			return nil
		})
	}()
	spawning.Wait()
	cancel()
	expect.NoError(t, <-ended)
	lost := r.Counts().Lost
	r.Close()
	expect.Equal(t, "lost records", lost, uint64(0))
	const period = 1_000_000_000 / DefaultRate
	seen := map[int]bool{}
	covered, sampled, used := 0, 0, 0
	for _, one := range threads {
		if seen[one.id] {
			continue // the id was used again
		}
		seen[one.id] = true
		n, whole := samples[one.id], int(one.nanos/period)
		if n > whole*3/2+2 { // twice is about 19
			t.Errorf("thread %d: %d samples in %d ns", one.id, n, one.nanos)
		}
		if one.covered {
			covered++
			sampled, used = sampled+n, used+int(one.nanos)
			if n == 0 {
				t.Errorf("thread %d: no sample in %d ns", one.id, one.nanos)
			}
		}
	}
	t.Logf("%d threads: %d samples in %d ns", covered, sampled, used)
	expect.AtLeast(t, "samples in percent of the processor time", sampled*period/(used/100), 88)
	expect.AtMost(t, "samples in percent of the processor time", sampled*period/(used/100), 108)
	expect.AtLeast(t, "threads that began in the recording", covered, each)
}

// threadTime is the processor time of this thread, in nanoseconds.
func threadTime() uint64 {
	var now unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &now)
	return uint64(now.Nano())
}
