package profile

import (
	"cmp"
	"context"
	"math"
	"strconv"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/internal/recording"
	"github.com/nettrace-go/nettrace/internal/rowtable"
	"github.com/nettrace-go/nettrace/model"
	"github.com/nettrace-go/nettrace/model/runtimes"
)

// FromReader reads a trace to its end and returns its samples. r may have read
// at most the Trace block, otherwise the error is codec.ErrStarted; with
// Options.NoStacks it is codec.ErrNoStacks. Of the Reader's other options only
// Limits and OnError have an effect; OnSequencePoint is used. On an error the Profile has everything
// before that place, like that of a shorter trace. The error is the Reader's
// *Error for a truncated or malformed stream, a *LimitError if the trace
// exceeds Limits, or the context's cause. The Profile is nil only if the stream
// has no header or the Reader cannot be used.
func FromReader(ctx context.Context, r *codec.Reader, opt Options) (*Profile, error) {
	return fromReader(ctx, r, opt, 0)
}

// fromReader is FromReader. If depth is positive, it truncates each stack after depth
// frames, and regards stacks of depth frames as truncated: tests measure the repair so,
// because they know the complete stacks.
func fromReader(ctx context.Context, r *codec.Reader, opt Options, depth int) (*Profile, error) {
	if err := r.Complete(); err != nil {
		return nil, err
	}
	trace, err := r.Trace()
	if err != nil {
		return nil, err
	}
	b := newBuilder(trace, opt)
	if depth > 0 {
		b.raw.cutAt(depth)
	}
	err = b.read(ctx, r)
	return b.end(r.Lost(), err)
}

// read reads events up to the end, or to an exceeded limit.
func (b *builder) read(ctx context.Context, r *codec.Reader) error {
	r.OnSequencePoint(b.point)
	defer r.OnSequencePoint(nil)
	for n := 0; ; n++ {
		if n%eventsBetweenLooks == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		ev, ok := r.Next()
		if !ok {
			return r.Err()
		}
		if b.tasks != nil && b.captures.counted {
			b.tasks.see(b, ev)
		}
		if b.event(ev); b.full != "" {
			return b.limitError()
		}
	}
}

// end returns the Profile of a trace whose reading ended with an error.
func (b *builder) end(lost uint64, err error) (*Profile, error) {
	b.p.Lost = lost
	b.p.names.truncated = err != nil
	b.finish()
	switch {
	case err != nil:
	case b.full != "":
		err = b.limitError()
	case b.tasks != nil && b.p.JoinedBy() == NoJoins:
		err = ErrNoTaskEvents
	}
	return b.p, err
}

// eventsBetweenLooks is the number of events between two checks of the context.
const eventsBetweenLooks = 1024

// builder makes a Profile of events.
type builder struct {
	p      *Profile
	limits Limits
	full   string // the exceeded limit
	spare  spare
	alone  bool // samples of a chunk have no round: one goroutine must read the file
	kept   [typeCount]bool

	process   uint64 // of the trace
	recording recording.Recording
	slice     codec.TimeRange // of Trace.SliceTime
	captures  captures
	rounds    pieces[round]
	groups    map[roundGroup]uint32
	sampledIn map[sampledIn]*int // position in rounds of the last one that has the thread
	merged    bool               // the trace has several sources

	routes rowtable.Table[route]
	raw    stackBuilder
	held   int64 // samples and marks

	detail      detail // of the current sample
	activities  map[activityPair]uint32
	contending  *model.Contending[uint32, begun]
	waiting     *model.Waiting[uint32, begun]
	suspending  model.Suspending[uint32, begun]
	owners      map[uint64]*runtimes.Threads // by process
	gc          map[uint64]*gcState          // by process
	tasks       *taskLog                     // nil without Options.Async
	allocations [selections]int64            // by selection
	typeNames   map[typeKey][]byte           // of GCSampledObjectAllocation
	native      map[FrameID]StackID          // stacks of threads without samples
}

