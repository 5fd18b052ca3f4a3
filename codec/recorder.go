package codec

import (
	"errors"
	"sync"
	"time"
)

// RecorderOptions are those of a Recorder. The zero value is right for most
// programs.
type RecorderOptions struct {
	// Queue is the number of events that may wait to be written. Default: 8,192.
	Queue int
	// FlushEvery is how long an event waits at most in an open block. Default:
	// 100 ms, as the .NET runtime does; -1: until the block is full.
	FlushEvery time.Duration
}

// Recorder takes events from many goroutines and writes them with one Writer,
// which belongs to it until Close. An event that finds the queue full is
// dropped; its sequence number is used up, so that readers see the gap.
type Recorder struct {
	mu    sync.Mutex // of what producers share
	last  map[uint64]uint32
	free  []*queued
	full  chan *queued
	lost  uint64
	ended bool

	writing sync.Mutex // of the Writer
	w       *Writer
	written map[uint64]uint32
	err     error

	stop, done chan struct{}
}

// queued is a Record with memory of its own.
type queued struct {
	Record
	payload []byte
	stack   []uint64
	labels  []Label
}

// NewRecorder returns a Recorder over w.
func NewRecorder(w *Writer, opt RecorderOptions) *Recorder {
	if opt.Queue <= 0 {
		opt.Queue = 8192
	}
	if opt.FlushEvery == 0 {
		opt.FlushEvery = 100 * time.Millisecond
	}
	r := &Recorder{
		w: w, last: make(map[uint64]uint32), written: make(map[uint64]uint32),
		full: make(chan *queued, opt.Queue), stop: make(chan struct{}), done: make(chan struct{}),
	}
	memory := make([]queued, opt.Queue)
	for i := range memory {
		r.free = append(r.free, &memory[i])
	}
	go r.run(opt.FlushEvery)
	return r
}

// DefineMetadata is that of the Writer.
func (r *Recorder) DefineMetadata(m *Metadata) (uint32, error) {
	r.writing.Lock()
	defer r.writing.Unlock()
	return r.w.DefineMetadata(m)
}

// DefineThread is that of the Writer.
func (r *Recorder) DefineThread(t *Thread) (uint64, error) {
	r.writing.Lock()
	defer r.writing.Unlock()
	return r.w.DefineThread(t)
}

// Record copies an event into the queue, and says whether there was room. Its
// Sequence is not looked at. Events of one capture thread must come one after
// another, in order of time. It does not wait for the Writer.
func (r *Recorder) Record(rec *Record) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return false
	}
	r.last[rec.CaptureThread]++
	n := len(r.free)
	if n == 0 {
		r.lost++
		return false
	}
	q := r.free[n-1]
	r.free = r.free[:n-1]
	q.payload = append(q.payload[:0], rec.Payload...)
	q.stack = append(q.stack[:0], rec.Stack...)
	q.labels = append(q.labels[:0], rec.Labels...)
	q.Record = *rec
	q.Payload, q.Stack, q.Labels, q.Sequence = q.payload, q.stack, q.labels, r.last[rec.CaptureThread]
	r.full <- q // has room for all there are
	return true
}

// Dropped is the number of events that found the queue full.
func (r *Recorder) Dropped() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lost
}

// Err is the first error of the Writer, or nil. Events that it refused are
// counted as lost by their numbers.
func (r *Recorder) Err() error {
	r.writing.Lock()
	defer r.writing.Unlock()
	return r.err
}

// Close writes what waits and ends the stream. It may be called again.
func (r *Recorder) Close() error {
	r.mu.Lock()
	ended := r.ended
	r.ended = true
	r.mu.Unlock()
	if !ended {
		close(r.stop)
	}
	<-r.done
	return r.Err()
}

func (r *Recorder) run(every time.Duration) {
	defer close(r.done)
	var tick <-chan time.Time
	if every > 0 {
		t := time.NewTicker(every)
		defer t.Stop()
		tick = t.C
	}
	for {
		select {
		case q := <-r.full:
			r.write(q)
		case <-tick:
			r.keep(r.locked(r.w.Flush))
		case <-r.stop:
			for len(r.full) > 0 {
				r.write(<-r.full)
			}
			r.keep(r.locked(r.end))
			return
		}
	}
}

func (r *Recorder) locked(f func() error) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	return f()
}

func (r *Recorder) keep(err error) {
	r.writing.Lock()
	defer r.writing.Unlock()
	if r.err == nil {
		r.err = err
	}
}

func (r *Recorder) write(q *queued) {
	err := r.locked(func() error {
		err := r.w.Write(&q.Record)
		if err == nil {
			r.written[q.CaptureThread] = q.Sequence
		}
		return err
	})
	r.keep(err)
	r.mu.Lock()
	r.free = append(r.free, q)
	r.mu.Unlock()
}

// end makes the last sequence point show what was dropped behind the last event
// of a thread. One that the Writer does not know cannot be told of.
func (r *Recorder) end() error {
	var unknown error
	for thread, last := range r.last {
		if n := last - r.written[thread]; n > 0 {
			if err := r.w.Drop(thread, n); err != nil {
				unknown = err
			}
		}
	}
	return errors.Join(unknown, r.w.Close())
}
