package codec

import (
	"context"
	"sync"
	"time"
)

// RecorderOptions configure a Recorder. The zero value is right for most
// programs.
type RecorderOptions struct {
	// Queue is the largest number of events in the queue. Default: 8,192. All
	// of them can be in one region: with more than 32,768 a Reader needs a
	// larger Limits.Reorder to deliver them in time order.
	Queue int
	// QueueBytes is the largest number of bytes of the payloads, stacks and labels of
	// the events in the queue. Record refuses an event that exceeds it. The memory that
	// the queue has used is released when the events are written, up to a quarter of
	// QueueBytes, which is kept for the next ones. Default: 16 MiB.
	QueueBytes int64
	// FlushEvery is the longest time that an event stays in an open block.
	// Default: 100 ms, as in the .NET runtime; -1: until the block is full.
	FlushEvery time.Duration
	// Late is the time that the Recorder waits for late events before it writes
	// a sequence point. An event that is older than the newest one by more than
	// Late can be refused then. Default: 1 s; -1: no time.
	Late time.Duration
	// Clock, if set, returns the current time in ticks of the trace. Record
	// calls it for events with Timestamp 0, one call at a time; such an event
	// is never refused as too old. It must not call the Recorder. If all events
	// take their time from it, set WriterOptions.Ordered: the blocks are then larger
	// and readers can sort while they read. Default: none; 0 is then a time like any
	// other.
	Clock func() uint64
}

// Recorder is a Writer that is safe for concurrent use. Record appends to a
// bounded queue and never waits for the destination; it reports whether the
// event was accepted. A refused event uses a sequence number of its capture
// thread, so that readers count it as lost.
//
// In a trace that was closed without an error, the number of accepted events is
// the number of events in the stream, and Dropped is what a Reader returns as
// Lost, with three exceptions that readers cannot count: refused events of a
// capture thread that is not defined, events after Close, and more than 2^31-2
// consecutive refused events of one thread.
//
// The Recorder places the sequence points: where a Writer would write one, the
// Recorder first waits for late events: those older than the newest event, see
// RecorderOptions.Late.
//
// A capture thread is a sequence of events in the order of their times, of which
// readers count the losses. The goroutines of a Go program have no ids and move between
// threads: define one thread for each long-lived source of events, such as a worker or a
// connection, or one for the whole program, and log the event with it in whatever
// goroutine runs. If goroutines share one thread, use RecorderOptions.Clock: an event whose
// time is older than that of the event before it on its thread is refused. Do not define a
// thread for each short goroutine; if threads come and go, remove them with RemoveThread.
type Recorder struct {
	w    *Writer // the catalog is guarded by mu, all else belongs to run
	opt  RecorderOptions
	late uint64 // ticks
	half int    // maximum number of events that wait for a sequence point

	mu       sync.Mutex
	threads  idTable[*producer]
	known    []*producer  // the same
	removals []removal    // in the order of the calls of RemoveThread
	free     []*queued    // of the queue
	kept     int64        // bytes of the memory of free
	bytes    int64        // of the events in the queue
	taken    uint64       // events that run has read from the ring
	ready    []*queued    // a ring: accepted and not yet read by run
	head     int          // of the ring
	count    int          // in the ring
	defined  []definition // not yet read by run
	newest   uint64       // of the accepted events
	floor    uint64       // time of the last placed sequence point
	promise  uint64       // newest time of an event with Sorted set
	accepted uint64
	dropped  uint64
	failed   uint64
	closing  bool
	err      error

	wake, stop, done chan struct{}

	cut cut // belongs to run
}

// producer is the state of a capture thread.
type producer struct {
	id       uint64
	at       int    // in Recorder.known
	removed  bool   // by RemoveThread, and not used again
	position uint64 // of the last call of RemoveThread
	sequence uint32 // last number that was used up
	accepted uint32 // last number of an accepted event
	last     uint64 // its time
}

// NewRecorder returns a Recorder that writes with w. The caller must not use w
// any more. It panics for a zero Writer.
func NewRecorder(w *Writer, opt RecorderOptions) *Recorder {
	w.mustBeMade()
	if opt.Queue <= 0 {
		opt.Queue = 8192
	}
	if opt.QueueBytes <= 0 {
		opt.QueueBytes = 16 << 20
	}
	if opt.FlushEvery == 0 {
		opt.FlushEvery = 100 * time.Millisecond
	}
	if opt.Late == 0 {
		opt.Late = time.Second
	}
	opt.Late = max(opt.Late, 0)
	clock := Trace{TickFrequency: w.opt.Trace.TickFrequency}
	r := &Recorder{
		w: w, opt: opt, late: clock.Ticks(opt.Late), half: max(opt.Queue/2, 1), err: w.Err(),
		ready: make([]*queued, opt.Queue), newest: w.last, floor: w.point, promise: w.promise,
		wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
	}
	w.keepEnds = true
	memory := make([]queued, opt.Queue)
	for i := range memory {
		r.free = append(r.free, &memory[i])
	}
	for _, c := range w.order {
		if c != nil {
			r.addProducer(&producer{id: c.id, sequence: c.sequence, accepted: c.visible, last: c.last})
		}
	}
	r.accepted = w.saved + uint64(w.events.rows+w.events.count)
	go r.run()
	return r
}

