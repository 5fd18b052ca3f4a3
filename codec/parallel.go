package codec

import (
	"context"
	"io"
	"sync"
)

// eventsBetweenLooks is the number of events of a region between two checks of
// the context.
const eventsBetweenLooks = 256

// Parallel reads the events in a time range, like Between, in several
// goroutines. Each goroutine reads one region between sequence points at a
// time. f receives the number of the region, which ascends in file order, and
// the events of one region in the order of Options.Order; several goroutines call it at the same
// time. Parallel returns the first error of a Reader or of f, or the cause of
// ctx when it is done. Either ends all goroutines, also within a region.
func (x *Index) Parallel(ctx context.Context, within TimeRange, workers int, f func(region int, e *Event) error) error {
	x.mustBeMade()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wait sync.WaitGroup
	var failed sync.Once
	var first error
	work := x.regions(within)
	for range max(1, workers) {
		wait.Go(func() {
			for region := range work {
				if err := x.readRegion(ctx, within, region, f); err != nil {
					failed.Do(func() { first = err; cancel() })
					return
				}
			}
		})
	}
	wait.Wait()
	return first
}

// regions returns the numbers of the regions that may hold an event of the range, in
// file order.
func (x *Index) regions(within TimeRange) <-chan int {
	found := map[int]bool{}
	for i := range x.blocks {
		if x.blocks[i].mayHold(within) {
			found[x.blocks[i].Region] = true
		}
	}
	list := make(chan int, len(found))
	for i := 0; len(found) > 0; i++ {
		if found[i] {
			list <- i
			delete(found, i)
		}
	}
	close(list)
	return list
}

// readRegion reads one region. It checks the context whenever the Reader reads,
// and also between events, because one read can return many of them.
func (x *Index) readRegion(ctx context.Context, within TimeRange, region int, f func(int, *Event) error) error {
	offsets := x.offsets(within, func(n int) bool { return n == region })
	r := x.reader(cancelableAt{x.at, ctx}, within, offsets)
	n := 0
	for e, err := range r.Events() {
		if err != nil {
			return err
		}
		if n++; n%eventsBetweenLooks == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := f(region, e); err != nil {
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
