// Package chunks reads the chunks of a file in several goroutines and joins what
// they return in file order.
package chunks

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/nettrace-go/nettrace/codec"
)

// Least sizes of a chunk in bytes: those of a large file, the one of any file, and the number
// of chunks that each goroutine reads of a file that is not large.
const (
	SmallChunk = 64 << 10 // if the value of a chunk is large
	LargeChunk = 1 << 20  // if it is small: fewer stacks are read twice, and there are fewer joins
	minSize    = 4 << 10
	perWorker  = 8
)

// Job reads a file with Workers goroutines. It keeps the values of at most
// Workers+1 chunks at one time. Large values are passed on in pieces: see
// StartPieces.
type Job[T any] struct {
	Index   *codec.Index
	Size    int64 // bytes of the file
	Workers int   // goroutines that read; see Workers
	Chunk   int64 // SmallChunk or LargeChunk
	// Start is called in each of them. It returns the hooks of the goroutine's
	// Reader, and the function that reads a chunk with it. The value of a chunk is
	// joined even if there is an error, which ends the job then. An error of the
	// Reader itself need not be returned: it is in the ChunkResult.
	Start func() (codec.ChunkHooks, func(*codec.Reader) (T, error))
	// Join is called in the goroutine of Run, in file order, with the value and the
	// result of each chunk. It reports whether the job continues. After the first
	// chunk with an error it is not called again.
	Join func(T, codec.ChunkResult) (bool, error)

	// StartPieces, if not nil, is called instead of Start. The function that reads a
	// chunk hands over pieces of its value with pass, and returns the last one. If
	// pass returns an error, the job has ended, and the function returns.
	StartPieces func(pass func(T) error) (codec.ChunkHooks, func(*codec.Reader) (T, error))
	// Piece is Join for the pieces before the last one. It is called as soon as all
	// chunks before are joined.
	Piece func(T) error
	// Ahead is the maximum number of pieces, without the last ones, of chunks that come
	// after the one that is joined. At this number pass blocks until it is the turn of
	// the chunk. It must be above 0 with StartPieces.
	Ahead int
}

// PanicError is the error for a panic in a goroutine that reads.
type PanicError struct {
	Value any    // of the panic
	Stack []byte // of the goroutine
}

// Error describes the panic.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v\n%s", e.Value, e.Stack) }

// Recover is to be deferred. It turns a panic into a *PanicError.
func Recover(err *error) {
	switch v := recover().(type) {
	case nil:
	case *PanicError: // of another goroutine
		*err = v
	default:
		*err = &PanicError{v, debug.Stack()}
	}
}

// Workers returns a number of goroutines, for 0 that of the cores.
func Workers(n int) int {
	if n > 0 {
		return n
	}
	return runtime.GOMAXPROCS(0)
}

// task is a chunk on its way.
type task[T any] struct {
	chunk  codec.Chunk
	pieces chan T        // that have a slot
	turn   chan struct{} // is closed when all chunks before are joined
	direct chan T        // pieces without a slot, after the turn
	done   chan outcome[T]
}

// outcome is what was read of a chunk.
type outcome[T any] struct {
	value  T
	result codec.ChunkResult
	err    error
}

// running is a Job that runs.
type running[T any] struct {
	*Job[T]
	ctx   context.Context
	work  chan task[T] // for the goroutines that read
	order chan task[T] // for the one that joins
	slots chan struct{}
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
	r := &running[T]{j, ctx, make(chan task[T]), make(chan task[T], j.Workers-1), make(chan struct{}, j.Ahead)}
	wait.Go(r.hand)
	for range j.Workers {
		wait.Go(r.read)
	}
	for t := range r.order {
		if more, err := r.join(t); err != nil || !more {
			return err
		}
	}
	return context.Cause(ctx)
}

