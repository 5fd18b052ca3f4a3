package trace

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/sampling"
)

// sums are those of a chunk. They have one entry.
type sums struct {
	counts
	log       *analysis.Log
	intervals sampling.Part
}

// Condenser implements analysis.Condensing.
func (p *Part) Condenser() analysis.Condenser { return &sums{counts: counts{kinds: map[kind]*count{}}} }

// Begin implements analysis.Condenser.
func (s *sums) Begin(t *analysis.Trace, log *analysis.Log) {
	for _, of := range s.kinds {
		of.events = 0
	}
	s.counts, s.log = counts{trace: t, kinds: s.kinds}, log
	s.intervals.Reset()
}

// Handler implements analysis.Condenser.
func (s *sums) Handler(m *codec.Metadata) analysis.Handler { return s.handler(m, s.intervals.Add) }

// Lost implements analysis.Condenser.
func (s *sums) Lost(analysis.Thread) {}

// End implements analysis.Condenser.
func (s *sums) End() { s.log.Entry(0) }

// Accepts implements analysis.Condensing: the limit of threads is not reached.
func (p *Part) Accepts(c analysis.Condenser) bool { return p.intervals.Fits(&c.(*sums).intervals) }

// Apply implements analysis.Condensing.
func (p *Part) Apply(c analysis.Condenser, _ int, _ []analysis.StackID) {
	s := c.(*sums)
	for k, of := range s.kinds {
		if p.kinds[k] == nil {
			p.kinds[k] = &count{}
		}
		p.kinds[k].events += of.events
		p.kinds[k].eventCounters = p.kinds[k].eventCounters || of.eventCounters && of.events > 0
		p.kinds[k].dump = of.dump
	}
	p.events, p.stacks, p.cut, p.named = p.events+s.events, p.stacks+s.stacks, p.cut+s.cut, p.named+s.named
	p.code += s.code
	p.intervals.Join(&s.intervals)
}
