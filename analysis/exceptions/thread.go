package exceptions

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/model"
	"github.com/nettrace-go/nettrace/model/logical"
	"github.com/nettrace-go/nettrace/model/runtimes"
)

// thread has the open exceptions of a thread.
type thread struct {
	open  []exception // the innermost one last
	marks []int       // open exceptions at the start of each filter that runs

	// passed is an exception that the runtime took from a runtime-async method, to raise it in a
	// method that awaits it or to keep it in a task. passes reports that there is one.
	passed exception
	passes bool
}

// exception is an exception that has not ended.
type exception struct {
	group     group
	ticks     uint64
	throw     int // its index in process.throws plus 1, 0 for none
	rethrows  int64
	outermost bool // the outermost filter of the thread saw it

	thrownAgain bool // by "throw;", with an event of its own: the next catch is no other one

	// Another one was thrown while it was handled, with or without an inner exception.
	wrapped, covered bool
	alone            bool // at its end: the other one has ended

	handler handler // that took it last
	left    bool    // the one that wraps it has left the handler
	over    taking  // of the one that was thrown last while this one was handled
	taken   int32   // the runtime's method that passed it on, as a catcher
}

// taking is where an exception was thrown and which method took it last.
type taking struct {
	catcher int32
	stack   analysis.StackID
	ticks   uint64
}

// handler is the code of a catch block.
type handler struct{ method, entry uint64 }

// encloses reports whether a catch block that takes an exception cannot be within another one: the JIT lays out the
// handlers of a method from the inner to the outer ones.
func (h handler) encloses(inner handler) bool {
	return h.method != 0 && h.method == inner.method && h.entry > inner.entry
}

// maxOpen bounds the open exceptions and the filters of a thread: their ends are lost.
const maxOpen = 256

// Bits of ExceptionFlags.
const (
	hasInner = 0x1
	nested   = 0x2 // thrown while another one is handled
	again    = 0x4 // by the statement "throw;", up to .NET 8
)

// outermostFilter is the method whose filter sees what nothing in a thread catches.
const outermostFilter = "System.Threading.Thread::StartCallback("

// thread returns the state of a thread.
func (p *process) thread(id analysis.Thread) *thread {
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
		p.keep(t)
	}
	delete(p.threads, id)
}

// fields are those of ExceptionThrown.
type fields struct {
	typ, message  []byte // UTF-16
	inner, nested bool
	again         bool // the exception that is handled is thrown again
	short         bool // the payload ends before the type
}

// readThrown reads an ExceptionThrown.
func readThrown(ev *codec.Event) fields {
	e := clr.ExceptionThrown(ev)
	flags := e.Flags()
	return fields{
		typ: e.Type(), message: e.Message(), inner: flags&hasInner != 0, nested: flags&nested != 0, again: flags&again != 0, short: !e.HasType(),
	}
}

// thrown handles ExceptionThrown.
func (p *process) thrown(ev *codec.Event) {
	e := readThrown(ev)
	g := group{typ: p.texts.add(e.typ), pattern: p.texts.addMessage(e.message), inner: e.inner}
	if e.short {
		return
	}
	if e.again {
		p.throwAgain(p.trace.Thread(ev))
		return
	}
	g.stack = p.trace.Stack(ev)
	p.throw(p.trace.Thread(ev), exception{group: g, ticks: ev.Timestamp}, e.nested, ev.Activity())
}

// throwAgain handles the statement "throw;" of a runtime that writes an event about it.
func (p *process) throwAgain(id analysis.Thread) {
	p.hasAgain = true
	if top := p.thread(id).innermost(); top != nil {
		top.rethrows++
		top.thrownAgain = true
	}
}

// throw adds an exception that a thread throws. nested is set if the thread handles another one.
func (p *process) throw(id analysis.Thread, e exception, nested bool, activity wire.GUID) {
	p.events++
	p.rate.add(p.trace.Nanos(e.ticks), e.group.stack, p.trace.Limits().Rows)
	e.throw = p.thrownIn(model.Owned{Thread: id, Ticks: e.ticks, Activity: activity, Stack: e.group.stack}, e.group)
	t := p.thread(id)
	p.keep(t)
	if !nested {
		p.end(t, t.base(), (*counts).supersede)
	} else if len(t.open) >= maxOpen {
		p.end(t, 0, (*counts).unknownEnd)
		t.marks = t.marks[:0]
	}
	if i := len(t.open) - 1; i >= t.base() {
		t.open[i].wrapped, t.open[i].covered = e.group.inner, !e.group.inner
	}
	t.open = append(t.open, e)
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
	e := clr.ExceptionCatchStart(ev)
	p.catch(p.trace.Thread(ev), func() int32 { return p.texts.add(e.MethodName()) }, handler{e.MethodID(), e.EntryEIP()})
}

// catch handles a catch block that takes the innermost exception of a thread. catcher returns the text with its method.
func (p *process) catch(id analysis.Thread, catcher func() int32, by handler) {
	top := p.caught(id)
	if top == nil {
		return
	}
	top.catch(catcher())
	top.handler = by
	open := p.thread(id).open
	if i := len(open) - 2; i >= 0 {
		open[i].over = taking{top.group.catcher, top.group.stack, top.ticks}
	}
	for i := len(open) - 2; i >= 0 && open[i].wrapped && by.encloses(open[i].handler); i-- {
		open[i].left = true
	}
}