func newBuilder(trace *codec.Trace, opt Options) *builder {
	opt.Requests = opt.Requests || opt.Filter.Request != nil
	b := &builder{p: &Profile{Trace: trace, opt: opt, workers: 1}, limits: opt.Limits.withDefaults()}
	b.process, _ = trace.ProcessID()
	b.p.nanos = newScale(trace.TickFrequency)
	b.activities = map[activityPair]uint32{}
	b.contending = model.NewContending[uint32, begun](math.MaxInt64, cmp.Compare[uint32]) // hold limits them
	b.waiting = model.NewWaiting[uint32, begun](math.MaxInt64, cmp.Compare[uint32])
	b.owners = map[uint64]*runtimes.Threads{}
	b.captures.init(trace)
	b.groups, b.sampledIn = map[roundGroup]uint32{}, map[sampledIn]*int{}
	_, b.merged = trace.Property("Source1.Name")
	b.slice = trace.SliceTime()
	b.recording = recording.New(b.slice)
	b.p.window = intersect(opt.Time, b.slice)
	b.p.activityPairs = make([]activityPair, 1)
	b.p.details.add(detail{})
	b.p.texts.init()
	b.raw.init(&b.p.stacks)
	b.p.threads.init(b.process)
	b.p.chains, b.p.served = map[uint64]*chains{}, map[uint64]*served{}
	b.p.processes, b.gc = map[uint64]Process{}, map[uint64]*gcState{}
	b.p.others, b.p.folded = map[shownKey]StackID{}, map[StackID]StackID{}
	b.p.typeNames = map[uint32]string{}
	if opt.Async && !opt.Physical {
		b.tasks = &taskLog{captures: map[uint64]*lastEvent{}}
	}
	for t := range b.p.helpers {
		b.p.helpers[t] = helperPlaces(Type(t))
	}
	b.p.names.table = symbols.NewTable(symbols.Options{Limit: b.limits.Symbols, Lines: opt.Lines != nil})
	for _, t := range opt.Types {
		if t < typeCount {
			b.kept[t] = true
		}
	}
	if len(opt.Types) == 0 {
		for t := range b.kept {
			b.kept[t] = true
		}
	}
	b.kept[Wall] = b.kept[Wall] || b.kept[CPUApprox]
	b.p.asked = b.kept
	if b.kept[Wall] { // whatever types are shown
		b.kept[Lock] = true // a sample in a contention is blocked
		b.kept[GC] = true   // a pause is no time of a sample
	}
	return b
}

// event handles one event.
func (b *builder) event(ev *codec.Event) {
	p := b.p
	b.number(ev.CaptureThreadIndex, ev.Sequence)
	m := ev.Metadata()
	if m == nil {
		b.recording.Add(ev.Timestamp, recording.ClassOf(nil, false))
		return
	}
	r := b.routeIn(&b.routes, ev.MetadataID, m)
	b.recording.Add(ev.Timestamp, r.recorded.Of(ev))
	if r.naming {
		p.names.table.Add(ev)
	}
	if p.opt.Select != nil && b.kept[Event] && p.opt.Select(ev) {
		b.selectedEvent(ev)
	}
	if r.do != nil {
		r.do(b, ev)
	}
}

// exceed stores the first exceeded limit.
func (b *builder) exceed(what string) {
	if b.full == "" {
		b.full = what
	}
}

func (b *builder) limitError() error {
	l := &b.limits
	for _, f := range []struct {
		what  string
		limit int64
	}{
		{"Samples", l.Samples}, {"Frames", l.Frames}, {"Stacks", l.Stacks}, {"Threads", l.Threads}, {"Text", l.Text},
		{"Symbols", l.Symbols},
	} {
		if f.what == b.full {
			return &LimitError{What: f.what, Limit: f.limit}
		}
	}
	return nil
}

// hold counts memory that is kept, and reports whether it is within the limit.
func (b *builder) hold(n int64) bool {
	if b.held += n; b.held > b.limits.Samples {
		b.exceed("Samples")
		return false
	}
	return true
}

// add keeps a sample.
func (b *builder) add(t Type, thread uint32, r record) {
	if b.hold(1) {
		b.p.records[t].on(thread).addWith(r, &b.spare.records)
	}
}

