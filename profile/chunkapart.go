package profile

import "github.com/nettrace-go/nettrace/codec"

// Most samples need no step. What the builder does with a sample depends on the chunks before
// only through the round of the sampler. If a suspension of the chunk began the round, and the
// thread has no sample in it yet, the sample belongs to that round. Such samples are kept
// separate, and the builder adds those of a thread together. The first sample of a thread and
// that of a stack without a number need a step: threads and stacks are numbered in file order.

// apartSample is a sample without a step.
type apartSample struct {
	ticks   uint64
	stack   uint32 // number in numberedStacks
	round   uint32 // position in chunk.rounds
	managed bool
}

// chunkSampler is the capture thread that logs the samples of a chunk.
type chunkSampler struct {
	capture uint64
	row     *codec.Thread // in v6
	known   bool          // it has logged a sample
	open    bool          // a suspension of the chunk began its round
	step    uint32        // position of that suspension in steps
	round   uint32        // position of the round in chunk.rounds plus one; 0: it has no samples that are kept separate
}

// keepApart keeps a sample separate. It returns false for a sample that needs a step. fresh
// reports that its stack has no number in the chunks before.
func (c *chunkReader) keepApart(ev *codec.Event, s apartSample, fresh bool) bool {
	at, in := c.originOf(ev), &c.sampler
	if !in.known {
		*in = chunkSampler{capture: ev.CaptureThreadIndex, row: ev.CaptureThread(), known: true}
	}
	if in.capture != ev.CaptureThreadIndex {
		c.mix()
	}
	if c.mixed {
		return false
	}
	o := &c.origins[at]
	again := o.round == in.step+1
	if !in.open || again || fresh || !o.sampled {
		c.endApart(at)
		in.open = in.open && !again // another sample of the thread begins a round
		if o.sampled = true; in.open {
			o.round = in.step + 1
		}
		return false
	}
	if in.round == 0 {
		c.rounds = append(c.rounds, 0)
		in.round = uint32(len(c.rounds))
		c.steps[in.step].of = in.round
	}
	s.round = in.round - 1
	o.round = in.step + 1
	if n := len(c.free); o.samples == nil && n > 0 {
		o.samples, c.free = c.free[n-1], c.free[:n-1]
	}
	o.samples = append(o.samples, s)
	c.apart++
	return true
}

// suspended notes the suspension of the next step, which begins a round of the sampler if it is
// not by the garbage collector.
func (c *chunkReader) suspended(ev *codec.Event, begins bool) {
	if in := &c.sampler; in.known && in.capture == ev.CaptureThreadIndex {
		in.open, in.step, in.round = begins, uint32(len(c.steps)), 0
	}
}

// mix makes steps of all samples that follow in the chunk: there are several samplers, or a
// thread has several rows.
func (c *chunkReader) mix() {
	if !c.mixed {
		c.endAllApart()
		c.mixed = true
	}
}

// endApart makes the step that adds the samples of an origin kept separate up to here.
func (c *chunkReader) endApart(origin uint32) {
	if o := &c.origins[origin]; o.ended < len(o.samples) {
		o.ended = len(o.samples)
		c.steps = append(c.steps, step{do: stepApart, origin: origin, of: uint32(o.ended)})
	}
}

// endAllApart is endApart for all origins.
func (c *chunkReader) endAllApart() {
	for i := range c.origins {
		c.endApart(uint32(i))
	}
}

// beginRound notes the round of samples that are kept separate, which a suspension has just
// begun. If it has not, one goroutine reads the file again.
func (b *builder) beginRound(c *chunk, s *step, capture uint64) {
	in := b.captures.find(capture)
	if in.self || !in.sampler {
		b.alone = true
		return
	}
	c.rounds[s.of-1] = in.round
	b.countRound(in)
}

// addApart adds samples of an origin that were kept separate, up to one.
func (b *builder) addApart(c *chunk, from *chunkOrigin, end int) {
	ids, rows := c.stacks.of.ids, b.p.records[Wall].on(from.at-1)
	for i := range from.samples[from.added:end] {
		s := &from.samples[from.added+i]
		*from.last = c.rounds[s.round]
		r := record{ticks: s.ticks, until: uint64(*from.last), stack: ids[s.stack] - 1}
		if s.managed {
			r.detail = managedBit
		}
		rows.addWith(r, &b.spare.records)
	}
	from.added = end
}
