package metrics

import (
	"time"

	"github.com/nettrace-go/nettrace/codec/clr/counters"
)

// group has the series of an EventSource, or of all Meters.
type group struct {
	source  string
	index   map[counters.Key]*series
	order   []*series // as the process reports them
	next    int       // the one that is expected
	metrics []Metric  // in that order
	out     Round

	round int  // number of the current or last one
	open  bool // it has begun
	known bool // a round of this session has ended: alive is what the next one has
	alive int
	got   int

	begun, last time.Time // of the round
	interval    time.Duration
	lost        uint64 // that earlier rounds have
	dropped     int64

	ended      time.Time // of the last round of the session before, zero in the first
	unmeasured time.Duration
}

// find returns the series of a value, nil for a new one.
func (g *group) find(v *counters.Value) *series {
	if g.next < len(g.order) {
		if s := g.order[g.next]; s.is(v) {
			g.next++
			return s
		}
	}
	s := g.index[v.Key()]
	if s != nil {
		g.next = s.position + 1
	}
	return s
}

// finish gives the round.
func (g *group) finish(d *Decoder, yield func(*Round)) {
	g.open, g.next = false, 0
	if !g.ended.IsZero() {
		g.unmeasured += g.begun.Sub(g.ended)
		g.ended = time.Time{}
	}
	r := &g.out
	*r = Round{Source: g.source, Time: g.last, Interval: g.interval, Metrics: r.Metrics[:0], Removed: r.Removed[:0],
		Lost: d.lost - g.lost, Dropped: d.dropped - g.dropped, Unmeasured: g.unmeasured, Refused: d.refused}
	g.lost, g.dropped = d.lost, d.dropped
	for i := range g.metrics {
		g.metrics[i].Points = g.metrics[i].Points[:0]
	}
	g.alive = 0
	for _, s := range g.order {
		if s.point.Time.IsZero() { // its first value, which ended this round, is of the next one
			g.alive++
			continue
		}
		s.isNew = false
		switch {
		case s.round == g.round:
			s.missed = 0
			s.advance()
			if p := &g.metrics[s.metric].Points; !s.first {
				*p = append(*p, s.point)
			}
			s.first = false
		case s.removed:
			continue
		case s.ended || s.missed > 0 && r.Lost == 0:
			s.removed, s.primed = true, false
			r.Removed = append(r.Removed, Series{g.metrics[s.metric].Name, s.point.Attributes})
			continue
		case g.known:
			s.missed++
			r.Missing++
		}
		g.alive++
	}
	for i := range g.metrics {
		if m := &g.metrics[i]; len(m.Points) > 0 {
			r.Metrics = append(r.Metrics, *m)
		}
	}
	if g.source == cpuSource && d.opt.PID != 0 && !d.cpu.failed {
		d.cpu.append(d.opt.PID, r)
	}
	g.known = true
	yield(r)
}

// end marks the series of an instrument, which are no longer measured.
func (g *group) end(i *counters.Instrument) {
	for _, s := range g.order {
		if s.instrument == i && i != nil {
			s.ended = true
		}
	}
}

// restart prepares for the first round of another session.
func (g *group) restart() {
	g.open, g.known, g.next = false, false, 0
	if !g.last.IsZero() {
		g.ended = g.last
	}
	for _, s := range g.order {
		s.primed = s.absolute && s.primed
		s.missed, s.ended = 0, false
	}
}
