package logical

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/nettrace-go/nettrace/codec/clr/async"
)

// Tracker knows what each thread ran at each time, as far as the records of a Log say.
// It does not change.
type Tracker struct {
	lists       [][]async.Frame
	threads     map[uint64]*timeline
	runs        []run
	nodes       []node
	dispatchers map[uint64]*dispatcher
	children    map[int64][]uint64   // by dispatcher.during: the dispatchers that were created, in order
	methods     [3]bool              // by async.Kind: records say when a method is completed
	spanEnds    map[int64]uint64     // ticks, by span without a dispatcher; none if the records do not have it
	awaited     map[uint64]bool      // by address: a frame that has a caller in a list
	pairs       map[[2]ListID]ListID // of lists that were joined
	bufferSize  uint64               // 0: not known
	joined      int                  // frames of them
	ends        [3]bool              // by async.Kind: records say when a dispatcher stops running
	unwinds     [3]bool              // by async.Kind: there are records about frames that exceptions leave
	noted       bool                 // changes are wanted
	changes     []Change
}

// run is the time in which a thread runs a dispatcher, from a resumption to the next
// suspension or completion.
type run struct {
	dispatcher uint64
	begin, end uint64 // ticks; end is 0 if the records do not have it
	thread     uint64
	list       ListID
	hasList    bool
	first      uint8 // number of the wrapper of the first frame
	kind       async.Kind
	ended      async.ID // record of the end
}

// node is a running dispatcher and how far it is. A new one is made for each change.
type node struct {
	run    int32
	below  int32 // node of the dispatcher that waits for its end on the same thread, or one of the following
	at     int32 // methods that are completed
	resets int32 // of the number of the wrapper
}

// What a thread runs in place of a node.
const (
	idle    int32 = -1 - iota // no dispatcher
	unknown                   // the records do not say it
)

// timeline has the changes of what a thread runs.
type timeline struct {
	steps   []step
	unwound []unwind // in order of time
}

// step is a change: from ticks on the thread runs top.
type step struct {
	ticks uint64
	top   int32
}

// dispatcher is what all threads recorded of a dispatcher.
type dispatcher struct {
	created   uint64 // ticks, 0 if the records do not have it
	parent    uint64
	kind      async.Kind
	during    int64      // what the creating thread ran: a run, or an own negative number for each span without one; 0 is not known
	next      uint64     // the dispatcher that went on when it ended
	nextKind  async.Kind // of it; NoKind: not known
	aside     bool       // no method of the run that created it ran
	suspended []stackAt  // with the frames that wait, of runtime-async methods
	runs      []int32
	completed uint64 // ticks, 0 if the records do not have it
}

// stackAt is a list of frames at a time.
type stackAt struct {
	ticks uint64
	list  ListID
}

// nextWithin is the longest time from the end of a dispatcher to the resumption of the one
// that it lets go on, in ticks: 2 ms.
const nextWithin = 2_000_000

// gapTicks is the longest time between the writing of a buffer and the beginning of the
// next one of its thread if none is lost between them and the trace lost events: 2 ms.
const gapTicks = 2_000_000

// deepest is the number of dispatchers that run nested on a thread from which the records
// are not believed.
const deepest = 1000

// Tracker replays the records. lossy reports that the trace lost events.
func (l *Log) Tracker(lossy bool) *Tracker { return l.replay(lossy, false) }

