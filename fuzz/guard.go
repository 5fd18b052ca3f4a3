package fuzz

import (
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"
)

// Limits of one reading of one input.
const (
	longest = slower * time.Second
	// slack is allowed on top of all else, and the buffer of a source may run
	// ahead of its bytes by ahead.
	slack, ahead = 1 << 20, 1 << 20
	// amplification is the memory for each byte of input. Small rows of tables
	// need most: a thread of 4 bytes becomes a row, a key of the cache of rows
	// and entries in two maps.
	amplification = 256
	total         = 48 << 20 // the default of Limits.Total
)

// Limits of one input in total before the guard ends the process.
const (
	patience = 10 * time.Second
	appetite = 2 << 30
)

// allowance is the number of bytes that reading an input of that size may
// allocate.
func allowance(size int) uint64 {
	return slack + ahead + uint64(min(total, amplification*size))
}

// allocated is the number of bytes allocated so far.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// weigh runs f, which reads size bytes of input once, and fails when it uses too
// much processor time or allocates more than most bytes. The load of the machine
// does not count, and it tries again.
func weigh(size int, most uint64, f func()) (err error) {
	for range 3 {
		before, began := allocated(), busy()
		f()
		took, bytes := busy()-began, allocated()-before
		switch {
		case took > longest:
			err = fmt.Errorf("reading %d bytes took %v", size, took)
		case bytes > most:
			err = fmt.Errorf("reading %d bytes allocated %d, more than %d", size, bytes, most)
		default:
			return nil
		}
	}
	return err
}

// began is when this process has.
var began = time.Now()

// task is an input during its reading.
type task struct {
	began  time.Time
	before uint64
}

var (
	current atomic.Pointer[task]
	watch   = sync.OnceFunc(func() { go watchdog() })
)

// guard makes the watchdog watch until the returned function is called. The
// fuzzing engine waits for ever for an input without end; it reports a process
// that dies, with the input.
func guard() (done func()) {
	watch()
	current.Store(&task{time.Now(), allocated()})
	return func() { current.Store(nil) }
}

func watchdog() {
	for range time.Tick(100 * time.Millisecond) {
		t := current.Load()
		if t == nil {
			continue
		}
		took, bytes := time.Since(t.began), allocated()-t.before
		if took < patience && bytes < appetite || current.Load() != t {
			continue
		}
		stacks := make([]byte, 64<<10)
		os.Stderr.Write(stacks[:runtime.Stack(stacks, true)])
		panic(fmt.Sprintf("one input took %v and %d bytes so far", took, bytes))
	}
}
