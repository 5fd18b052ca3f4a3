package incoming

import (
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/model/runtimes"
)

// DefaultLimit is the number of records that a Log keeps if Log.Limit is 0.
const DefaultLimit = 4_000_000

// Log collects the events of one process from which Requests makes requests. The zero value is
// empty.
type Log struct {
	// Limit bounds the records, 48 bytes each. 0 means DefaultLimit.
	Limit int
	// LeftOut counts the starts of requests above the limit.
	LeftOut int64

	entries []entry
	details []detail
	guids   map[wire.GUID]int32 // their numbers, from 1
	fullAt  uint64              // ticks of the first record above the limit, 0 for none
	begun   bool                // there is an event of a request
	first   uint64              // ticks of the first one
}

// Writer is the thread that an event is about.
type Writer struct {
	Thread uint64 // id of the operating system
	Losses int    // places so far where events of the thread are lost
	// Stack is the number of the event's stack for Facts.Stacks, where NeedsStack says so; 0 for none.
	Stack int32
}

// entry is a record.
type entry struct {
	ticks, thread     uint64
	losses            int32
	activity, related int32 // numbers of guids; ids of tasks
	detail            int32 // position in Log.details; number of the stack of an event about a task
	kind              kind
}

// detail has the texts of a record.
type detail struct {
	id, connection, protocol, method, path string
	activityID                             string // W3C id of the activity
	traceID, spanID, parentSpanID          string
	route                                  string
	routeSource                            RouteSource
	name                                   string // of a span
	program                                bool   // began the span
	status                                 int64
	hasStatus                              bool
}

// kind is what a record means.
type kind uint8

const (
	starts kind = iota // + Source
	stops       = starts + kind(Sources)
)

const (
	unhandled = stops + kind(Sources) + iota
	said      // something about a request that runs
	childOf   // an activity begins within another one
	spanBegan // an activity of an ActivitySource that is no request's begins
	spanEnded // and ends
	connected // a connection begins
	tlsBegan  // its TLS handshake begins
	tlsEnded  // and ends
	switched  // the thread's activity is another one from now on

	taskScheduled // a task will start
	taskStarted   // its code starts
	taskCompleted // its code ends
	taskAwaited   // a method awaits a task
	taskBlocked   // a thread waits for a task
	taskWaitEnded // after taskAwaited or taskBlocked
	posted        // a method gives up its thread, and will continue
	resumed       // after posted
	continued     // the code that taskWaitEnded or resumed started ends
)

// HandlerOf returns the function that adds the events of a metadata row to a Log, nil for events
// that no Log needs. Which it is depends on the row only.
func HandlerOf(m *codec.Metadata) func(*Log, *codec.Event, Writer) {
	if m == nil {
		return nil
	}
	of := clr.KindOf(m)
	if do := handlers[of]; do != nil {
		return do
	}
	if of == clr.KindOther && beginsActivity(m) || of == clr.KindHTTPRequestStart {
		return (*Log).child
	}
	return nil
}

// NeedsStack reports whether Requests may need the stacks of the events of a metadata row: those at which code
// gives its work to a task, in a process whose version is not known to be before .NET 11.
func NeedsStack(m *codec.Metadata, version runtimes.Version) bool {
	switch clr.KindOf(m) {
	case clr.KindTaskScheduled, clr.KindTaskWaitBegin, clr.KindAwaitTaskContinuationScheduled:
		return version == runtimes.Unknown || version >= runtimeAsync
	}
	return false
}

// runtimeAsync is the first version whose class library has no events about its awaits.
const runtimeAsync = 11

// handlers are the functions by kind of event.
var handlers = map[clr.Kind]func(*Log, *codec.Event, Writer){
	clr.KindHostingRequestStart:       (*Log).hostingStart,
	clr.KindHostingRequestStop:        func(l *Log, ev *codec.Event, w Writer) { l.request(stops+kind(Hosting), ev, w, detail{}) },
	clr.KindHostingUnhandledException: func(l *Log, ev *codec.Event, w Writer) { l.request(unhandled, ev, w, detail{}) },
	clr.KindKestrelRequestStart:       (*Log).kestrelStart,
	clr.KindKestrelRequestStop:        (*Log).kestrelStop,

	clr.KindKestrelConnectionStart:   (*Log).connection,
	clr.KindKestrelTlsHandshakeStart: (*Log).connection,
	clr.KindKestrelTlsHandshakeStop:  (*Log).connection,

	clr.KindDiagnosticsPlain:                   (*Log).bridge,
	clr.KindDiagnosticsActivity1Start:          (*Log).bridge,
	clr.KindDiagnosticsActivity1Stop:           (*Log).bridge,
	clr.KindDiagnosticsActivity2Start:          (*Log).bridge,
	clr.KindDiagnosticsActivity2Stop:           (*Log).bridge,
	clr.KindDiagnosticsRecursiveActivity1Start: (*Log).bridge,
	clr.KindDiagnosticsRecursiveActivity1Stop:  (*Log).bridge,
	clr.KindDiagnosticsActivityStart:           (*Log).activity,
	clr.KindDiagnosticsActivityStop:            (*Log).activity,
	clr.KindLoggingFormattedMessage:            (*Log).message,

	clr.KindSetActivityID: (*Log).setActivity,
	clr.KindTaskScheduled: func(l *Log, ev *codec.Event, w Writer) { l.task(taskScheduled, ev, w, clr.TaskScheduled(ev).TaskID()) },
	clr.KindTaskStarted:   func(l *Log, ev *codec.Event, w Writer) { l.task(taskStarted, ev, w, clr.TaskStarted(ev).TaskID()) },
	clr.KindTaskCompleted: func(l *Log, ev *codec.Event, w Writer) { l.task(taskCompleted, ev, w, clr.TaskCompleted(ev).TaskID()) },
	clr.KindTaskWaitBegin: (*Log).taskWait,
	clr.KindTaskWaitEnd:   func(l *Log, ev *codec.Event, w Writer) { l.task(taskWaitEnded, ev, w, clr.TaskWaitEnd(ev).TaskID()) },
	clr.KindAwaitTaskContinuationScheduled: func(l *Log, ev *codec.Event, w Writer) {
		l.task(posted, ev, w, clr.AwaitTaskContinuationScheduled(ev).ContinueWithTaskID())
	},
	clr.KindTaskWaitContinuationStarted: func(l *Log, ev *codec.Event, w Writer) {
		l.task(resumed, ev, w, clr.TaskWaitContinuationStarted(ev).TaskID())
	},
	clr.KindTaskWaitContinuationComplete: func(l *Log, ev *codec.Event, w Writer) {
		l.task(continued, ev, w, clr.TaskWaitContinuationStarted(ev).TaskID())
	},
}

