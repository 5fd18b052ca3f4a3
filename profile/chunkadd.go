package profile

// addChunk adds the events of a chunk, after those before it in the file. It returns false
// if a limit is exceeded.
func (b *builder) addChunk(c *chunk) bool {
	n := &c.stacks
	n.of.ids = append(n.of.ids, make([]StackID, int(n.first)+len(n.list)-len(n.of.ids))...)
	events := c.events
	for i := range c.steps {
		s := &c.steps[i]
		from := &c.origins[s.origin]
		if b.tasks != nil && b.captures.counted {
			b.tasks.seeStep(b, s, from)
		}
		if s.do == stepEvent {
			b.event(events[0])
			events = events[1:]
		} else {
			b.number(from.capture, s.sequence)
			b.recording.Add(s.ticks, s.class)
			b.step(c, s, from)
		}
		if b.full != "" {
			return false
		}
	}
	return true
}

// step does what event does with an event of which a chunk has only a step.
func (b *builder) step(c *chunk, s *step, from *chunkOrigin) {
	switch s.do {
	case stepNames:
		b.p.names.table.AddNext(&c.names)
	case stepSample:
		r := record{ticks: s.ticks, until: s.ticks, stack: b.numbered(&c.stacks, s.stack)}
		if s.managed {
			r.detail = managedBit
		}
		thread := b.threadOf(from)
		b.sample(&from.origin, s.sequence, thread, r)
	case stepSuspended:
		if b.kept[Wall] {
			b.suspended(&from.origin, s.ticks, s.sequence)
		}
		if b.kept[GC] {
			b.forgetPause(b.threadOf(from))
		}
	case stepRestarted:
		if len(b.waits) > 0 {
			b.endPause(b.threadOf(from), s.ticks)
		}
	case stepPoolThread:
		b.p.threads.name(b.threadOf(from), workerThread)
	}
}

// threadOf finds the thread that the events of an origin are about.
func (b *builder) threadOf(from *chunkOrigin) uint32 {
	if from.at == 0 {
		from.at = b.p.threads.find(from.key) + 1
	}
	b.p.threads.rename(from.at-1, from.row)
	b.boundThreads()
	return from.at - 1
}

// seeStep is see for a step.
func (l *taskLog) seeStep(b *builder, s *step, from *chunkOrigin) {
	last := l.last(b, from.capture, s.sequence)
	if from.capture == from.thread {
		last.thread = b.threadOf(from)
	}
	l.number(b, last, s.ticks, s.sequence)
}
