package profile

import "github.com/nettrace-go/nettrace/model"

// addChunk adds the events of a chunk, after those before it in the file. It returns false
// if a limit is exceeded.
func (b *builder) addChunk(c *chunk) bool {
	if c.apart > 0 && !b.hold(int64(c.apart)) {
		return false
	}
	b.spare.take(&c.spare, len(b.p.threads.rows))
	n := &c.stacks
	n.of.ids = append(n.of.ids, make([]StackID, int(n.first)+len(n.list)-len(n.of.ids))...)
	for i := range c.steps {
		s := &c.steps[i]
		from := &c.origins[s.origin]
		if s.do == stepApart {
			b.addApart(c, from, int(s.of))
			continue
		}
		if b.tasks != nil && b.captures.counted {
			b.tasks.seeStep(b, s, from)
		}
		b.numberStep(from.capture, s)
		if s.do == stepEvent {
			c.handlers[s.of](b, c.events.At(int(s.of)))
		} else {
			b.step(c, s, from)
		}
		if b.full != "" || b.alone {
			return false
		}
	}
	if c.points {
		b.captures.reached = append(b.captures.reached[:0], c.reached...)
	}
	b.recording.Join(&c.recording)
	return true
}

// numberStep is number for a step.
func (b *builder) numberStep(thread uint64, s *step) {
	if !s.follows {
		b.number(thread, s.sequence)
	} else if c := b.captures.find(thread); c != nil {
		c.sequence = s.sequence
	}
}

// step does what event does with an event of which a chunk has only a step.
func (b *builder) step(c *chunk, s *step, from *chunkOrigin) {
	switch s.do {
	case stepNames:
		for range s.of {
			b.p.names.table.AddNext(&c.names)
		}
	case stepSample:
		r := record{ticks: s.ticks, stack: b.numbered(&c.stacks, s.of)}
		if s.managed {
			r.detail = managedBit
		}
		thread := b.threadOf(from)
		in := b.sampler(&from.origin, s.sequence)
		if from.last == nil || from.sampler != in {
			from.sampler, from.last = in, b.lastRound(in, thread)
		}
		b.sample(in, from.last, thread, r)
	case stepKept:
		k := &c.kept[s.of]
		b.detail = detail{activity: b.activityPair(k.activities), label: b.nextLabel()}
		thread := b.threadOf(from)
		b.keep(k.of, thread, record{ticks: s.ticks, until: s.ticks, stack: b.numbered(&c.stacks, k.stack)}, k.value, k.count)
		if k.of == Alloc {
			b.allocations[byTick]++
		}
	case stepSuspended:
		if b.kept[Wall] {
			b.suspended(&from.origin, s.ticks, s.sequence)
			if s.of > 0 {
				b.beginRound(c, s, from.capture)
			}
		}
		if b.kept[GC] {
			thread := b.threadOf(from)
			b.suspending.Begin(thread, model.Suspension{Process: b.p.threads.rows[thread].ProcessID, From: s.ticks})
		}
	case stepRestarted:
		if b.pausing() {
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