// awaits is the Behavior of TaskWaitBegin for an await; otherwise the thread blocks.
const awaits = 2

// taskWait handles TaskWaitBegin.
func (l *Log) taskWait(ev *codec.Event, w Writer) {
	e := clr.TaskWaitBegin(ev)
	of := taskAwaited
	if e.Behavior() != awaits {
		of = taskBlocked
	}
	l.task(of, ev, w, e.TaskID())
}

// task adds an event about a task. Those before the first request do not matter.
func (l *Log) task(of kind, ev *codec.Event, w Writer, id int32) {
	if l.begun {
		l.add(entry{ticks: ev.Timestamp, thread: w.Thread, losses: int32(w.Losses), kind: of, activity: id, detail: w.Stack})
	}
}

// setActivity handles SetActivityID.
func (l *Log) setActivity(ev *codec.Event, w Writer) {
	e := clr.SetActivityID(ev)
	if !e.Short() {
		l.add(entry{ticks: ev.Timestamp, thread: w.Thread, losses: int32(w.Losses), kind: switched, activity: l.number(e.NewID())})
	}
}

// child handles the start of any activity.
func (l *Log) child(ev *codec.Event, w Writer) {
	if ev.Activity() != (wire.GUID{}) && ev.RelatedActivity() != (wire.GUID{}) {
		l.event(childOf, ev, w)
	}
}

// beginsActivity reports whether the events of a metadata row begin an activity: those of event
// sources that are called so.
func beginsActivity(m *codec.Metadata) bool {
	switch m.Provider {
	case clr.RuntimeProvider, clr.TasksProvider, clr.SamplerProvider, clr.PrivateProvider:
		return false
	}
	const start = 1 // opcode
	return m.Opcode == start || len(m.Name) > 5 && m.Name[len(m.Name)-5:] == "Start"
}

// request adds a record about a request.
func (l *Log) request(of kind, ev *codec.Event, w Writer, d detail) {
	if !l.begun {
		l.begun, l.first = true, ev.Timestamp
	}
	if !l.detailed(of, ev, w, d) && of < stops {
		l.LeftOut++
	}
}

// detailed adds a record with texts.
func (l *Log) detailed(of kind, ev *codec.Event, w Writer, d detail) bool {
	if !l.event(of, ev, w) {
		return false
	}
	l.details = append(l.details, d)
	l.entries[len(l.entries)-1].detail = int32(len(l.details) - 1)
	return true
}

// event adds a record with the activities of an event.
func (l *Log) event(of kind, ev *codec.Event, w Writer) bool {
	return l.add(entry{
		ticks: ev.Timestamp, thread: w.Thread, losses: int32(w.Losses), kind: of,
		activity: l.number(ev.Activity()), related: l.number(ev.RelatedActivity()),
	})
}

// add adds a record, unless there are too many.
func (l *Log) add(e entry) bool {
	limit := l.Limit
	if limit == 0 {
		limit = DefaultLimit
	}
	if len(l.entries) >= limit {
		if l.fullAt == 0 {
			l.fullAt = max(e.ticks, 1)
		}
		return false
	}
	l.entries = append(l.entries, e)
	return true
}

// Recorded reports whether the Log has events of requests.
func (l *Log) Recorded() bool { return l.begun }

// First returns the time of the first event of a request, in ticks, if the Log has one.
func (l *Log) First() uint64 { return l.first }

// number returns the number of a guid, 0 for the zero one.
func (l *Log) number(g wire.GUID) int32 {
	if g == (wire.GUID{}) {
		return 0
	}
	n, ok := l.guids[g]
	if !ok {
		if l.guids == nil {
			l.guids = map[wire.GUID]int32{}
		}
		n = int32(len(l.guids) + 1)
		l.guids[g] = n
	}
	return n
}
