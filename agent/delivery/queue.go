package delivery

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"time"
)

// Reasons for which a Queue drops items.
const (
	Full     = "queue_full" // the queue was full, and the item the oldest
	TooLarge = "too_large"  // the item is larger than the queue
	Refused  = "refused"    // the target would refuse it again
	Expired  = "expired"    // the attempts failed for an hour, and other items waited
	Shutdown = "shutdown"   // the program ended before the target accepted it
	Storage  = "storage"    // the folder of the queue could not be written or read
)

// Options configure a Queue. Zero values select the defaults.
type Options struct {
	// MaxBytes bounds the size of the items. Default: 16 MiB.
	MaxBytes int64
	// MinBackoff is the pause after the first failure. Default: 500 ms.
	MinBackoff time.Duration
	// MaxBackoff bounds the pauses. Default: 5 min.
	MaxBackoff time.Duration
	// Dir is a folder for the items. It is created, and the items in it are sent
	// first. Default: items are in memory.
	Dir string
}

// Queue sends items to a target, in the order in which they were added. Use New to
// create one. Several goroutines may call its methods, one of them Run.
type Queue struct {
	target Target
	opt    Options
	store  store

	mu      sync.Mutex
	waiting []entry
	bytes   int64         // of waiting and of the one that is being sent
	added   chan struct{} // has an element when items were added
	stats   Stats
}

// entry is an item in the queue.
type entry struct {
	number uint64
	size   int64
	item   *Item // nil if it is in a file
}

// Stats are the counts of a Queue.
type Stats struct {
	Waiting   int              // items in the queue
	Bytes     int64            // their size
	Sent      int64            // items that the target accepted
	Warnings  int64            // of the accepted items, those with a *Warning
	Failures  int64            // attempts that failed and were or will be repeated
	Dropped   map[string]int64 // items by reason
	LastSent  time.Time        // time of the last item that was accepted
	LastError error            // of the last attempt; nil if the target accepted the item
	Warning   string           // text of the last *Warning; "" for none
}

// New returns a queue for a target. The error is one of reading Options.Dir.
func New(target Target, opt Options) (*Queue, error) {
	if opt.MaxBytes <= 0 {
		opt.MaxBytes = 16 << 20
	}
	if opt.MinBackoff <= 0 {
		opt.MinBackoff = 500 * time.Millisecond
	}
	if opt.MaxBackoff <= 0 {
		opt.MaxBackoff = 5 * time.Minute
	}
	q := &Queue{target: target, opt: opt, store: &inMemory{}, added: make(chan struct{}, 1)}
	q.stats.Dropped = map[string]int64{}
	if opt.Dir != "" {
		folder, left, err := openFolder(opt.Dir)
		if err != nil {
			return nil, fmt.Errorf("delivery: %w", err)
		}
		q.store = folder
		for _, e := range left {
			q.waiting = append(q.waiting, e)
			q.bytes += e.size
		}
		q.makeRoom(0)
	}
	return q, nil
}

// Add adds an item. It never waits for the target.
func (q *Queue) Add(item *Item) {
	q.mu.Lock()
	defer q.mu.Unlock()
	size := item.size()
	if size > q.opt.MaxBytes {
		q.stats.Dropped[TooLarge]++
		return
	}
	q.makeRoom(size)
	e, err := q.store.put(item, size)
	if err != nil {
		q.stats.Dropped[Storage]++
		q.stats.LastError = err
		return
	}
	q.waiting = append(q.waiting, e)
	q.bytes += size
	select {
	case q.added <- struct{}{}:
	default:
	}
}

// Take moves the items that wait in another queue into this one, the oldest first. Run of
// the other queue must have returned.
func (q *Queue) Take(from *Queue) {
	from.mu.Lock()
	waiting := from.waiting
	from.waiting = nil
	from.mu.Unlock()
	for _, e := range waiting {
		item, err := from.store.get(e)
		if err == nil {
			q.Add(item)
		}
		from.leave(e, err)
	}
}

// leave removes an item that another queue has, or that cannot be read.
func (q *Queue) leave(e entry, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err != nil {
		q.discard(e, Storage)
		return
	}
	q.bytes -= e.size
	q.store.remove(e)
}

// makeRoom drops the oldest items until size fits. The caller holds mu.
func (q *Queue) makeRoom(size int64) {
	for len(q.waiting) > 0 && q.bytes+size > q.opt.MaxBytes {
		oldest := q.waiting[0]
		q.waiting = q.waiting[1:]
		q.discard(oldest, Full)
	}
}

