package waits

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/internal/blocked"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/model"
	"github.com/nettrace-go/nettrace/model/runtimes"
)

// process has the waits of one process.
type process struct {
	id     uint64
	trace  *analysis.Trace
	served *model.Served

	open       *blocked.Open[wait]
	contended  *blocked.Open[contention]
	tasks      *blocked.Open[taskWait]
	sums       blocked.Sums[struct{}] // of waits outside of contentions
	taskSums   blocked.Sums[struct{}] // of the waits for tasks by the events of the task library
	sampleSums blocked.Sums[struct{}] // of the waits that samples show
	runs       map[analysis.Thread]*run
	version    runtimes.Version
	contention bool // the trace has events about contentions
	taskWaits  bool // the trace has waits for tasks by the events of the task library

	ended      tally // waits with an end
	unfinished tally // waits without
	inside     tally // waits that begin in a contention, of both
	leftOut    int64 // starts above the limit
	began      int64 // stops without a start
}

func newProcess(t *analysis.Trace, served *model.Served, id uint64) *process {
	limit := t.Limits().Threads
	sums := blocked.Sums[struct{}]{Served: served}
	return &process{
		id: id, trace: t, served: served, sums: sums, taskSums: sums, sampleSums: sums, runs: map[analysis.Thread]*run{},
		open: blocked.NewOpen[wait](limit), contended: blocked.NewOpen[contention](limit), tasks: blocked.NewOpen[taskWait](limit),
	}
}

// information handles the event with the version of the runtime.
func (p *process) information(ev *codec.Event) {
	if v := runtimes.ReadVersion(ev); v != runtimes.Unknown {
		p.version = v
	}
}

// tally is a number of waits and their sum in nanoseconds.
type tally struct{ count, nanos int64 }

func (t *tally) add(nanos int64) { t.count, t.nanos = t.count+1, t.nanos+nanos }

// numbers returns the number of waits and their sum.
func (t *tally) numbers() (count, nanos analysis.Number) {
	return analysis.Known(t.count), analysis.Known(t.nanos)
}

// byEvents reports whether there were events about waits.
func (p *process) byEvents() bool { return p.ended.count > 0 || p.unfinished.count > 0 || p.began > 0 }

// contention is a wait for a lock that has begun.
type contention struct{}

// wait is a wait that has begun.
type wait struct {
	of     model.Owned // its begin; without a stack inside of a contention
	mark   uint8
	inside bool // a contention
}

// Marks of waits, bits.
const (
	ofMonitor   = 1 << iota // WaitSource says Monitor.Wait
	ofTask                  // the task library says that the thread waits for a task
	byTaskEvent             // the times are those of the task library
	bySample                // the times are those of samples
)

// sourceMonitor is the WaitSource of Monitor.Wait.
const sourceMonitor = 1

func (p *process) contentionStart(ev *codec.Event) {
	p.contention = true
	p.contended.Begin(p.trace.Thread(ev), &contention{})
}

func (p *process) contentionStop(ev *codec.Event) {
	p.contention = true
	p.contended.End(p.trace.Thread(ev))
}

// start handles WaitHandleWaitStart.
func (p *process) start(ev *codec.Event) {
	thread := p.trace.Thread(ev)
	w := &wait{of: model.Owned{Thread: thread, Ticks: ev.Timestamp, Activity: ev.Activity()}, inside: p.contended.Last(thread) != nil}
	if e := clr.WaitHandleWaitStart(ev); e.WaitSource() == sourceMonitor {
		w.mark |= ofMonitor
	}
	if p.tasks.Last(thread) != nil {
		w.mark |= ofTask
	}
	if !p.open.Begin(thread, w) {
		p.leftOut++
		return
	}
	if !w.inside {
		w.of.Stack = p.trace.Stack(ev)
	}
}

// stop handles WaitHandleWaitStop.
func (p *process) stop(ev *codec.Event) {
	thread := p.trace.Thread(ev)
	w := p.open.End(thread)
	if w == nil {
		p.began++
		return
	}
	nanos := p.trace.Between(w.of.Ticks, ev.Timestamp)
	p.ended.add(nanos)
	p.add(w, nanos, false)
}

// add adds a wait to the sums.
func (p *process) add(w *wait, nanos int64, unfinished bool) {
	if w.inside {
		p.inside.add(nanos)
		return
	}
	p.sums.Add(w.mark, blocked.Interval{Owned: w.of, Nanos: nanos, Unfinished: unfinished}, 0, struct{}{})
}

// lost forgets what is open on a thread.
func (p *process) lost(thread analysis.Thread) {
	p.open.Forget(thread)
	p.contended.Forget(thread)
	p.tasks.Forget(thread)
	if r := p.runs[thread]; r != nil {
		p.endRun(thread, r, false)
		delete(p.runs, thread)
	}
}

// close ends what is open at the end of the recording.
func (p *process) close() {
	_, end := p.trace.Bounds(p.id)
	for _, thread := range p.open.Threads(p.id) {
		for w := p.open.End(thread); w != nil; w = p.open.End(thread) {
			nanos := p.trace.Between(w.of.Ticks, end)
			p.unfinished.add(nanos)
			p.add(w, nanos, true)
		}
	}
	for _, thread := range p.tasks.Threads(p.id) {
		for w := p.tasks.End(thread); w != nil; w = p.tasks.End(thread) {
			p.addTask(w, end, true)
		}
	}
	p.closeRuns()
}