// record makes the record of an event.
func (b *builder) record(ev *codec.Event) record {
	return record{ticks: ev.Timestamp, until: ev.Timestamp, stack: b.stack(ev)}
}

// stack interns the stack of an event.
func (b *builder) stack(ev *codec.Event) StackID {
	addresses := ev.Stack()
	if len(addresses) == 0 {
		return 0
	}
	id := b.stackOf(b.processOf(ev), addresses)
	if n := len(addresses); (n == model.MaxFrames || n == kernelDepth) && ev.Metadata().Provider == clr.UniversalEventsProvider {
		b.p.stacks.markKernel(id)
	}
	return id
}

// processOf returns the process that the addresses of an event's stack are in.
func (b *builder) processOf(ev *codec.Event) uint64 {
	if ev.Thread() != nil {
		return symbols.Process(ev)
	}
	return b.process
}

// stackOf interns a stack of a process.
func (b *builder) stackOf(process uint64, addresses []uint64) StackID {
	id := b.raw.intern(process, addresses)
	b.wantNames(process)
	return id
}

// wantNames asks for the names of new addresses of a process, and checks the limits.
func (b *builder) wantNames(process uint64) {
	t := b.raw.table
	for ; b.raw.fresh < len(t.addresses); b.raw.fresh++ {
		b.p.names.table.AddWanted(process, t.addresses[b.raw.fresh].address)
	}
	switch {
	case t.frames > b.limits.Frames:
		b.exceed("Frames")
	case int64(len(t.stacks)+len(t.addresses)) > b.limits.Stacks:
		b.exceed("Stacks")
	}
}

// thread finds the thread an event is about.
func (b *builder) thread(ev *codec.Event) uint32 {
	at := b.p.threads.of(ev)
	b.boundThreads()
	return at
}

// boundThreads ends the reading if there are too many threads.
func (b *builder) boundThreads() {
	if int64(len(b.p.threads.rows)) > b.limits.Threads {
		b.exceed("Threads")
	}
}

// finish puts the samples in order and measures them.
func (b *builder) finish() {
	p := b.p
	p.Start, p.End = b.recording.Bounds()
	b.loseTrailing()
	b.chooseAllocations()
	b.finishWaits()
	b.finishOwners()
	b.finishGC()
	b.finishMarks()
	b.finishTasks()
	b.finishChains()
	for t := range p.records {
		divide(p.workers, len(p.records[t]), func(_, thread int) { p.records[t][thread].sort() })
		p.seen[t] = p.records[t].count()
	}
	b.findMeasured()
	median := p.records[Wall].median(p.workers)
	if p.Interval = p.nanos.of(median); p.Interval == 0 {
		p.Interval = promisedInterval(p.Trace)
		median = p.nanos.ticks(float64(p.Interval))
	}
	b.ownTime(median)
	p.stacks.recorded = len(p.stacks.stacks)
	if !p.opt.NoRepair {
		p.repair(&b.limits)
	}
	p.summarize()
	p.threads.nameServerThreads()
	b.nameProcesses()
	p.names.maxContexts = b.limits.Stacks / 4
	p.names.init(p)
	b.markCode()
	b.finishRequests()
	b.weigh()
	p.Unnamed = p.names.table.Dropped()
	p.names.table = nil // all is named, and its rows are as large as the rest
}

// findMeasured finds the processes whose processor time the operating system sampled: the
// estimate by other samples would count it a second time.
func (b *builder) findMeasured() {
	for thread := range b.p.records[CPU] {
		if b.p.records[CPU].of(thread).count > 0 {
			if b.p.measured == nil {
				b.p.measured = map[uint64]bool{}
			}
			b.p.measured[b.p.threads.rows[thread].ProcessID] = true
		}
	}
}

// promisedInterval is the sampling interval in the trace's header, or the
// runtime's default.
func promisedInterval(t *codec.Trace) int64 {
	text, _ := t.Property(codec.ExpectedCPUSamplingRateKey)
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 && n <= 1e9 {
		return n
	}
	return 1e6
}