// discard removes an item that is not in waiting any more. The caller holds mu.
func (q *Queue) discard(e entry, reason string) {
	q.bytes -= e.size
	q.store.remove(e)
	q.stats.Dropped[reason]++
}

// Stats returns the current counts.
func (q *Queue) Stats() Stats {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := q.stats
	s.Waiting, s.Bytes, s.Dropped = len(q.waiting), q.bytes, maps.Clone(s.Dropped)
	return s
}

// Run sends items until ctx ends.
func (q *Queue) Run(ctx context.Context) {
	for {
		for q.next(ctx, q.retry) {
		}
		select {
		case <-q.added:
		case <-ctx.Done():
			return
		}
	}
}

// Drain sends the items that are left after Run has returned, until ctx ends or an
// attempt fails. Items in memory that are left then are dropped; those in a folder
// stay there.
func (q *Queue) Drain(ctx context.Context) {
	for q.next(ctx, func(context.Context, *Item, error) error { return errStop }) {
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.opt.Dir != "" {
		return
	}
	for _, e := range q.waiting {
		q.discard(e, Shutdown)
	}
	q.waiting = nil
}

// maxAttempts bounds the time of the attempts to send an item while others wait:
// the target may fail because of this item only.
const maxAttempts = time.Hour

// errExpired ends the attempts to send an item, which is dropped.
var errExpired = errors.New("the attempts to send a profile failed for an hour")

// errStop ends the attempts to send an item, which stays in the queue.
var errStop = errors.New("no further attempt")

// next sends the oldest item, and calls failed after a failure that is not final.
// It reports whether it removed an item.
func (q *Queue) next(ctx context.Context, failed func(context.Context, *Item, error) error) bool {
	q.mu.Lock()
	if len(q.waiting) == 0 || ctx.Err() != nil {
		q.mu.Unlock()
		return false
	}
	e := q.waiting[0]
	q.waiting = q.waiting[1:]
	q.mu.Unlock()
	item, err := q.store.get(e)
	if err != nil {
		q.finish(e, Storage, err)
		return true
	}
	if err = q.attempt(ctx, item); !isEnd(err) {
		err = failed(ctx, item, err)
	}
	var warning *Warning
	switch {
	case err == nil:
		q.finish(e, "", nil)
	case errors.As(err, &warning):
		q.warn(warning)
		q.finish(e, "", nil)
	case isFinal(err):
		q.finish(e, Refused, err)
	case errors.Is(err, errExpired):
		q.finish(e, Expired, err)
	default: // ctx has ended, or the attempts shall end
		q.mu.Lock()
		defer q.mu.Unlock()
		q.waiting = append([]entry{e}, q.waiting...)
		return false
	}
	return true
}

// attempt sends an item once.
func (q *Queue) attempt(ctx context.Context, item *Item) error {
	err := q.target.Send(ctx, item)
	if !isEnd(err) {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.stats.Failures++
		q.stats.LastError = err
	}
	return err
}

// retry repeats the attempts after the error of the first one, until the target accepts
// or refuses the item, the item expires, or ctx ends.
func (q *Queue) retry(ctx context.Context, item *Item, err error) error {
	pause, begun := q.opt.MinBackoff, time.Now()
	for {
		wait := pause/2 + rand.N(pause/2+1)
		var refused *StatusError
		if errors.As(err, &refused) {
			wait = max(wait, refused.RetryAfter)
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return errStop
		}
		if err = q.attempt(ctx, item); isEnd(err) {
			return err
		}
		if time.Since(begun) >= maxAttempts && q.Stats().Waiting > 0 {
			return fmt.Errorf("%w: %w", errExpired, err)
		}
		pause = min(2*pause, q.opt.MaxBackoff)
	}
}

// isFinal reports whether an item cannot be sent.
func isFinal(err error) bool {
	var refused *StatusError
	return errors.Is(err, ErrFinal) || errors.As(err, &refused) && refused.Final()
}

// isEnd reports whether the target has accepted an item or cannot.
func isEnd(err error) bool {
	var warning *Warning
	return err == nil || errors.As(err, &warning) || isFinal(err)
}

// warn counts a warning.
func (q *Queue) warn(w *Warning) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stats.Warnings++
	q.stats.Warning = w.Text
}

// finish removes an item that was sent or is dropped for a reason.
func (q *Queue) finish(e entry, reason string, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.stats.LastError = err
	if reason != "" {
		q.discard(e, reason)
		return
	}
	q.bytes -= e.size
	q.store.remove(e)
	q.stats.Sent++
	q.stats.LastSent = time.Now()
}
