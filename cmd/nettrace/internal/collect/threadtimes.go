package collect

import (
	"errors"
	"os"
	"syscall"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/eventpipe/record"
)

// The time between two readings of the processor time of threads: a reading takes
// about 20 us for each thread.
const (
	minReading       = 100 * time.Millisecond
	maxReading       = time.Second
	readingPerThread = 5 * time.Millisecond
)

// threadTimes reads the processor time of the threads of a process until stop.
type threadTimes struct {
	*record.ThreadTimes
	quit, done chan struct{}
	err        error // of a reading; good after done
}

// startThreadTimes begins to read the times of threads.
func (r *recording) startThreadTimes() {
	if r.o.noThreadTimes || r.o.unchanged || r.o.dump || r.a.PID == 0 {
		return
	}
	t := &threadTimes{record.NewThreadTimes(r.a.PID), make(chan struct{}), make(chan struct{}), nil}
	if err := t.Read(); err != nil {
		if !errors.Is(err, errors.ErrUnsupported) {
			r.p.Complain("warning: %s: the processor time of threads is not recorded: %v", r.a.Title, err)
		}
		return
	}
	r.times = t
	go t.run()
}

func (t *threadTimes) run() {
	defer close(t.done)
	for {
		wait := time.NewTimer(min(max(time.Duration(t.Threads())*readingPerThread, minReading), maxReading))
		select {
		case <-wait.C:
			t.err = t.Read()
		case <-t.quit:
			wait.Stop()
			_ = t.Read() // a process that has ended has no times any more
			return
		}
		if t.err != nil {
			<-t.quit
			return
		}
	}
}

// stopThreadTimes reads the times a last time.
func (r *recording) stopThreadTimes() {
	t := r.times
	if t == nil {
		return
	}
	select {
	case <-t.done:
		return
	default:
	}
	close(t.quit)
	<-t.done
	if t.err != nil && !errors.Is(t.err, os.ErrNotExist) && !errors.Is(t.err, syscall.ESRCH) {
		r.p.Complain("warning: %s: the processor time of threads is not complete: %v", r.a.Title, t.err)
	}
	if n := t.Dropped(); n > 0 {
		r.p.Complain("warning: %s: the processor times of threads at the beginning are missing: %s were too many to keep in memory", r.a.Title, display.CountedUnsigned(n, "value"))
	}
}
