package threads

import (
	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
)

// process has the threads of one process.
type process struct {
	trace *analysis.Trace
	id    uint64

	rows    []Row
	leftOut int64 // rows above the limit
	reasons map[uint32]int64
	workers int64  // of the last adjustment
	started int64  // threads of the pool
	stopped int64  // threads of the pool
	news    int64  // new threads
	totals  Totals // its lists and highest numbers
	pool    bool   // there were events about the pool or about new threads

	born        map[born]bool      // the new threads
	threads     map[uint64]*thread // by id
	evidence    bool               // there were events about blocked threads
	starvations []*starvation
	open        *starvation
	decoder     counters.Decoder
	source      counters.Source // of the counters, if hasCounter
	hasCounter  bool
}

func newProcess(t *analysis.Trace, id uint64) *process {
	return &process{
		trace: t, id: id, reasons: map[uint32]int64{}, threads: map[uint64]*thread{}, born: map[born]bool{},
		totals: Totals{
			Reasons: []Reason{}, Starvations: []Starvation{}, Created: []Created{}, QueueLengths: []Point{}, ThreadCounts: []Point{},
		},
	}
}

// recorded reports whether there were events of the part.
func (p *process) recorded() bool {
	return p.pool || len(p.totals.QueueLengths) > 0 || len(p.totals.ThreadCounts) > 0
}

// full reports whether a list has as many entries as the limit allows, and counts
// the one that does not fit.
func (p *process) full(entries int) bool {
	if int64(entries) < p.trace.Limits().Rows {
		return false
	}
	p.leftOut++
	return true
}

// maxReason is the highest reason that is counted separately: a malformed trace can
// have any number of them.
const maxReason = 99

// adjustment handles a change of the number of threads that the pool wants.
func (p *process) adjustment(ev *codec.Event) {
	e := clr.ThreadPoolWorkerThreadAdjustment(ev)
	if e.Short() {
		return
	}
	throughput, workers, reason := e.AverageThroughput(), e.NewWorkerThreadCount(), e.Reason()
	p.pool = true
	p.reasons[min(reason, maxReason)]++
	more := int64(workers) > p.workers
	p.workers = int64(workers)
	p.totals.MaxWorkers = analysis.Known(max(p.totals.MaxWorkers.Or(0), int64(workers)))
	if more && isStarvation(reason) { // the pool removes threads with the same reason
		p.starve(ev, int64(workers))
	}
	if !p.full(len(p.rows)) {
		p.rows = append(p.rows, Row{StartNs: p.trace.Nanos(ev.Timestamp), Workers: int64(workers), Reason: reasonName(reason), Throughput: throughput})
	}
}

func (p *process) workerStart(ev *codec.Event) {
	p.pool = true
	p.started++
	if t := p.thread(ev); t != nil {
		t.worker = true
	}
}

func (p *process) workerStop(ev *codec.Event) {
	p.pool = true
	p.stopped++
	delete(p.threads, p.trace.Thread(ev).ID)
}

func (p *process) workerIdle(ev *codec.Event) { p.idle(p.trace.Thread(ev).ID) }

// idle handles a thread of the pool that waits for work.
func (p *process) idle(id uint64) {
	p.pool = true
	if t := p.threadOf(id); t != nil {
		t.worker = true
		t.waits = [waitKinds]bool{}
		t.stack = t.stack[:0]
	}
}

// bounds handles the lowest and the highest number of threads.
func (p *process) bounds(ev *codec.Event) {
	if e := clr.ThreadPoolMinMaxThreads(ev); !e.Short() {
		p.pool = true
		p.totals.MinThreads, p.totals.MaxThreads = analysis.Known(int64(e.MinWorkerThreads())), analysis.Known(int64(e.MaxWorkerThreads()))
	}
}

// born identifies a new thread.
type born struct {
	address   uint64
	index, id uint32
}

// created handles a new thread.
func (p *process) created(ev *codec.Event) {
	e := clr.ThreadCreated(ev)
	if e.Short() {
		return
	}
	p.pool = true
	one := born{e.ManagedThreadID(), e.ManagedThreadIndex(), e.OSThreadID()}
	if p.born[one] { // a second event says what the thread is for
		return
	}
	p.news++
	if !p.full(len(p.totals.Created)) {
		p.born[one] = true
		p.totals.Created = append(p.totals.Created, Created{StartNs: p.trace.Nanos(ev.Timestamp), ThreadID: int64(e.OSThreadID())})
	}
}

// counterLists are the lists of the counters, by provider and name.
var counterLists = map[[2]string]func(*Totals) *[]Point{
	{analysis.RuntimeCounters, "threadpool-queue-length"}:         queueLengths,
	{analysis.RuntimeCounters, "dotnet.thread_pool.queue.length"}: queueLengths,
	{analysis.RuntimeCounters, "threadpool-thread-count"}:         threadCounts,
	{analysis.RuntimeCounters, "dotnet.thread_pool.thread.count"}: threadCounts,
}

func queueLengths(t *Totals) *[]Point { return &t.QueueLengths }
func threadCounts(t *Totals) *[]Point { return &t.ThreadCounts }

// counter handles a value of a counter. A trace can have each counter of both
// kinds: the first kind counts.
func (p *process) counter(ev *codec.Event) {
	m, err := p.decoder.Decode(ev)
	if err != nil || m.Kind != counters.Measurement {
		return
	}
	list, ok := counterLists[[2]string{m.Value.Provider, m.Value.Name}]
	value := m.Value.Shown()
	if !ok || !value.Valid || !(value.Float64 >= 0 && value.Float64 < 1<<53) {
		return
	}
	if !p.hasCounter {
		p.hasCounter, p.source = true, m.Value.Source
	}
	if p.source != m.Value.Source {
		return
	}
	if to := list(&p.totals); !p.full(len(*to)) {
		*to = append(*to, Point{StartNs: p.trace.Nanos(ev.Timestamp), Value: int64(value.Float64)})
	}
}
