package exceptions

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// thread has the open exceptions of a thread.
type thread struct {
	open  []exception // the innermost one last
	marks []int       // open exceptions at the start of each filter that runs
}

// exception is an exception that has not ended.
type exception struct {
	group     group
	ticks     uint64
	rethrows  int64
	outermost bool // the outermost filter of the thread saw it

	// Another one was thrown while it was handled, with or without an inner exception.
	wrapped, covered bool
}

// maxOpen bounds the open exceptions and the filters of a thread: their ends are lost.
const maxOpen = 256

// Bits of ExceptionFlags.
const (
	hasInner = 0x1
	nested   = 0x2 // thrown while another one is handled
)

// outermostFilter is the method whose filter sees what nothing in a thread catches.
const outermostFilter = "System.Threading.Thread::StartCallback("

// of returns the state of an event's thread.
func (p *process) of(ev *codec.Event) *thread {
	id := p.trace.Thread(ev)
	t := p.threads[id]
	if t == nil {
		if int64(len(p.threads)) >= p.trace.Limits().Threads {
			for _, other := range slices.SortedFunc(maps.Keys(p.threads), byID) { // the groups are in the order of their first ends
				p.lost(other)
			}
		}
		t = &thread{}
		p.threads[id] = t
	}
	return t
}

// byID orders threads by their ids.
func byID(a, b analysis.Thread) int {
	return cmp.Or(cmp.Compare(a.Process, b.Process), cmp.Compare(a.ID, b.ID))
}

// lost forgets what is open on a thread: the ends of its exceptions are unknown.
func (p *process) lost(id analysis.Thread) {
	if t := p.threads[id]; t != nil {
		p.end(t, 0, (*counts).unknownEnd)
	}
	delete(p.threads, id)
}

// thrown handles ExceptionThrown.
func (p *process) thrown(ev *codec.Event) {
	f := p.payload(ev)
	g := group{typ: p.texts.add(f.UTF16()), pattern: p.texts.addMessage(f.UTF16())}
	f.Pointer()
	f.Skip(4)
	flags := f.U16()
	if f.Short() {
		return
	}
	g.stack, g.inner = p.trace.Stack(ev), flags&hasInner != 0
	p.events++
	p.rate.add(p.trace.Nanos(ev.Timestamp))
	p.requests.thrownIn(ev.Activity())
	t := p.of(ev)
	if flags&nested == 0 {
		p.end(t, t.base(), (*counts).supersede)
	} else if len(t.open) >= maxOpen {
		p.end(t, 0, (*counts).unknownEnd)
		t.marks = t.marks[:0]
	}
	if i := len(t.open) - 1; i >= t.base() {
		t.open[i].wrapped, t.open[i].covered = g.inner, !g.inner
	}
	t.open = append(t.open, exception{group: g, ticks: ev.Timestamp})
}

// base returns the number of open exceptions at the start of the innermost filter.
func (t *thread) base() int {
	if len(t.marks) == 0 {
		return 0
	}
	return t.marks[len(t.marks)-1]
}

// catchStart handles ExceptionCatchStart: the last one names the catcher.
func (p *process) catchStart(ev *codec.Event) {
	p.catches++
	t := p.of(ev)
	if len(t.open) == 0 {
		p.beganBefore++
		return
	}
	f := p.payload(ev)
	f.Skip(8 + 8)
	catcher := p.texts.add(f.UTF16())
	top := &t.open[len(t.open)-1]
	if top.group.catcher != 0 {
		top.rethrows++
	}
	top.group.catcher = catcher
}

// filterStart handles ExceptionFilterStart.
func (p *process) filterStart(ev *codec.Event) {
	t := p.of(ev)
	if len(t.marks) >= maxOpen {
		t.marks = t.marks[:0]
	}
	t.marks = append(t.marks, len(t.open))
	f := p.payload(ev)
	f.Skip(8 + 8)
	if len(t.open) > 0 && strings.Contains(string(wire.AppendUTF16(nil, f.UTF16())), outermostFilter) {
		t.open[len(t.open)-1].outermost = true
	}
}

// filterStop handles ExceptionFilterStop: what is thrown in a filter and is open at
// its end is swallowed.
func (p *process) filterStop(ev *codec.Event) {
	t := p.of(ev)
	if len(t.marks) == 0 {
		return
	}
	mark := t.base()
	t.marks = t.marks[:len(t.marks)-1]
	p.end(t, mark, (*counts).swallow)
}

// thrownStop handles ExceptionThrownStop.
func (p *process) thrownStop(ev *codec.Event) {
	if t := p.of(ev); len(t.open) > 0 {
		p.end(t, len(t.open)-1, (*counts).handle)
	}
}

// end ends the open exceptions of a thread from an index on.
func (p *process) end(t *thread, from int, how func(*counts, *exception)) {
	for i := from; i < len(t.open); i++ {
		e := &t.open[i]
		how(p.countsOf(e.group), e)
		p.countsOf(e.group).add(e)
	}
	t.open = t.open[:min(from, len(t.open))]
}
