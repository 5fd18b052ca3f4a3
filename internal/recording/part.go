package recording

import "github.com/nettrace-go/nettrace/codec"

// Part is a part of a trace, which a Recording adds after the parts before it.
type Part struct {
	slice  codec.TimeRange
	own    extent
	others extent // of the other events
	marked bool
	ended  uint64
	list   []mark // of the events that are own or of the rundown, in their order
}

// mark is an event, or the newest one of successive events that are own.
type mark struct {
	ticks   uint64
	rundown bool
}

// Reset begins a part of a trace, of which SliceTime returned slice. It keeps the
// memory.
func (p *Part) Reset(slice codec.TimeRange) { *p = Part{slice: slice, list: p.list[:0]} }

// Add adds an event of a Class.
func (p *Part) Add(ticks uint64, c Class) {
	inside := p.slice.Contains(ticks)
	if c == ordinary && inside {
		p.own.add(ticks)
		if last := len(p.list) - 1; last >= 0 && !p.list[last].rundown {
			p.list[last].ticks = max(p.list[last].ticks, ticks)
		} else {
			p.list = append(p.list, mark{ticks, false})
		}
		return
	}
	p.others.add(ticks)
	if inside && c == endOfSession {
		p.ended = max(p.ended, ticks)
	}
	if inside && (c == inRundown || c == boundsRundown) {
		p.marked = p.marked || c == boundsRundown
		p.list = append(p.list, mark{ticks, true})
	}
}

// Join adds a part of the trace.
func (r *Recording) Join(p *Part) {
	r.all.join(&p.own)
	r.all.join(&p.others)
	for _, m := range p.list {
		if m.rundown {
			r.rundowns = true
			r.addRundown(m.ticks)
		} else {
			r.addOwn(m.ticks)
		}
	}
	r.own.join(&p.own)
	r.marked = r.marked || p.marked
	r.ended = max(r.ended, p.ended)
}

// join adds the times of another extent.
func (e *extent) join(o *extent) {
	if o.any {
		e.add(o.first)
		e.add(o.last)
	}
}
