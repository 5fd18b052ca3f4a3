package profile

import (
	"cmp"
	"slices"
	"sort"
)

// Repair continues stacks that the runtime truncated. Every distinct stack of the
// sample profiler is evidence, at each of its positions and for each context
// length: rootward of these frames is that frame, or the root. Stacks with the
// maximum number of frames are truncated: they are evidence for their inner
// positions and for no root. A truncated stack grows at its root end frame by
// frame. The longest context with a sighting decides: if all its sightings agree,
// or else if the nearest ones before and after on the thread do. Otherwise the
// stack stays truncated.

// contextLengths are the lengths of context that are looked for.
var contextLengths = [...]int{64, 48, 32, 24, 16, 12, 8, 6, 4, 3}

const (
	longestContext = 64
	maxAdded       = 600
)

// contextLength is the greatest of contextLengths that is not above n, 0 for
// none.
func contextLength(n int) int {
	for _, k := range contextLengths {
		if k <= n {
			return k
		}
	}
	return 0
}

// What can follow a frame instead of another frame.
const (
	root     = ^FrameID(0) // the last frame of a complete stack
	conflict = ^FrameID(1) // sightings do not agree
	unknown  = ^FrameID(2) // there are none
)

// truncatedSample is a sample with a truncated stack.
type truncatedSample struct {
	row    *record
	thread int
	stack  StackID
}

// repairer continues the truncated stacks of a Profile.
type repairer struct {
	p      *Profile
	index  sightings
	work   int64      // steps that are left
	frames int64      // that may be made
	room   []sighting // of the continuation before
	follow []ends     // by stack, the frames after the context; scratch of split
	cut    map[StackID]StackID
	done   []truncatedSample  // with the stacks they get; the others must not see them before the end
	solved map[string]*ending // by context, for decisions without time
	key    []byte
}

// ends are the frames after the sightings of one stack nearest to the leaf and
// nearest to the root. In recursion they differ. This is intended: the last one
// belongs to the time before, the first one to the time after, and as they do not
// agree, repair guesses nothing.
type ends struct{ first, last FrameID }

var neither = ends{unknown, unknown}

// repair continues the stacks of all truncated samples.
func (p *Profile) repair(limits *Limits) {
	samples := p.truncatedSamples()
	if len(samples) == 0 {
		return
	}
	r := &repairer{
		p: p, work: limits.Repair, frames: limits.Frames, cut: map[StackID]StackID{}, solved: map[string]*ending{},
		follow: slices.Repeat([]ends{neither}, len(p.stacks.stacks)),
	}
	r.index.build(p)
	samples = slices.DeleteFunc(samples, func(s truncatedSample) bool {
		cut := p.stacks.isCutByKernel(s.stack)
		if cut {
			r.mark([]truncatedSample{s}, frameCutByKernel)
		}
		return cut
	})
	for len(samples) > 0 {
		n := 1
		for n < len(samples) && p.compareContexts(samples[0].stack, samples[n].stack) == 0 {
			n++
		}
		c := &continuation{context: slices.Clone(window(p.stacks.get(samples[0].stack))), at: r.room[:0]}
		c.start, c.mark = len(c.context), len(c.context)
		r.continueToRoot(samples[:n], c)
		r.room = c.at
		samples = samples[n:]
	}
	for _, s := range r.done {
		s.row.stack = s.stack
	}
}

// truncatedSamples finds the samples with truncated stacks, sorted by the context
// at the root end, then by stack.
func (p *Profile) truncatedSamples() []truncatedSample {
	var samples []truncatedSample
	for t := range p.records {
		found := make([][]truncatedSample, len(p.records[t]))
		divide(p.workers, len(found), func(_, thread int) {
			for _, r := range p.records[t].of(thread).all() {
				if p.stacks.isTruncated(r.stack) {
					found[thread] = append(found[thread], truncatedSample{r, thread, r.stack})
				}
			}
		})
		samples = append(samples, slices.Concat(found...)...)
	}
	if p.causality != nil {
		for i := range p.causality.events {
			if e := &p.causality.events[i]; p.stacks.isTruncated(e.row.stack) {
				samples = append(samples, truncatedSample{&e.row, int(e.thread), e.row.stack})
			}
		}
	}
	slices.SortStableFunc(samples, func(a, b truncatedSample) int {
		if a.stack == b.stack {
			return 0
		}
		return cmp.Or(p.compareContexts(a.stack, b.stack), cmp.Compare(a.stack, b.stack))
	})
	return samples
}