// caught counts a catch, and returns the exception, nil for one that is not in the trace.
func (p *process) caught(id analysis.Thread) *exception {
	p.catches++
	if p.leavesFilters() {
		p.leaveFilters(id)
	}
	t := p.thread(id)
	if len(t.open) == 0 && t.passes {
		if p.passedLater(t) {
			p.keep(t)
		} else {
			t.passes = false
			t.open = append(t.open, t.passed)
		}
	}
	top := t.innermost()
	if top == nil {
		p.beganBefore++
	}
	return top
}

// innermost returns the innermost open exception, nil for none.
func (t *thread) innermost() *exception {
	if len(t.open) == 0 {
		return nil
	}
	return &t.open[len(t.open)-1]
}

// catch sets the catcher.
func (e *exception) catch(catcher int32) {
	if e.group.catcher != 0 && !e.thrownAgain {
		e.rethrows++
	}
	e.group.catcher, e.thrownAgain = catcher, false
}

// leavesFilters reports whether an exception that leaves a filter ends it without an event. Where
// the version is not known yet, an event about "throw;" shows that.
func (p *process) leavesFilters() bool {
	return p.version.LeavesFilters() || p.version == runtimes.Unknown && p.hasAgain
}

// leaveFilters ends the filters of a thread that takes an exception: what is thrown in them and is
// open was swallowed.
func (p *process) leaveFilters(id analysis.Thread) {
	if t := p.thread(id); len(t.marks) > 0 {
		mark := t.marks[0]
		t.marks = t.marks[:0]
		p.end(t, mark, (*counts).swallow)
	}
}

// information handles the event with the version of the runtime.
func (p *process) information(ev *codec.Event) {
	if v := runtimes.ReadVersion(ev); v != runtimes.Unknown {
		p.version = v
	}
}

// filterStart handles ExceptionFilterStart.
func (p *process) filterStart(ev *codec.Event) {
	top := p.startFilter(p.trace.Thread(ev))
	if top != nil && isOutermost(wire.AppendUTF16(nil, clr.ExceptionCatchStart(ev).MethodName())) {
		top.outermost = true
	}
}

// isOutermost reports whether the method of a filter has the outermost one of its thread.
func isOutermost(method []byte) bool { return bytes.Contains(method, []byte(outermostFilter)) }

// startFilter starts a filter of a thread. It returns the innermost open exception, nil for none.
func (p *process) startFilter(id analysis.Thread) *exception {
	p.filters = true
	t := p.thread(id)
	if len(t.marks) >= maxOpen {
		t.marks = t.marks[:0]
	}
	t.marks = append(t.marks, len(t.open))
	return t.innermost()
}

// filterStop handles ExceptionFilterStop.
func (p *process) filterStop(ev *codec.Event) { p.stopFilter(p.trace.Thread(ev)) }

// stopFilter stops a filter of a thread: what is thrown in it and is open at its end is swallowed.
func (p *process) stopFilter(id analysis.Thread) {
	t := p.thread(id)
	if len(t.marks) == 0 {
		return
	}
	mark := t.base()
	t.marks = t.marks[:len(t.marks)-1]
	p.end(t, mark, (*counts).swallow)
}

// thrownStop handles ExceptionThrownStop.
func (p *process) thrownStop(ev *codec.Event) { p.handled(p.trace.Thread(ev)) }

// handled ends the innermost open exception of a thread, unless the runtime took it to pass it on.
func (p *process) handled(id analysis.Thread) {
	t := p.thread(id)
	top := t.innermost()
	if top == nil {
		return
	}
	if !p.isPassed(top) {
		p.end(t, len(t.open)-1, (*counts).handle)
		return
	}
	p.keep(t)
	t.passed, t.passes = *top, true
	t.passed.group.catcher, t.passed.taken, t.passed.handler = 0, top.group.catcher, handler{}
	t.open = t.open[:len(t.open)-1]
}

// isPassed reports whether the runtime's loop that resumes runtime-async methods has caught an
// exception: if a method of the chain may handle it, the loop raises it there without an event of
// its own. Otherwise it keeps it in the task.
func (p *process) isPassed(e *exception) bool {
	return logical.IsDispatch(p.texts.list[e.group.catcher])
}

// passedLater reports whether a later exception of another thread may be the one that a thread raises
// now: a task that keeps it can be awaited anywhere.
func (p *process) passedLater(t *thread) bool {
	for _, other := range p.threads {
		if other != t && other.passes && other.passed.ticks > t.passed.ticks {
			return true
		}
	}
	return false
}

// keep ends an exception that no method of its thread has caught: it stays in its task.
func (p *process) keep(t *thread) {
	if !t.passes {
		return
	}
	t.passes = false
	t.passed.group.catcher = t.passed.taken
	p.count(&t.passed, (*counts).handle)
}

// end ends the open exceptions of a thread from an index on.
func (p *process) end(t *thread, from int, how func(*counts, *exception)) {
	for i := from; i < len(t.open); i++ {
		e := &t.open[i]
		e.alone = i == len(t.open)-1
		p.count(e, how)
	}
	t.open = t.open[:min(from, len(t.open))]
}

// count counts an exception that has ended.
func (p *process) count(e *exception, how func(*counts, *exception)) {
	c := p.countsOf(e.group)
	how(c, e)
	c.add(e)
	if e.throw > 0 {
		p.throws[e.throw-1].group = e.group
	}
}
