package codec

import "time"

// cut is a sequence point that is due. Events up to its time are written; newer
// ones wait until the point is written, because older ones may still be recorded.
type cut struct {
	open    bool
	at      uint64    // ticks
	since   time.Time // when the point became due
	overdue *time.Timer
	waiting []*queued
	batch   []*queued // scratch of take
	spent   []*queued // written events, to be released
	due     []removal // scratch of take: threads whose events are all written
}

// maxTaken is the number of events that are read from the queue at once.
const maxTaken = 256

// run writes the recorded events until Close, or until the destination fails.
func (r *Recorder) run() {
	defer close(r.done)
	var tick <-chan time.Time
	if r.opt.FlushEvery > 0 {
		t := time.NewTicker(r.opt.FlushEvery)
		defer t.Stop()
		tick = t.C
	}
	r.cut.overdue = time.NewTimer(time.Hour)
	defer r.cut.overdue.Stop()
	for err := r.Err(); ; {
		closing := false
		if err == nil {
			select {
			case <-r.wake:
				err = r.drain(false)
			case <-r.cut.overdue.C:
				err = r.drain(false)
			case <-tick:
				if err = r.drain(false); err == nil {
					err = r.w.Flush()
				}
			case <-r.stop:
				closing = true
				err = r.end()
			}
		}
		if err != nil {
			r.fail(err)
		}
		if err != nil || closing {
			return
		}
	}
}

// fail ends the recording: accepted events that did not reach the destination are
// lost.
func (r *Recorder) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = err
	r.failed = r.accepted - r.w.saved
}

// drain writes the events in the queue, and the sequence point that is due when
// no more events can be late. With all set there is none.
func (r *Recorder) drain(all bool) error {
	for {
		batch, newest := r.take(maxTaken)
		if err := r.removeDue(); err != nil {
			return err
		}
		if err := r.writeAll(batch); err != nil {
			return err
		}
		if r.cut.open && (all && len(batch) == 0 || r.mayPlace(newest)) {
			if err := r.place(); err != nil {
				return err
			}
			continue
		}
		if len(batch) == 0 {
			return nil
		}
	}
}

// take releases the written events, passes new definitions to the Writer, finds the
// threads to remove, and returns at most n events from the queue with the newest time so far.
func (r *Recorder) take(n int) (batch []*queued, newest uint64) {
	c := &r.cut
	r.mu.Lock()
	for _, q := range c.spent {
		r.release(q)
	}
	defined := r.defined
	r.defined = nil
	r.findDue()
	n = min(n, r.count)
	c.batch = c.batch[:0]
	for range n {
		c.batch = append(c.batch, r.ready[r.head])
		if r.head++; r.head == len(r.ready) {
			r.head = 0
		}
	}
	r.count -= n
	r.taken += uint64(n)
	newest = r.newest
	r.mu.Unlock()
	c.spent = c.spent[:0]
	for i := range defined {
		r.w.define(&defined[i])
	}
	return c.batch, newest
}

func (r *Recorder) writeAll(events []*queued) error {
	for _, q := range events {
		if err := r.write(q); err != nil {
			return err
		}
	}
	return nil
}

// write writes an event, or makes it wait for the sequence point that is due.
func (r *Recorder) write(q *queued) error {
	if !r.cut.open && r.w.regionFull(&q.Record) {
		r.openCut()
	}
	if r.cut.open && q.Timestamp > r.cut.at {
		r.cut.waiting = append(r.cut.waiting, q)
		return nil
	}
	c, err := r.w.thread(q.CaptureThread)
	if err == nil {
		if c.removed {
			c.shift = 0
			if c.sequence != c.visible || q.Sequence != 1 { // a reader counts losses before and after only if the numbers go on
				c.shift = c.sequence
			}
		}
		err = r.w.put(c, &q.Record, q.Sequence+c.shift)
	}
	r.cut.spent = append(r.cut.spent, q)
	return err
}

// openCut makes a sequence point due, at the newest time so far.
func (r *Recorder) openCut() {
	c := &r.cut
	r.mu.Lock()
	c.at = r.newest
	r.mu.Unlock()
	c.open, c.since = true, time.Now()
	c.overdue.Reset(r.opt.Late)
}

// mayPlace reports whether no older events are expected any more.
func (r *Recorder) mayPlace(newest uint64) bool {
	return newest-r.cut.at >= r.late || len(r.cut.waiting) >= r.half || time.Since(r.cut.since) >= r.opt.Late
}

// place refuses older events from now on, writes those that were accepted before,
// the sequence point and the events that waited for it.
func (r *Recorder) place() error {
	c := &r.cut
	r.mu.Lock()
	r.floor = c.at
	left := r.count
	r.mu.Unlock()
	for left > 0 {
		batch, _ := r.take(min(left, maxTaken))
		left -= len(batch)
		if err := r.writeAll(batch); err != nil {
			return err
		}
	}
	r.take(0) // the definitions so far
	if err := r.w.SequencePoint(c.at); err != nil {
		return err
	}
	c.open = false
	c.overdue.Stop()
	waiting := c.waiting
	c.waiting = nil
	return r.writeAll(waiting)
}

// end writes all accepted events, counts the events that were refused after the
// last event of a thread, and ends the stream.
func (r *Recorder) end() error {
	if err := r.drain(true); err != nil {
		return err
	}
	for _, p := range r.known { // no more change after Close
		c, err := r.w.thread(p.id)
		if err == nil {
			err = r.dropRest(p, c)
		}
		if err != nil {
			return err
		}
	}
	return r.w.Close()
}