// DefineMetadata is like that of Writer. It does not wait for the destination.
func (r *Recorder) DefineMetadata(m *Metadata) (uint32, error) {
	r.mustBeMade()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.ended(); err != nil {
		return 0, err
	}
	id, d, err := r.w.catalog.defineMetadata(m)
	if err == nil && d.metadata != nil {
		r.defined = append(r.defined, d)
	}
	return id, err
}

// mustBeMade panics for the zero Recorder.
func (r *Recorder) mustBeMade() {
	if r.w == nil {
		panic("codec: a zero Recorder has no Writer: use NewRecorder")
	}
}

// ended is the error that keeps events from being recorded.
func (r *Recorder) ended() error {
	if r.err == nil && r.closing {
		return ErrClosed
	}
	return r.err
}

func (r *Recorder) addProducer(p *producer) {
	p.at = len(r.known)
	r.threads.set(p.id, p)
	r.known = append(r.known, p)
}

// Record copies an event into the queue and reports whether it was accepted. It
// ignores Sequence. Record refuses an event if the queue is full, by its number of events
// or its bytes, if its time
// is before the last event of its capture thread or the last sequence point, if
// Write would refuse it, after an error of the destination, and after Close.
// Events of one capture thread are written in the order of the calls.
func (r *Recorder) Record(rec *Record) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.accept(rec) {
		r.dropped++
		return false
	}
	return true
}

func (r *Recorder) accept(rec *Record) bool {
	if r.ended() != nil {
		return false
	}
	p := r.producer(rec.CaptureThread)
	if p == nil {
		return false
	}
	ok := r.acceptOn(p, rec)
	if ok || p.sequence-p.accepted < maxStep-1 {
		p.sequence++
	}
	if ok {
		p.accepted = p.sequence
	}
	return ok
}

// acceptOn is accept for an event of a thread, which gets the next number.
func (r *Recorder) acceptOn(p *producer, rec *Record) bool {
	n := len(r.free)
	size := queuedSize(rec)
	if n == 0 || size > r.opt.QueueBytes-r.bytes || !r.mayRefer(rec) {
		return false
	}
	floor := max(p.last, r.floor, r.promise)
	if r.w.opt.Ordered {
		floor = max(floor, r.newest)
	}
	ticks := rec.Timestamp
	if ticks == 0 && r.opt.Clock != nil {
		ticks = max(r.opt.Clock(), floor)
	}
	if ticks < floor {
		return false
	}
	q := r.free[n-1]
	r.free = r.free[:n-1]
	r.kept -= q.memory()
	r.bytes += size
	q.fill(rec)
	q.Timestamp, q.Sequence, p.last = ticks, p.sequence+1, ticks
	if r.newest = max(r.newest, ticks); rec.Sorted {
		r.promise = max(r.promise, ticks)
	}
	r.accepted++
	r.enqueue(q)
	return true
}

// producer finds a capture thread, nil when it is not defined.
func (r *Recorder) producer(id uint64) *producer {
	p := r.threads.get(id)
	if p == nil {
		r.mustBeMade() // the zero Recorder fails here: it has no threads
	}
	if p == nil && !r.w.enc.to.indexed && (int64(len(r.known)) < readerLimits.Threads || r.w.opt.PassOn) {
		p = &producer{id: id}
		r.addProducer(p)
	}
	if p != nil {
		p.removed = false // v4 and v5: an event with the id of a removed thread
	}
	return p
}

// mayRefer reports whether Write would accept a record, without its time.
func (r *Recorder) mayRefer(rec *Record) bool {
	if rec.Thread != rec.CaptureThread && r.w.enc.to.indexed && r.threads.get(rec.Thread) == nil {
		return false
	}
	return r.w.catalog.check(rec) == nil
}

// enqueue appends to the ring, which has space for all existing events.
func (r *Recorder) enqueue(q *queued) {
	i := r.head + r.count
	if i >= len(r.ready) {
		i -= len(r.ready)
	}
	r.ready[i] = q
	if r.count++; r.count > 1 {
		return
	}
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// Dropped returns the number of events that Record refused.
func (r *Recorder) Dropped() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.dropped
}

// Failed returns the number of events that Record accepted and that are not in
// the stream because the destination failed. It is 0 before that.
func (r *Recorder) Failed() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

// Err returns the error of the destination, or nil. It does not wait for the
// destination.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Close writes the pending events and ends the stream. It returns the error of
// the destination. If ctx ends first, Close returns the error of ctx, and the
// pending events are written as soon as the destination allows; a later call of
// Close waits for that.
func (r *Recorder) Close(ctx context.Context) error {
	r.mustBeMade()
	r.mu.Lock()
	first := !r.closing
	r.closing = true
	r.mu.Unlock()
	if first {
		close(r.stop)
	}
	select {
	case <-r.done:
		return r.Err()
	default:
	}
	select {
	case <-r.done:
		return r.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}