// join passes on what is read of a chunk.
func (r *running[T]) join(t task[T]) (more bool, err error) {
	close(t.turn)
	for r.ctx.Err() == nil {
		select {
		case v := <-t.pieces:
			err = r.slotted(v)
		case v := <-t.direct: // after all with a slot
			if err = r.rest(t); err == nil {
				err = r.piece(v)
			}
		case o := <-t.done:
			return r.end(t, o)
		case <-r.ctx.Done():
		}
		if err != nil {
			return false, err
		}
	}
	return false, context.Cause(r.ctx)
}

// piece passes on a piece.
func (r *running[T]) piece(v T) error {
	if r.ctx.Err() != nil {
		return context.Cause(r.ctx)
	}
	return r.Piece(v)
}

// rest passes on the pieces with a slot.
func (r *running[T]) rest(t task[T]) error {
	for len(t.pieces) > 0 {
		if err := r.slotted(<-t.pieces); err != nil {
			return err
		}
	}
	return nil
}

// slotted passes on a piece with a slot.
func (r *running[T]) slotted(v T) error {
	err := r.piece(v)
	<-r.slots
	return err
}

// end passes on the last pieces of a chunk.
func (r *running[T]) end(t task[T], o outcome[T]) (more bool, err error) {
	if err := r.rest(t); err != nil {
		return false, err
	}
	if len(t.direct) > 0 {
		if err := r.piece(<-t.direct); err != nil {
			return false, err
		}
	}
	if r.ctx.Err() != nil {
		return false, context.Cause(r.ctx)
	}
	if panicked, ok := o.err.(*PanicError); ok {
		return false, panicked
	}
	if more, err = r.Join(o.value, o.result); err == nil {
		err = o.err
	}
	return more, err
}

// Chunks returns the chunks of the file.
func (j *Job[T]) Chunks() []codec.Chunk {
	return j.Index.Chunks(codec.TimeRange{}, min(j.Chunk, max(minSize, j.Size/int64(j.Workers*perWorker))))
}

// hand hands out the chunks: each takes a place in order first, which bounds their
// number.
func (r *running[T]) hand() {
	defer close(r.work)
	defer close(r.order)
	for _, c := range r.Chunks() {
		t := task[T]{c, make(chan T, r.Ahead), make(chan struct{}), make(chan T, 1), make(chan outcome[T], 1)}
		for _, to := range []chan<- task[T]{r.order, r.work} {
			select {
			case to <- t:
			case <-r.ctx.Done():
				return
			}
		}
	}
}

// read reads chunks with one Reader.
func (r *running[T]) read() {
	var from *codec.Reader
	var chunk func(*codec.Reader) (T, error)
	var current task[T]
	pass := func(v T) error { return r.pass(current, v) }
	for current = range r.work {
		current.done <- guard(func() (o outcome[T]) {
			if from == nil {
				var hooks codec.ChunkHooks
				if r.StartPieces != nil {
					hooks, chunk = r.StartPieces(pass)
				} else {
					hooks, chunk = r.Start()
				}
				from = r.Index.ChunkReader(hooks)
			}
			from.ReadChunk(current.chunk)
			o.value, o.err = chunk(from)
			o.result = from.ChunkResult()
			return o
		})
	}
}

// pass hands over a piece of a chunk. Before the turn of the chunk it needs a slot;
// after it, the goroutine that joins waits for this chunk only.
func (r *running[T]) pass(t task[T], v T) error {
	select {
	case <-t.turn:
	default:
		select {
		case r.slots <- struct{}{}:
			t.pieces <- v // there is a place for each slot
			return nil
		case <-t.turn:
		case <-r.ctx.Done():
			return context.Cause(r.ctx)
		}
	}
	select {
	case t.direct <- v:
		return nil
	case <-r.ctx.Done():
		return context.Cause(r.ctx)
	}
}

// guard calls f and turns a panic into an error.
func guard[T any](f func() outcome[T]) (o outcome[T]) {
	defer Recover(&o.err)
	return f()
}
