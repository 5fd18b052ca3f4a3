// Package chunks reads the chunks of a file in several goroutines and joins what
// they return in file order.
package chunks

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/nettrace-go/nettrace/codec"
)

// Sizes of a chunk in bytes: that of a large file, the min one, and the number of
// chunks that each goroutine reads of a file that is not large.
const (
	maxSize   = 64 << 10
	minSize   = 4 << 10
	perWorker = 8
)

// Job reads a file with Workers goroutines. It keeps the values of at most
// Workers+1 chunks at one time.
type Job[T any] struct {
	Index   *codec.Index
	Size    int64 // bytes of the file
	Workers int   // goroutines that read; at least 1
	// Start is called in each of them. It returns the hooks of the goroutine's
	// Reader, and the function that reads a chunk with it. The value of a chunk is
	// joined even if there is an error, which ends the job then. An error of the
	// Reader itself need not be returned: it is in the ChunkResult.
	Start func() (codec.ChunkHooks, func(*codec.Reader) (T, error))
	// Join is called in the goroutine of Run, in file order, with the value and the
	// result of each chunk. It reports whether the job continues. After the first
	// chunk with an error it is not called again.
	Join func(T, codec.ChunkResult) (bool, error)
}

// PanicError is the error for a panic in a goroutine that reads.
type PanicError struct {
	Value any    // of the panic
	Stack []byte // of the goroutine
}

// Error describes the panic.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v\n%s", e.Value, e.Stack) }

// task is a chunk on its way.
type task[T any] struct {
	chunk codec.Chunk
	done  chan outcome[T]
}

// outcome is what was read of a chunk.
type outcome[T any] struct {
	value  T
	result codec.ChunkResult
	err    error
}

// Run reads the file. It returns the first error in the order of the file: of
// Start's function or of Join, or a *PanicError; or the cause of ctx when that is
// done, at the end of a chunk. All goroutines have ended then.
func (j *Job[T]) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var wait sync.WaitGroup
	defer wait.Wait()
	defer cancel()
	// One more task is at the goroutine that hands them out, and one at that of Join.
	work, order := make(chan task[T]), make(chan task[T], j.Workers-1)
	wait.Go(func() { j.hand(ctx, work, order) })
	for range j.Workers {
		wait.Go(func() { j.work(work) })
	}
	for t := range order {
		var o outcome[T]
		select {
		case o = <-t.done:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		if more, err := j.join(o); err != nil || !more {
			return err
		}
	}
	return context.Cause(ctx)
}

// join passes on what was read of a chunk.
func (j *Job[T]) join(o outcome[T]) (more bool, err error) {
	if panicked, ok := o.err.(*PanicError); ok {
		return false, panicked
	}
	if more, err = j.Join(o.value, o.result); err == nil {
		err = o.err
	}
	return more, err
}

// hand hands out the chunks: each takes a place in order first, which bounds their
// number.
func (j *Job[T]) hand(ctx context.Context, work, order chan<- task[T]) {
	defer close(work)
	defer close(order)
	size := min(maxSize, max(minSize, j.Size/int64(j.Workers*perWorker)))
	for _, c := range j.Index.Chunks(codec.TimeRange{}, size) {
		t := task[T]{c, make(chan outcome[T], 1)}
		for _, to := range []chan<- task[T]{order, work} {
			select {
			case to <- t:
			case <-ctx.Done():
				return
			}
		}
	}
}

// work reads chunks with one Reader.
func (j *Job[T]) work(work <-chan task[T]) {
	var r *codec.Reader
	var read func(*codec.Reader) (T, error)
	for t := range work {
		t.done <- guard(func() (o outcome[T]) {
			if r == nil {
				var hooks codec.ChunkHooks
				hooks, read = j.Start()
				r = j.Index.ChunkReader(hooks)
			}
			r.ReadChunk(t.chunk)
			o.value, o.err = read(r)
			o.result = r.ChunkResult()
			return o
		})
	}
}

// guard calls f and turns a panic into an error.
func guard[T any](f func() outcome[T]) (o outcome[T]) {
	defer func() {
		if v := recover(); v != nil {
			o = outcome[T]{err: &PanicError{v, debug.Stack()}}
		}
	}()
	return f()
}