// compareContexts orders stacks by the frames at their root ends that repair
// uses.
func (p *Profile) compareContexts(a, b StackID) int {
	x, y := p.stacks.get(a), p.stacks.get(b)
	return slices.Compare(window(x), window(y))
}

// split lets each sample choose by time if the sightings of context k do not
// agree, and continues with the samples that made the same choice.
func (r *repairer) split(samples []truncatedSample, c *continuation, k int) {
	for i := range c.at {
		s := &c.at[i]
		if int(s.match) < k {
			continue
		}
		f := r.index.follows(s)
		if e := &r.follow[s.stack]; *e == neither {
			*e = ends{f, f}
		} else {
			e.last = f
		}
	}
	choices := make([]choice, len(samples))
	for i, s := range samples {
		choices[i] = choice{r.byTime(&s), s}
	}
	for i := range c.at {
		r.follow[c.at[i].stack] = neither
	}
	c.evidence.ByTime++
	slices.SortStableFunc(choices, func(a, b choice) int { return cmp.Compare(a.next, b.next) })
	for len(choices) > 0 {
		next := choices[0].next
		var agreeing []truncatedSample
		for len(choices) > 0 && choices[0].next == next {
			agreeing, choices = append(agreeing, choices[0].sample), choices[1:]
		}
		r.choose(agreeing, c, next)
	}
}

// choice is the next frame of a sample.
type choice struct {
	next   FrameID
	sample truncatedSample
}

// choose continues with samples that chose a frame by time.
func (r *repairer) choose(samples []truncatedSample, c *continuation, next FrameID) {
	switch next {
	case unknown:
		r.leave(samples)
	case root:
		r.finish(samples, c)
	default:
		own := *c
		own.at, own.context = slices.Clone(c.at), slices.Clone(c.context)
		r.advance(&own, next)
		r.continueToRoot(samples, &own)
	}
}

// byTime returns what followed in the last sighting before a sample and in the
// first one at or after it, on its thread, if both exist and agree; otherwise
// unknown.
func (r *repairer) byTime(s *truncatedSample) FrameID {
	if r.work <= 0 {
		return unknown
	}
	rows := r.p.records[Wall].of(s.thread)
	here := sort.Search(rows.count, func(i int) bool { return rows.at(i).ticks >= s.row.ticks })
	before, after := here-1, here
	for before >= 0 && r.follow[rows.at(before).stack] == neither {
		before--
	}
	for after < rows.count && r.follow[rows.at(after).stack] == neither {
		after++
	}
	r.work -= int64(after - before)
	if before < 0 || after == rows.count {
		return unknown
	}
	if next := r.follow[rows.at(after).stack].first; next == r.follow[rows.at(before).stack].last {
		return next
	}
	return unknown
}

// finish gives samples their complete stacks.
func (r *repairer) finish(samples []truncatedSample, c *continuation) {
	added := c.added()
	c.evidence.Added = len(added)
	how := madeStack{Repaired, c.evidence}
	var made StackID
	for i, s := range samples {
		if i == 0 || s.stack != samples[i-1].stack {
			frames := r.p.stacks.get(s.stack)
			if r.frames -= int64(len(frames) + len(added)); r.frames < 0 {
				r.p.Repaired.Skipped += int64(len(samples) - i)
				r.leave(samples[i:])
				return
			}
			made = r.p.stacks.make(slices.Concat(frames, added), how)
		}
		r.done = append(r.done, truncatedSample{s.row, s.thread, made})
	}
}

// leave puts samples below the frame that marks a truncated stack.
func (r *repairer) leave(samples []truncatedSample) { r.mark(samples, frameTruncated) }

// mark puts samples below a frame.
func (r *repairer) mark(samples []truncatedSample, as FrameID) {
	for _, s := range samples {
		made, ok := r.cut[s.stack]
		if !ok {
			made = r.p.stacks.make(slices.Concat(r.p.stacks.get(s.stack), []FrameID{as}), madeStack{status: Truncated})
			r.cut[s.stack] = made
		}
		r.done = append(r.done, truncatedSample{s.row, s.thread, made})
	}
}
