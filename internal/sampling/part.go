package sampling

import "github.com/nettrace-go/nettrace/codec"

// Part has the intervals of a part of a trace, which Intervals add after the parts before
// it. The zero value is ready to use.
type Part struct {
	samples int64
	threads map[uint64]*span
	steps   []uint16 // of the intervals
}

// span is the first and the last sample of a thread, in ticks.
type span struct{ first, last uint64 }

// Reset removes all samples and keeps the memory.
func (p *Part) Reset() {
	clear(p.threads)
	p.samples, p.steps = 0, p.steps[:0]
}

// Add adds a sample of a thread.
func (p *Part) Add(e *codec.Event) {
	p.samples++
	s := p.threads[e.ThreadIndex]
	if s == nil {
		if p.threads == nil {
			p.threads = map[uint64]*span{}
		}
		p.threads[e.ThreadIndex] = &span{e.Timestamp, e.Timestamp}
		return
	}
	if e.Timestamp > s.last {
		p.steps = append(p.steps, uint16(intervalStep(e.Timestamp-s.last)))
	}
	s.last = e.Timestamp
}

// Fits reports whether all threads of a part can be measured.
func (s *Intervals) Fits(p *Part) bool {
	return s.Limit <= 0 || int64(len(s.last)+len(p.threads)) <= s.Limit
}

// Join adds a part that fits.
func (s *Intervals) Join(p *Part) {
	if s.last == nil {
		s.last = map[uint64]uint64{}
	}
	s.Samples += p.samples
	for thread, of := range p.threads {
		if last, ok := s.last[thread]; ok && of.first > last {
			s.counts[intervalStep(of.first-last)]++
			s.count++
		}
		s.last[thread] = of.last
	}
	for _, step := range p.steps {
		s.counts[step]++
	}
	s.count += int64(len(p.steps))
}
