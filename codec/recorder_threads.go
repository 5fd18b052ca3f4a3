package codec

// removal is a thread that RemoveThread has ended.
type removal struct {
	p        *producer
	position uint64 // the number of events that were accepted before
	cost     int64  // of its row (v6)
}

// DefineThread is like that of Writer. It does not wait for the destination.
func (r *Recorder) DefineThread(t *Thread) (uint64, error) { return r.defineThread(t, false) }

// AddThread is like that of Writer. It does not wait for the destination.
func (r *Recorder) AddThread(t *Thread) (uint64, error) { return r.defineThread(t, true) }

func (r *Recorder) defineThread(t *Thread, another bool) (uint64, error) {
	r.mustBeMade()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.ended(); err != nil {
		return 0, err
	}
	index, d, err := r.w.catalog.defineThread(t, another)
	if err == nil && d.thread != nil {
		r.defined = append(r.defined, d)
		r.addProducer(&producer{id: index})
	}
	return index, err
}

// RemoveThread is like that of Writer: it ends a thread after the events that are
// already accepted. In v6 Record refuses later events that refer to it, and an undefined
// index is ErrUndefined. It does not wait for the destination; the memory of
// the thread is released when its events are written.
func (r *Recorder) RemoveThread(id uint64) error {
	r.mustBeMade()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.ended(); err != nil {
		return err
	}
	p := r.threads.get(id)
	indexed := r.w.enc.to.indexed
	switch {
	case p == nil && indexed:
		return undefinedThread(id)
	case p == nil || p.removed:
		return nil
	}
	p.removed, p.position = true, r.taken+uint64(r.count)
	if indexed {
		r.threads.remove(id)
		r.w.catalog.renameThread(id)
	}
	r.removals = append(r.removals, removal{p: p, position: p.position})
	select {
	case r.wake <- struct{}{}:
	default:
	}
	return nil
}

// Drop is like that of Writer: it records n lost events of a capture thread, which
// Dropped counts too. It does not wait for the destination.
func (r *Recorder) Drop(captureThread uint64, n uint32) error {
	r.mustBeMade()
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.ended(); err != nil {
		return err
	}
	p := r.producer(captureThread)
	if p == nil && r.w.enc.to.indexed {
		return undefinedThread(captureThread)
	}
	if p == nil {
		return &LimitError{Name: "Threads", Size: int64(len(r.known)) + 1, Limit: readerLimits.Threads}
	}
	if lost := int64(p.sequence-p.accepted) + int64(n); lost > maxStep-1 {
		return &LimitError{Name: "Dropped events", Size: lost, Limit: maxStep - 1}
	}
	p.sequence += n
	r.dropped += uint64(n)
	return nil
}

// findDue finds the threads to remove: all events that were accepted before are
// written, since none waits for a sequence point.
func (r *Recorder) findDue() {
	c := &r.cut
	n := 0
	for ; !c.open && n < len(r.removals) && r.removals[n].position <= r.taken; n++ {
		one := r.removals[n]
		if !one.p.removed || one.p.position != one.position {
			continue // v4 and v5: it had events after this call
		}
		one.p.removed = false
		if r.w.enc.to.indexed {
			one.cost = r.w.catalog.forgetThread(one.p.id)
		} else {
			r.threads.remove(one.p.id)
		}
		last := r.known[len(r.known)-1]
		r.known[one.p.at], last.at = last, one.p.at
		r.known = r.known[:len(r.known)-1]
		c.due = append(c.due, one)
	}
	if r.removals = r.removals[n:]; len(r.removals) == 0 {
		r.removals = nil
	}
}

// dropRest records the events that were lost after the last one of a thread.
func (r *Recorder) dropRest(p *producer, c *captured) error {
	if c.removed { // v4 and v5: no event since; the numbers go on
		c.shift = c.sequence
	}
	if last := p.sequence + c.shift; last != c.sequence {
		return r.w.Drop(p.id, last-c.sequence)
	}
	return nil
}

// removeDue writes that threads have ended, after the number of their lost events.
func (r *Recorder) removeDue() error {
	due := r.cut.due
	r.cut.due = due[:0]
	for i := range due {
		one := &due[i]
		c, err := r.w.thread(one.p.id)
		if err == nil {
			err = r.dropRest(one.p, c)
		}
		switch {
		case err == nil && !r.w.enc.to.indexed:
			err = r.w.RemoveThread(one.p.id)
		case err == nil && i == 0: // the rows and events of all
			err = r.w.Flush()
		}
		if err == nil && r.w.enc.to.indexed {
			err = r.w.removeRow(c, one.cost)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
