package exceptions

import (
	"github.com/nettrace-go/nettrace/analysis"
)

// group identifies exceptions of one type and message pattern, thrown at one stack
// and caught by one method.
type group struct {
	typ, pattern, catcher int32 // texts
	stack                 analysis.StackID
	inner                 bool // they have an inner exception
}

// counts are the exceptions of a group.
type counts struct {
	thrown, rethrows, wrapped, replaced                          int64
	handled, superseded, swallowed, unhandled, inFlight, unknown int64
	first, last                                                  uint64 // ticks
}

// countsOf returns the counts of a group.
func (p *process) countsOf(g group) *counts {
	c := p.groups[g]
	if c != nil {
		return c
	}
	if int64(len(p.groups)) >= p.trace.Limits().Rows {
		return &p.withoutRow
	}
	c = &counts{}
	p.groups[g] = c
	p.order = append(p.order, g)
	return c
}

// add counts an exception.
func (c *counts) add(e *exception) {
	if c.thrown == 0 || e.ticks < c.first {
		c.first = e.ticks
	}
	c.last = max(c.last, e.ticks)
	c.thrown++
	c.rethrows += e.rethrows
}

func (c *counts) handle(*exception)     { c.handled++ }
func (c *counts) swallow(*exception)    { c.swallowed++ }
func (c *counts) unknownEnd(*exception) { c.unknown++ }

// fly counts an exception that is open at the end of the recording and may be handled later. If the one that was thrown
// while it was handled has ended, it left a finally block, because no catch block took the first
// one, or it left the catch block, which is known if a handler outside of it took it.
func (c *counts) fly(e *exception) {
	switch {
	case !e.alone || !e.wrapped && !e.covered:
		c.inFlight++
	case e.group.catcher == 0, e.left:
		c.supersede(e)
	default:
		c.unknown++
	}
}

// supersede counts an exception that has no end because another one was thrown while it was
// handled. If there was none, it is not known how its catch block ended.
func (c *counts) supersede(e *exception) {
	switch {
	case e.wrapped:
		c.superseded, c.wrapped = c.superseded+1, c.wrapped+1
	case e.covered:
		c.superseded, c.replaced = c.superseded+1, c.replaced+1
	default:
		c.unknown++
	}
}

// forgetEnds makes superseded exceptions those of unknown end.
func (c *counts) forgetEnds() {
	c.unknown += c.superseded
	c.superseded, c.wrapped, c.replaced = 0, 0, 0
}

// open counts an exception that is open at the end of the recording. What the outermost filter of its
// thread saw and nothing took is not handled, whether the trace has an end mark or not.
func (c *counts) open(e *exception) {
	if e.outermost && e.group.catcher == 0 {
		c.unhandled++
		return
	}
	c.fly(e)
}

// plus adds the counts of another group.
func (c *counts) plus(o *counts) {
	if c.thrown == 0 || o.first < c.first {
		c.first = o.first
	}
	c.last = max(c.last, o.last)
	for _, sum := range []struct {
		to   *int64
		more int64
	}{
		{&c.thrown, o.thrown}, {&c.rethrows, o.rethrows}, {&c.wrapped, o.wrapped}, {&c.replaced, o.replaced}, {&c.handled, o.handled}, {&c.superseded, o.superseded},
		{&c.swallowed, o.swallowed}, {&c.unhandled, o.unhandled}, {&c.inFlight, o.inFlight}, {&c.unknown, o.unknown},
	} {
		*sum.to += sum.more
	}
}