// replay replays the records, and keeps the changes if they are wanted.
func (l *Log) replay(lossy, noted bool) *Tracker {
	t := &Tracker{
		noted: noted, threads: map[uint64]*timeline{}, dispatchers: map[uint64]*dispatcher{}, children: map[int64][]uint64{}, pairs: map[[2]ListID]ListID{},
		spanEnds: map[int64]uint64{}, awaited: map[uint64]bool{},
	}
	for _, b := range l.waiting { // there is no metadata
		l.fault(l.add(b, true))
	}
	l.waiting = nil
	t.lists = slices.Clip(l.lists)
	t.bufferSize = l.reader.Metadata.BufferSize
	s := &l.seen
	t.methods[async.Runtime] = s[async.CompleteRuntimeMethod]
	t.methods[async.Machine] = s[async.CompleteMachineMethod]
	t.ends[async.Runtime] = s[async.SuspendRuntimeContext] || s[async.CompleteRuntimeContext]
	t.ends[async.Machine] = s[async.SuspendMachineContext] || s[async.CompleteMachineContext]
	t.unwinds[async.Runtime], t.unwinds[async.Machine] = s[async.UnwindRuntimeException], s[async.UnwindMachineException]
	ids := make([]uint64, 0, len(l.threads))
	for id := range l.threads {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	spans := int64(0)
	for _, id := range ids {
		r := replay{t: t, id: id, line: &timeline{}, spans: &spans, top: unknown}
		t.threads[id] = r.line
		r.thread(l.threads[id], lossy)
	}
	for _, list := range t.lists {
		for i := range len(list) - 1 {
			t.awaited[list[i].Address] = true
		}
	}
	for _, d := range t.dispatchers {
		slices.SortStableFunc(d.suspended, func(a, b stackAt) int { return cmp.Compare(a.ticks, b.ticks) })
		slices.SortStableFunc(d.runs, func(a, b int32) int { return cmp.Compare(t.runs[a].begin, t.runs[b].begin) })
	}
	return t
}

// replay replays the records of one thread.
type replay struct {
	t      *Tracker
	id     uint64
	line   *timeline
	spans  *int64 // number of times without a dispatcher on any thread
	span   int64  // the current one of this thread
	top    int32
	depth  int
	runs   bool   // the next method of the innermost dispatcher of state machines runs
	done   uint64 // the dispatcher of runtime-async methods that the last record ended
	doneAt uint64
}

// thread replays all buffers of a thread.
func (r *replay) thread(log *threadLog, lossy bool) {
	var before *buffer
	for _, b := range log.sorted() {
		switch {
		case before == nil || before.context != b.context || b.start < before.end || before.broken:
			r.forget(b.start)
		case b.lost || lossy && b.start > before.written+gapTicks:
			r.note(Unknown, before.written, 0)
			r.set(before.written, unknown)
			r.forget(b.start)
		}
		for i := b.from; i < b.to; i++ {
			r.record(&log.entries[i])
		}
		if b.broken {
			r.forget(b.end)
		}
		before = &b
	}
	if before != nil {
		r.note(Unknown, max(before.written, before.end)+1, 0)
		r.set(max(before.written, before.end)+1, unknown)
	}
}

// set notes what the thread runs from a time on.
func (r *replay) set(ticks uint64, top int32) {
	r.line.steps = append(r.line.steps, step{ticks, top})
}

// forget notes that it is not known what the thread runs.
func (r *replay) forget(ticks uint64) {
	r.top, r.depth, r.done, r.span = unknown, 0, 0, 0
	r.note(Unknown, ticks, 0)
	r.set(ticks, unknown)
}

// record replays one record.
func (r *replay) record(e *entry) {
	done := r.done
	r.done = 0
	switch e.id {
	case async.ResetThread:
		r.top, r.depth = idle, 0
		r.note(Idle, e.ticks, 0)
		r.newSpan()
		r.set(e.ticks, r.top)
	case async.ResumeRuntimeContext, async.ResumeMachineContext:
		r.goesOn(e, done)
		r.push(e)
	case async.ResumeRuntimeCallstack, async.ResumeMachineCallstack:
		if run := r.current(); run == nil || run.dispatcher != e.dispatcher || run.hasList {
			r.goesOn(e, done)
			r.push(e)
		}
		if run := r.current(); run != nil {
			run.list, run.first, run.hasList = e.list, e.first, true
		}
	case async.AppendMachineCallstack:
		run := r.current()
		if run != nil && run.dispatcher == e.dispatcher && run.hasList && r.t.join(&run.list, e.list) {
			break
		}
		if r.top >= 0 {
			r.forget(e.ticks)
		}
	case async.ResumeMachineMethod:
		r.runs = true
	case async.CompleteRuntimeMethod, async.CompleteMachineMethod, async.UnwindRuntimeException, async.UnwindMachineException:
		r.runs = e.id == async.UnwindMachineException && r.runs
		if n := r.change(e); n != nil {
			if e.id == async.UnwindRuntimeException || e.id == async.UnwindMachineException {
				r.line.unwound = append(r.line.unwound, unwind{e.ticks, n.run, int64(e.other)})
			}
			n.at = int32(min(int64(n.at)+int64(e.other), math.MaxInt32))
		}
	case async.ResetWrapperIndex:
		if n := r.change(e); n != nil {
			n.resets++
		}
	case async.SuspendRuntimeCallstack:
		d := r.t.of(e.dispatcher)
		d.suspended = append(d.suspended, stackAt{e.ticks, e.list})
	case async.SuspendRuntimeContext, async.CompleteRuntimeContext, async.SuspendMachineContext, async.CompleteMachineContext:
		r.pop(e)
	case async.CreateRuntimeContext, async.CreateMachineContext, async.CreateRuntimeCallstack:
		r.create(e)
	}
}

// newSpan begins a time without a dispatcher.
func (r *replay) newSpan() {
	*r.spans++
	r.span = *r.spans
}

// current returns the run of the innermost dispatcher, or nil.
func (r *replay) current() *run {
	if r.top < 0 {
		return nil
	}
	return &r.t.runs[r.t.nodes[r.top].run]
}

// push begins a run.
func (r *replay) push(e *entry) {
	for n := r.top; n >= 0; n = r.t.nodes[n].below {
		if r.t.runs[r.t.nodes[n].run].dispatcher == e.dispatcher || r.depth >= deepest { // an end is missing
			r.forget(e.ticks)
			break
		}
	}
	if r.span > 0 {
		r.t.spanEnds[r.span] = e.ticks
	}
	r.span = 0
	t := r.t
	t.runs = append(t.runs, run{dispatcher: e.dispatcher, begin: e.ticks, thread: r.id, kind: e.id.Kind()})
	at := int32(len(t.runs) - 1)
	d := t.of(e.dispatcher)
	d.runs = append(d.runs, at)
	t.nodes = append(t.nodes, node{run: at, below: r.top})
	r.top = int32(len(t.nodes) - 1)
	r.depth++
	r.note(Resumed, e.ticks, e.dispatcher)
	r.set(e.ticks, r.top)
}

// change makes a new node of the innermost dispatcher, whose kind must be that of the
// record.
func (r *replay) change(e *entry) *node {
	if r.top < 0 {
		return nil
	}
	if r.current().kind != e.id.Kind() {
		r.forget(e.ticks)
		return nil
	}
	r.t.nodes = append(r.t.nodes, r.t.nodes[r.top])
	r.top = int32(len(r.t.nodes) - 1)
	r.set(e.ticks, r.top)
	return &r.t.nodes[r.top]
}

// pop ends a run.
func (r *replay) pop(e *entry) {
	run := r.current()
	if run == nil {
		return
	}
	if run.kind != e.id.Kind() {
		r.forget(e.ticks)
		return
	}
	run.end, run.ended = e.ticks, e.id
	r.note(Left, e.ticks, run.dispatcher)
	switch e.id {
	case async.CompleteRuntimeContext:
		r.done, r.doneAt = run.dispatcher, e.ticks
		fallthrough
	case async.CompleteMachineContext:
		r.t.of(run.dispatcher).completed = e.ticks
	}
	r.top = r.t.nodes[r.top].below
	if r.depth--; r.top == idle {
		r.newSpan()
	}
	r.runs = r.top >= 0 && r.t.methods[async.Machine] // the completion of one lets another one run
	r.set(e.ticks, r.top)
}

// goesOn notes which dispatcher goes on when another one ends. One that is resumed while
// the last method of a state machine completes waited for it. One that the thread resumes
// next most likely did.
func (r *replay) goesOn(e *entry, done uint64) {
	ended := done
	if done == 0 {
		run := r.current()
		if run == nil || run.kind != async.Machine || !run.hasList || int(r.t.nodes[r.top].at) < len(r.t.lists[run.list]) {
			return
		}
		ended = run.dispatcher
	} else if e.ticks-r.doneAt >= nextWithin {
		return
	}
	if d := r.t.of(ended); d.nextKind == async.NoKind && ended != e.dispatcher {
		d.next, d.nextKind = e.dispatcher, e.id.Kind()
	}
}

// create notes a new dispatcher.
func (r *replay) create(e *entry) {
	d := r.t.of(e.dispatcher)
	if d.created == 0 {
		r.note(Created, e.ticks, e.dispatcher)
		d.created, d.parent, d.kind = e.ticks, e.other, e.id.Kind()
		switch {
		case r.top >= 0:
			// A method that awaits the same task as the chain of this run runs as soon as the
			// task is completed, before the next method of the chain.
			d.during = int64(r.t.nodes[r.top].run) + 1
			d.aside = r.current().kind == async.Machine && !r.runs
		case r.top == idle && r.span > 0:
			d.during = -r.span
		}
		if d.during != 0 {
			r.t.children[d.during] = append(r.t.children[d.during], e.dispatcher)
		}
	}
	if e.id == async.CreateRuntimeCallstack {
		d.suspended = append(d.suspended, stackAt{e.ticks, e.list})
	}
}

// of returns a dispatcher, which it makes at its first use.
func (t *Tracker) of(number uint64) *dispatcher {
	d := t.dispatchers[number]
	if d == nil {
		d = &dispatcher{}
		t.dispatchers[number] = d
	}
	return d
}

// maxJoined is the number of frames that all joined lists may have.
const maxJoined = 4 << 20

// join adds the frames of one list to another. It returns false if the records cannot be
// right, or have too many frames.
func (t *Tracker) join(to *ListID, from ListID) bool {
	pair := [2]ListID{*to, from}
	id, ok := t.pairs[pair]
	if !ok {
		frames := slices.Concat(t.lists[*to], t.lists[from])
		if t.joined += len(frames); t.joined > maxJoined || len(frames) > 2*async.MaxFrames {
			return false
		}
		t.lists = append(t.lists, frames)
		id = ListID(len(t.lists) - 1)
		t.pairs[pair] = id
	}
	*to = id
	return true
}

// List returns a list of frames. The caller must not change it.
func (t *Tracker) List(id ListID) []async.Frame { return t.lists[id] }

// Moment is what a thread runs at a time: equal Moments are equal times for the records
// of the thread.
type Moment struct {
	top   int32
	begin uint64
}

// At returns what a thread runs at a time.
func (t *Tracker) At(thread, ticks uint64) Moment {
	line := t.threads[thread]
	if line == nil {
		return Moment{top: unknown}
	}
	n := sort.Search(len(line.steps), func(i int) bool { return line.steps[i].ticks > ticks })
	if n == 0 {
		return Moment{top: unknown}
	}
	return Moment{line.steps[n-1].top, line.steps[n-1].ticks}
}

// Begin returns the time of the record from which on the thread runs this.
func (m Moment) Begin() uint64 { return m.begin }
