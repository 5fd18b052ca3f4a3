package codec

import (
	"io"
	"iter"
)

// Reader reads the events of one NetTrace stream of any version from 3 to 6, in
// the order of Options.Order. A BlockReader reads a stream by its blocks. A
// Reader is for one goroutine. The zero value is not ready for use: see
// NewReader.
type Reader struct {
	stream
	events []*Event // events[i] is &batch[i]
	loop   int      // position in batch of a loop over Events that runs, for which next is ready; or noLoop
	region region
}

// NewReader returns a Reader that reads src. It reads nothing before the first
// call that needs it. It does not read ahead: it delivers the events of a block as
// soon as the bytes of the block have arrived.
func NewReader(src io.Reader, opt Options) *Reader {
	r := newReader(opt)
	r.Reset(src)
	return r
}

// NewBytesReader returns a Reader of a stream in memory. It reads b in place
// and never writes to it; b must not change while the Reader is in use.
func NewBytesReader(b []byte, opt Options) *Reader {
	r := newReader(opt)
	r.ResetBytes(b)
	return r
}

func newReader(opt Options) *Reader {
	r := &Reader{loop: noLoop}
	r.init(opt, r)
	r.events = make([]*Event, len(r.batch))
	for i := range r.batch {
		r.events[i] = &r.batch[i]
	}
	return r
}

// Reset makes the Reader read src from its start, with the same options. It
// keeps its memory, so that reading a stream with the same tables needs almost
// no allocation. It panics inside a loop over Events.
func (r *Reader) Reset(src io.Reader) {
	r.outsideLoop("Reset")
	r.reset()
	r.raw.ResetStream(src, r.limits.Block)
}

// ResetBytes is Reset for a stream in memory, see NewBytesReader.
func (r *Reader) ResetBytes(b []byte) {
	r.outsideLoop("ResetBytes")
	r.reset()
	r.raw.ResetMemory(b, r.limits.Block)
}

func (r *Reader) reset() {
	r.loop = noLoop
	r.region.reset()
	r.region.closeSource()
	r.recycle()
	r.stream.reset()
}

// Events iterates over the events that have not been delivered yet, in the
// order of Options.Order. The loop yields an error last, with a nil event; the
// end of the stream is no error. After a break the Reader continues with the
// next event.
//
// Inside the loop's body Events, Next, Reset and ResetBytes panic. They also panic
// after a panic in the body: the Reader cannot be used again.
func (r *Reader) Events() iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		for {
			events, err := r.enterLoop()
			// One call serves events and the error, because the compiler puts a large
			// loop body in place of a call only when it is the only one.
			for _, e := range events {
				r.loop++
				if !yield(e, err) {
					r.leaveLoop()
					return
				}
			}
			if r.leaveLoop(); err != nil || len(events) == 0 {
				return
			}
		}
	}
}

// noLoop is Reader.loop outside of a loop over Events.
const noLoop = -2

// enterLoop returns the events that a loop over Events yields next, or one nil
// event with the error that ends the loop. In strict mode it returns one event at
// a time, because asking for its fields may end the reading.
func (r *Reader) enterLoop() ([]*Event, error) {
	r.outsideLoop("Events")
	for r.next >= r.ready {
		if r.refill() {
			continue
		}
		if err := r.Err(); err != nil {
			r.loop = -1
			return []*Event{nil}, err
		}
		return nil, nil
	}
	events := r.events[r.next:r.ready]
	if r.opt.Strict {
		events = events[:1]
	}
	r.loop, r.next = r.next, r.ready // so that Next finds no event, and looks
	return events, nil
}

// leaveLoop makes the event after the last yielded one the next.
func (r *Reader) leaveLoop() {
	if r.loop != noLoop {
		r.next, r.loop = r.loop, noLoop
	}
}

// outsideLoop panics inside a loop over Events, and for the zero Reader.
func (r *Reader) outsideLoop(method string) {
	if r.loop != noLoop {
		r.mustBeMade("Reader")
		panic("codec: Reader." + method + " called inside a loop over Reader.Events")
	}
}

// Next returns the next event in the order of Options.Order, or false if there
// is none: Err returns the reason. It panics inside a loop over Events.
func (r *Reader) Next() (*Event, bool) {
	if r.next >= r.ready && !r.follow() {
		return nil, false
	}
	r.next++
	return &r.batch[r.next-1], true
}

// follow is refill for Next, which must not run inside a loop over Events.
func (r *Reader) follow() bool {
	r.outsideLoop("Next")
	return r.refill()
}

// OutOfOrder returns the number of events that were delivered after a newer one
// with ByTime: the stream has a wrong sorted flag or sequence point, or
// Limits.Reorder was exceeded. It also compares events before and after a
// sequence point.
func (r *Reader) OutOfOrder() int64 { return r.region.late }

// byTime reports whether events are put in order.
func (r *Reader) byTime() bool {
	if r.opt.Order != ByTime {
		return false
	}
	r.Trace()
	return r.dialect != nil && r.dialect.sequenced
}

// refill makes next < ready.
func (r *Reader) refill() bool {
	if r.byTime() {
		return r.refillByTime()
	}
	return r.stream.refill(true)
}

// OnSequencePoint makes the Reader call f for each sequence point when it reads
// it: after the events before the point have been decoded (Count), and before
// the point ends threads. With ByTime those events may not have been delivered
// yet. The point is valid during the call. A nil f removes the function.
func (r *Reader) OnSequencePoint(f func(*SequencePoint)) { r.onPoint = f }
