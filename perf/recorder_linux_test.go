package perf

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestRecorder records this process while it works: the samples come in the order of time, those
// of the spool are the same, and nothing is left open.
func TestRecorder(t *testing.T) {
	open := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		expect.NoError(t, err)
		return len(entries)
	}
	before := open()
	r, err := Start(Options{PID: os.Getpid(), StackBytes: 512})
	if forbidden := (*PermissionError)(nil); errors.As(err, &forbidden) {
		t.Skip(err)
	}
	expect.NoError(t, err)
	spool, err := NewSpool(t.TempDir(), HasRegisters)
	expect.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done, enough := make(chan error, 1), make(chan struct{})
	samples, last := 0, uint64(0)
	go func() {
		done <- r.Run(ctx, func(b []byte) error {
			if at := timeOf(b); at < last {
				t.Errorf("a record of %d after one of %d", at, last)
			} else {
				last = at
			}
			if recordKind(b) == recordSample {
				if samples++; samples == 20 {
					close(enough)
				}
			}
			return spool.Add(b)
		})
	}()
	for working := true; working; {
		select {
		case <-enough:
			working = false
		default: // use the processor
		}
	}
	cancel()
	expect.NoError(t, <-done)
	r.Close()
	expect.NoError(t, spool.End())
	for range 2 { // it can be read again
		n := 0
		for record, err := range spool.Records(Clock{}) {
			expect.NoError(t, err)
			if record.Kind == Sample {
				n++
				expect.Equal(t, "period", record.Period, uint64(time.Second)/DefaultRate)
			}
		}
		expect.Equal(t, "samples in the spool", n, samples)
	}
	spool.Close()
	expect.Equal(t, "open files", open(), before)
}

// TestNoProcess: a process that does not exist is an error of its own.
func TestNoProcess(t *testing.T) {
	_, err := Start(Options{PID: 1 << 30})
	expect.Equal(t, "no process", errors.Is(err, os.ErrProcessDone), true)
}
