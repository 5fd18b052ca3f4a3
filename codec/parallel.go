package codec

import (
	"context"
	"io"
	"sync"
)

// eventsBetweenLooks is the number of events of a chunk between two checks of
// the context.
const eventsBetweenLooks = 256

// maxChunk is the size in bytes of the chunks of Parallel, and chunksOfWorker the
// number of chunks for each goroutine in a small file.
const (
	maxChunk       = 4 << 20
	chunksOfWorker = 8
)

// Parallel reads the events in a time range, like Between, in several
// goroutines, each of which reads one chunk after another: see Chunks. f receives
// the number of the chunk, which ascends in file order, and the events of one
// chunk in the order of Options.Order; several goroutines call it at the same
// time. Parallel reports no losses. It returns the first error of a Reader or of
// f, or the cause of ctx when it is done. Either ends all goroutines, also within
// a chunk, but for an error of the Reader of the last chunk, such as the end of a
// truncated file: the others then read all events before it.
func (x *Index) Parallel(ctx context.Context, within TimeRange, workers int, f func(chunk int, e *Event) error) error {
	x.mustBeMade()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	workers = max(1, workers)
	chunks := x.Chunks(within, min(maxChunk, x.size/int64(workers*chunksOfWorker)))
	work := make(chan Chunk, len(chunks))
	for _, c := range chunks {
		work <- c
	}
	close(work)
	var wait sync.WaitGroup
	var failed sync.Once
	var first, last error
	for range min(workers, len(chunks)) {
		wait.Go(func() {
			r := newReader(x.opt)
			for c := range work {
				x.readChunk(r, cancelableAt{x.at, ctx}, c, false)
				err := eachEvent(ctx, r, c.Number, f)
				if c.to == len(x.blocks) && r.Err() != nil {
					last = err // only one goroutine reads the last chunk
					continue
				}
				if err != nil {
					failed.Do(func() { first = err; cancel() })
					return
				}
			}
		})
	}
	wait.Wait()
	if first == nil {
		first = last
	}
	return first
}

// eachEvent reads one chunk. It checks the context whenever the Reader reads,
// and also between events, because one read can return many of them.
func eachEvent(ctx context.Context, r *Reader, chunk int, f func(int, *Event) error) error {
	n := 0
	for e, err := range r.Events() {
		if err != nil {
			return err
		}
		if n++; n%eventsBetweenLooks == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := f(chunk, e); err != nil {
			return err
		}
	}
	return nil
}

// cancelableAt fails to read with the cause of a canceled context.
type cancelableAt struct {
	io.ReaderAt
	ctx context.Context
}

// ReadAt implements io.ReaderAt.
func (c cancelableAt) ReadAt(p []byte, offset int64) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.ReaderAt.ReadAt(p, offset)
}
