package waits

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/internal/blocked"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/model"
	"github.com/nettrace-go/nettrace/model/runtimes"
)

// process has the waits of one process.
type process struct {
	id     uint64
	trace  *analysis.Trace
	served *model.Served

	open       *model.Waiting[analysis.Thread, model.Owned] // with the begin of the wait; without a stack inside of a contention
	contended  *model.Contending[analysis.Thread, struct{}]
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
		open:      model.NewWaiting[analysis.Thread, model.Owned](limit, analysis.Thread.Compare),
		contended: model.NewContending[analysis.Thread, struct{}](limit, analysis.Thread.Compare),
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

// Marks of waits, bits.
const (
	ofMonitor   = 1 << iota // WaitSource says Monitor.Wait
	ofTask                  // the task library says that the thread waits for a task
	byTaskEvent             // the times are those of the task library
	bySample                // the times are those of samples
)

// markOf returns the marks of a wait.
func markOf(w *model.Wait) (mark uint8) {
	for _, m := range []struct {
		is  bool
		bit uint8
	}{{w.OnMonitor, ofMonitor}, {w.OfTask, ofTask}, {w.ByTask, byTaskEvent}} {
		if m.is {
			mark |= m.bit
		}
	}
	return mark
}

func (p *process) contentionStart(ev *codec.Event) {
	p.contention = true
	p.contended.Start(p.trace.Thread(ev), ev)
}

func (p *process) contentionStop(ev *codec.Event) {
	p.contention = true
	p.contended.Stop(p.trace.Thread(ev), ev)
}

// start handles WaitHandleWaitStart.
func (p *process) start(ev *codec.Event) {
	thread := p.trace.Thread(ev)
	w := p.open.Start(thread, ev, p.contended.Last(thread) != nil)
	if w == nil {
		p.leftOut++
		return
	}
	w.Of = model.Owned{Thread: thread, Ticks: ev.Timestamp, Activity: ev.Activity()}
	if !w.InContention {
		w.Of.Stack = p.trace.Stack(ev)
	}
}

// stop handles WaitHandleWaitStop.
func (p *process) stop(ev *codec.Event) {
	w, begun := p.open.Stop(p.trace.Thread(ev), ev)
	if !begun {
		p.began++
		return
	}
	p.ended.add(p.trace.Between(w.From, w.To))
	p.add(&w)
}

// add adds a wait to the sums.
func (p *process) add(w *model.OpenWait[analysis.Thread, model.Owned]) {
	nanos, sums := p.trace.Between(w.From, w.To), &p.sums
	switch {
	case w.InContention:
		p.inside.add(nanos)
		return
	case w.ByTask:
		sums = &p.taskSums
	}
	sums.Add(markOf(&w.Wait), blocked.Interval{Owned: w.Of, Nanos: nanos, Unfinished: w.Unfinished}, 0, struct{}{})
}

// lost forgets what is open on a thread.
func (p *process) lost(thread analysis.Thread) {
	p.open.Lost(thread)
	p.contended.Lost(thread)
	if r := p.runs[thread]; r != nil {
		p.endRun(thread, r, false)
		delete(p.runs, thread)
	}
}

// close ends what is open at the end of the recording.
func (p *process) close() {
	_, end := p.trace.Bounds(p.id)
	for _, w := range p.open.Close(end) {
		if !w.ByTask {
			p.unfinished.add(p.trace.Between(w.From, w.To))
		}
		p.add(&w)
	}
	p.closeRuns()
}
