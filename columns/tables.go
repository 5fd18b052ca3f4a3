package columns

import (
	"sync"

	"github.com/nettrace-go/nettrace/analysis/counters"
	"github.com/nettrace-go/nettrace/analysis/gc"
	"github.com/nettrace-go/nettrace/analysis/requests"
	"github.com/nettrace-go/nettrace/profile"
)

// tables are the tables of every trace, but for those of the types of events.
var tables = sync.OnceValue(func() []*Table {
	return []*Table{
		filesTable(), eventsTable(), eventTypesTable(), providersTable(), threadsTable(),
		samplesTable(), stacksTable(), framesTable(), functionsTable(),
		gcTable(), pausesTable(), locksTable(), waitsTable(), exceptionsTable(), requestsTable(), requestPartsTable(), requestWaitsTable(), spansTable(),
		countersTable(), marksTable(), lostTable(),
	}
})

// Columns that several tables have.
var (
	timeColumn   = Column{Name: "time", Type: Time, Unit: "ns", Doc: "time in UTC", Sorted: true}
	atColumn     = Column{Name: "at_ns", Type: Int, Unit: "ns", Doc: "time since the trace's sync time, as in reports", Sorted: true}
	threadColumn = Column{Name: "thread_id", Type: Int, Doc: "id of the thread", Key: true}
	stackColumn  = Column{Name: "stack_id", Type: Int, Doc: "stack, null for none", Of: "stacks", Key: true}
)

// named returns a column with a name.
func named(name string, of Type, unit, doc string) Column {
	return Column{Name: name, Type: of, Unit: unit, Doc: doc}
}

// number returns the column id of a table.
func number(table, doc string) Column {
	return Column{Name: "id", Type: Int, Doc: doc, Of: table, Key: true, Sorted: true}
}

// refers returns a column with the numbers of another table.
func refers(name, table, doc string) Column {
	return Column{Name: name, Type: Int, Doc: doc, Of: table, Key: true}
}

// processColumn is the id of a process.
var processColumn = named("process_id", Int, "", "id of the process, null if the trace does not have it")

func eventsTable() *Table {
	return vectorTable(Table{Name: "events", Doc: "all events, in the order of time", needs: fromEvents}, func(t *Trace) (*eventColumns, int) { return t.events, t.events.rows }, []column[eventColumns]{
		{number("events", "number of the event"), func(*eventColumns) *Vector { return &Vector{} }},
		{timeColumn, func(e *eventColumns) *Vector { return times(e.at, syncNs(e.trace.Header)) }},
		{atColumn, func(e *eventColumns) *Vector { return &Vector{Ints: e.at} }},
		{refers("type_id", "event_types", "type of the event"), func(e *eventColumns) *Vector {
			return e.ofTypes(func(t *eventType) int64 { return t.number })
		}},
		{refers("provider_id", "providers", "provider"), func(e *eventColumns) *Vector {
			return e.ofTypes(func(t *eventType) int64 { return int64(t.providerAt) + 1 })
		}},
		{named("provider", Text, "", "name of the provider"), func(e *eventColumns) *Vector {
			return e.text(func(t *eventType) string { return t.provider })
		}},
		{named("event_id", Int, "", "number of the event within its provider, 0 for none"), func(e *eventColumns) *Vector {
			return e.ofTypes(func(t *eventType) int64 { return int64(t.id) })
		}},
		{named("name", Text, "", "name of the event"), func(e *eventColumns) *Vector {
			return e.text(func(t *eventType) string { return t.name })
		}},
		{processColumn, func(e *eventColumns) *Vector { return e.processIDs() }},
		{threadColumn, func(e *eventColumns) *Vector { return e.threadIDs(e.thread) }},
		{named("capture_thread_id", Int, "", "id of the thread that logged the event"), func(e *eventColumns) *Vector { return e.threadIDs(e.capture) }},
		{named("processor", Int, "", "number of the processor, null if unknown"), func(e *eventColumns) *Vector { return e.onProcessors() }},
		{stackColumn, func(e *eventColumns) *Vector { return e.nodes() }},
		{named("activity_id", Text, "", "GUID of the activity, null for none"), func(e *eventColumns) *Vector { return e.ids(e.activity) }},
		{named("related_activity_id", Text, "", "GUID of the activity that caused it, null for none"), func(e *eventColumns) *Vector { return e.ids(e.related) }},
		{named("sequence", Int, "", "number of the event on its capture thread"), func(e *eventColumns) *Vector { return numbers(e.sequence) }},
		{named("offset", Int, "B", "offset of the row in the uncompressed file"), func(e *eventColumns) *Vector { return &Vector{Ints: e.offset} }},
		{named("payload_bytes", Int, "B", "size of the payload"), func(e *eventColumns) *Vector { return numbers(e.payload) }},
	})
}

func eventTypesTable() *Table {
	return rowTable(Table{Name: "event_types", Doc: "types of the events", needs: fromEvents}, typeRows, []field[typeRow]{
		{number("event_types", "number of the type"), func(t *typeRow) any { return t.number }},
		{refers("provider_id", "providers", "provider"), func(t *typeRow) any { return int64(t.providerAt) + 1 }},
		{named("provider", Text, "", "name of the provider"), func(t *typeRow) any { return t.provider }},
		{named("event_id", Int, "", "number of the event within its provider, 0 for none"), func(t *typeRow) any { return int64(t.id) }},
		{named("name", Text, "", "name of the event"), func(t *typeRow) any { return unlessEmpty(t.name) }},
		{named("version", Int, "", "version of the event"), func(t *typeRow) any { return int64(t.version) }},
		{named("level", Int, "", "1 critical to 5 verbose, 0 always logged"), func(t *typeRow) any { return int64(t.level) }},
		{named("keywords", Int, "", "mask, as a signed number"), func(t *typeRow) any { return int64(t.keywords) }},
		{named("opcode", Int, "", "opcode, null for none"), func(t *typeRow) any { return t.opcodeValue() }},
		{Column{Name: "table_name", Type: Text, Doc: "table with the fields of the events", needs: fromTypes}, func(t *typeRow) any { return unlessEmpty(t.table) }},
		{named("events", Int, "", "number of events"), func(t *typeRow) any { return t.events }},
	})
}

func providersTable() *Table {
	return rowTable(Table{Name: "providers", Doc: "providers of the events", needs: fromEvents}, func(t *Trace) []provider { return t.events.providers() }, []field[provider]{
		{number("providers", "number of the provider"), func(p *provider) any { return p.id }},
		{named("name", Text, "", "name of the provider"), func(p *provider) any { return p.name }},
		{named("events", Int, "", "number of events"), func(p *provider) any { return p.events }},
	})
}

func threadsTable() *Table {
	return rowTable(Table{Name: "threads", Doc: "threads, in the order of their first event", needs: fromProfile}, threadRows, []field[thread]{
		{processColumn, func(t *thread) any { return unlessZero(t.ProcessID) }},
		{named("process", Text, "", "name of the process, null if unknown"), func(t *thread) any { return unlessEmpty(t.process) }},
		{threadColumn, func(t *thread) any { return int64(t.ID) }},
		{named("name", Text, "", "name of the thread, null if unknown"), func(t *thread) any { return unlessEmpty(t.Name) }},
		{named("not_sampled_ns", Int, "ns", "time in which the sample profiler did not sample the thread between two samples"), func(t *thread) any { return t.notSampled }},
	})
}

func filesTable() *Table {
	return rowTable(Table{Name: "files", Doc: "the trace", needs: fromEvents}, fileRows, []field[file]{
		{number("files", "number of the file"), func(f *file) any { return int64(1) }},
		{named("name", Text, "", "name of the file"), func(f *file) any { return f.name }},
		{named("format", Text, "", "version of the format"), func(f *file) any { return f.trace.Header.Format.String() }},
		{processColumn, func(f *file) any { return f.process() }},
		{named("sync_time", Time, "ns", "sync time in UTC, null if the trace has none"), func(f *file) any { return utc(f.sync, 0) }},
		{named("start_ns", Int, "ns", "beginning of the recording since the sync time"), func(f *file) any { return f.trace.Nanos(f.trace.Start) }},
		{named("end_ns", Int, "ns", "end of the recording since the sync time"), func(f *file) any { return f.trace.Nanos(f.trace.End) }},
		{named("events", Int, "", "number of events"), func(f *file) any { return f.events }},
		{named("lost_events", Int, "", "number of events that the writer dropped"), func(f *file) any { return int64(f.trace.Lost) }},
		{named("truncated", Bool, "", "the trace ends without its end mark"), func(f *file) any { return f.trace.Truncated }},
	})
}

func samplesTable() *Table {
	return vectorTable(Table{Name: "samples", Doc: "samples of all types, in the order of time", needs: fromProfile | fromSamples}, func(t *Trace) (*sampleColumns, int) {
		return t.sampleRows(), len(t.sampleRows().rows)
	}, []column[sampleColumns]{
		{number("samples", "number of the sample"), func(*sampleColumns) *Vector { return &Vector{} }},
		{timeColumn, (*sampleColumns).time},
		{atColumn, (*sampleColumns).at},
		{named("type", Text, "", "wall, cpu, switch-time, alloc-size, lock-time, wait-time, exception or gc-pause, as top --type has them"), (*sampleColumns).typeNames},
		{named("unit", Text, "", "unit of value: nanoseconds, bytes or count"), (*sampleColumns).units},
		{processColumn, (*sampleColumns).processIDs},
		{threadColumn, (*sampleColumns).threadIDs},
		{named("value", Int, "", "time, bytes or number, see unit"), (*sampleColumns).values},
		{named("count", Int, "", "number of events or objects that the sample represents"), (*sampleColumns).counts},
		{stackColumn, (*sampleColumns).nodes},
		{named("state", Text, "", "of type wall: what the thread did"), (*sampleColumns).states},
		{named("cause", Text, "", "of type wall: why the thread did not run, null for none"), (*sampleColumns).causesOf},
		{named("managed", Bool, "", "of type wall: the thread was in managed code"), (*sampleColumns).managed},
		{named("class", Text, "", "type of the object or exception, kind of lock, reason of the collection; null for none"), (*sampleColumns).classesOf},
		{named("stack_status", Text, "", "complete, repaired or truncated"), (*sampleColumns).statuses},
		{named("unfinished", Bool, "", "the end is not in the trace"), (*sampleColumns).unfinished},
		requestColumn,
		owned("route", "method and route of that request", (*sampleColumns).routes),
		owned("trace_id", "of the W3C trace of that request", (*sampleColumns).traceIDs),
		owned("owner", "how that is known: async-profiler, tpl, activity or thread; ambiguous if several requests are possible", (*sampleColumns).rules),
	})
}

// owned returns a column about the request that a sample is work for.
func owned(name, doc string, of func(*sampleColumns) *Vector) column[sampleColumns] {
	return column[sampleColumns]{Column{Name: name, Type: Text, Doc: doc, needs: fromOwners}, of}
}

// requestColumn is the id of the request.
var requestColumn = owned("request_id", "request of ASP.NET Core that it was work for, null for none, as far as the trace tells it", (*sampleColumns).requestIDs)

// durationTable returns the table of the samples of one type that are durations, or of
// the exceptions.
func durationTable(table Table, of profile.Type, more ...column[sampleColumns]) *Table {
	table.needs = fromProfile | fromSamples
	list := []column[sampleColumns]{
		{number(table.Name, "number of the row"), func(*sampleColumns) *Vector { return &Vector{} }},
		{timeColumn, (*sampleColumns).time},
		{atColumn, (*sampleColumns).at},
		{processColumn, (*sampleColumns).processIDs},
		{threadColumn, (*sampleColumns).threadIDs},
		{stackColumn, (*sampleColumns).nodes},
	}
	return vectorTable(table, func(t *Trace) (*sampleColumns, int) {
		part := t.sampleRows().only(of)
		return part, len(part.rows)
	}, append(list, more...))
}

// Columns of the tables of durations.
var (
	durationColumn   = column[sampleColumns]{named("duration_ns", Int, "ns", "length of the time"), (*sampleColumns).values}
	unfinishedColumn = column[sampleColumns]{named("unfinished", Bool, "", "the end is not in the trace: the time is that up to the end of the recording"), (*sampleColumns).unfinished}
)

// classColumn returns the column with the class of a sample.
func classColumn(name, doc string) column[sampleColumns] {
	return column[sampleColumns]{named(name, Text, "", doc), (*sampleColumns).classesOf}
}

func pausesTable() *Table {
	return durationTable(Table{Name: "pauses", Doc: "times in which the garbage collector suspended all threads"}, profile.GC,
		durationColumn, classColumn("reason", "reason of the collection, null if unknown"), unfinishedColumn)
}

func locksTable() *Table {
	return durationTable(Table{Name: "locks", Doc: "waits for contended locks"}, profile.Lock,
		durationColumn, classColumn("kind", "kind of the lock"), unfinishedColumn, requestColumn)
}

func waitsTable() *Table {
	return durationTable(Table{Name: "waits", Doc: "waits for wait handles and on monitors"}, profile.Wait,
		durationColumn, unfinishedColumn, requestColumn)
}

func exceptionsTable() *Table {
	return durationTable(Table{Name: "exceptions", Doc: "exceptions thrown"}, profile.Exception,
		classColumn("type", "type of the exception, in C# syntax"), requestColumn)
}

func stacksTable() *Table {
	return vectorTable(Table{Name: "stacks", Doc: "stacks as a tree: a stack is its innermost frame, the frame of parent_id called it", needs: fromStacks}, func(t *Trace) (*stackTree, int) { return &t.tree, len(t.tree.parents) }, []column[stackTree]{
		{number("stacks", "number of the stack"), func(*stackTree) *Vector { return &Vector{} }},
		{refers("parent_id", "stacks", "stack of the caller, null at the root"), func(t *stackTree) *Vector { return reference(t.parents) }},
		{refers("frame_id", "frames", "innermost frame"), func(t *stackTree) *Vector { return numbers(t.frames) }},
		{refers("function_id", "functions", "function of the innermost frame"), func(t *stackTree) *Vector { return t.functionOfFrames(t.frames) }},
		{named("depth", Int, "", "number of frames"), func(t *stackTree) *Vector { return numbers(t.depths) }},
	})
}

func framesTable() *Table {
	return rowTable(Table{Name: "frames", Doc: "addresses of instructions in functions", needs: fromStacks}, func(t *Trace) []frame { return t.tree.frameRows() }, []field[frame]{
		{number("frames", "number of the frame"), func(f *frame) any { return f.id }},
		{named("address", Int, "", "address of the instruction as a signed number, 0 for a synthesized frame"), func(f *frame) any { return int64(f.address) }},
		{refers("function_id", "functions", "function"), func(f *frame) any { return int64(f.function) + 1 }},
	})
}

func functionsTable() *Table {
	return rowTable(Table{Name: "functions", Doc: "methods, native functions, and addresses without a name", needs: fromStacks}, func(t *Trace) []function { return t.tree.functionRows() }, []field[function]{
		{number("functions", "number of the function"), func(f *function) any { return f.id }},
		{named("name", Text, "", "name in C# syntax"), func(f *function) any { return f.Name }},
		{named("raw_name", Text, "", "name as the runtime writes it: module!Namespace.Name(signature)"), func(f *function) any { return f.RawName }},
		{named("module", Text, "", "name of the module, null if unknown"), func(f *function) any { return unlessEmpty(f.Module) }},
		{named("namespace", Text, "", "namespace of the type"), func(f *function) any { return profile.GroupNamespace.Of(f.Function) }},
		{named("assembly", Text, "", "name of the assembly, or of the module"), func(f *function) any { return profile.GroupAssembly.Of(f.Function) }},
		{named("framework", Bool, "", "the function is not the program's own"), func(f *function) any { return profile.IsFramework(f.Function) }},
	})
}

func gcTable() *Table {
	return rowTable(Table{Name: "gc", Doc: "garbage collections, and pauses without one, as report gc lists them", needs: fromGC}, gcRows, []field[collection]{
		{timeColumn, func(c *collection) any { return utc(c.sync, c.StartNs) }},
		{atColumn, func(c *collection) any { return c.StartNs }},
		{processColumn, func(c *collection) any { return known(c.process) }},
	}, declared(&gc.Table, func(c *collection) *gc.Row { return &c.Row })...)
}

func requestsTable() *Table {
	return rowTable(Table{Name: "requests", Doc: "incoming and outgoing HTTP requests, as report requests lists them", needs: fromRequests}, requestRows, []field[request]{
		{timeColumn, func(r *request) any { return utc(r.sync, r.at) }},
		{atColumn, func(r *request) any { return r.at }},
		{processColumn, func(r *request) any { return known(r.process) }},
	}, declared(&requests.Table, func(r *request) *requests.Row { return &r.Row })...)
}

func requestPartsTable() *Table {
	return rowTable(Table{Name: "request_parts", Doc: "times in which threads worked for incoming requests, as far as the trace has their ends", needs: fromRequests}, workRows, []field[work]{
		{timeColumn, func(w *work) any { return utc(w.request.sync, w.BeginNs) }},
		{atColumn, func(w *work) any { return w.BeginNs }},
		{processColumn, func(w *work) any { return known(w.request.process) }},
		{threadColumn, func(w *work) any { return int64(w.Thread) }},
		{named("request_id", Text, "", "of the table requests"), func(w *work) any { return unlessEmpty(w.request.RequestID) }},
		{named("span_id", Text, "", "of the table requests"), func(w *work) any { return unlessEmpty(w.request.SpanID) }},
		{named("duration_ns", Int, "ns", "of the part"), func(w *work) any { return w.EndNs - w.BeginNs }},
	})
}

func requestWaitsTable() *Table {
	return rowTable(Table{Name: "request_waits", Doc: "times in which threads that worked for incoming requests were blocked", needs: fromRequests}, requestWaitRows, []field[requestWait]{
		{timeColumn, func(w *requestWait) any { return utc(w.request.sync, w.BeginNs) }},
		{atColumn, func(w *requestWait) any { return w.BeginNs }},
		{processColumn, func(w *requestWait) any { return known(w.request.process) }},
		{threadColumn, func(w *requestWait) any { return int64(w.Thread) }},
		{named("request_id", Text, "", "of the table requests"), func(w *requestWait) any { return unlessEmpty(w.request.RequestID) }},
		{named("cause", Text, "", "as in report waits, or lock"), func(w *requestWait) any { return w.Cause }},
		{named("method", Text, "", "that waits"), func(w *requestWait) any { return unlessEmpty(w.Method) }},
		{named("duration_ns", Int, "ns", "of the wait"), func(w *requestWait) any { return w.EndNs - w.BeginNs }},
	})
}

func spansTable() *Table {
	return rowTable(Table{Name: "spans", Doc: "times from a start to a stop of an event source, as report spans joins them", needs: fromSpans}, spanRows, []field[span]{
		{timeColumn, func(s *span) any { return utc(s.sync, s.StartNs) }},
		{atColumn, func(s *span) any { return s.StartNs }},
		{processColumn, func(s *span) any { return known(s.process) }},
		{named("start_thread_id", Int, "", "thread of the start"), func(s *span) any { return int64(s.StartThreadID) }},
		{named("stop_thread_id", Int, "", "thread of the stop"), func(s *span) any { return int64(s.StopThreadID) }},
		{named("provider", Text, "", "name of the event source"), func(s *span) any { return s.Provider }},
		{named("name", Text, "", "of the events, without Start and Stop"), func(s *span) any { return s.Name }},
		{named("key", Text, "", "values of the start's fields that name the span, null for none"), func(s *span) any { return unlessEmpty(s.Key) }},
		{named("joined", Text, "", "activity, key or nesting: why the start and the stop belong together"), func(s *span) any { return s.Joined.String() }},
		{durationColumn.Column, func(s *span) any { return s.DurationNs }},
		{named("self_ns", Int, "ns", "duration_ns without the spans within it"), func(s *span) any { return s.SelfNs }},
		{named("exceptions", Int, "", "thrown on its thread in that time, null if unknown"), func(s *span) any { return known(s.Exceptions) }},
		{named("wait_ns", Int, "ns", "in which its thread waited, null if unknown"), func(s *span) any { return known(s.WaitNs) }},
	})
}

func countersTable() *Table {
	return rowTable(Table{Name: "counters", Doc: "values of EventCounters and Meters", needs: fromCounters}, counterRows, []field[counterValue]{
		{timeColumn, func(v *counterValue) any { return utc(v.sync, v.at) }},
		{atColumn, func(v *counterValue) any { return v.at }},
		{processColumn, func(v *counterValue) any { return unlessZero(v.Process) }},
		{named("provider", Text, "", "name of the EventSource or the Meter"), func(v *counterValue) any { return v.Provider }},
		{named("name", Text, "", "name of the counter"), func(v *counterValue) any { return v.Timeline.Name }},
		{named("display", Text, "", "name for users"), func(v *counterValue) any { return unlessEmpty(v.Display) }},
		{named("unit", Text, "", "unit of the value"), func(v *counterValue) any { return unlessEmpty(v.Unit) }},
		{named("tags", Text, "", "as in the event"), func(v *counterValue) any { return unlessEmpty(v.Tags) }},
		{named("value", Float, "", "a value, a rate in a second, or of a histogram the mean of an interval, as report counters shows it"), func(v *counterValue) any { return v.value }},
	})
}

func marksTable() *Table {
	return rowTable(Table{Name: "marks", Doc: "events of event sources, spans between two of them, and garbage collections", needs: fromMarks | fromProfile}, func(t *Trace) []mark { return t.marks }, []field[mark]{
		{timeColumn, func(m *mark) any { return utc(m.sync, m.fromNs) }},
		{atColumn, func(m *mark) any { return m.fromNs }},
		{processColumn, func(m *mark) any { return unlessZero(m.thread.ProcessID) }},
		{threadColumn, func(m *mark) any { return int64(m.thread.ID) }},
		{named("provider", Text, "", "name of the provider"), func(m *mark) any { return m.Provider }},
		{named("name", Text, "", "name of the event or span"), func(m *mark) any { return m.Name }},
		{named("duration_ns", Int, "ns", "length of a span, 0 for an event"), func(m *mark) any { return m.toNs - m.fromNs }},
		{named("activity_id", Text, "", "GUID of the activity, null for none"), func(m *mark) any { return activityText(m.Activity) }},
		{named("related_activity_id", Text, "", "GUID of the activity that caused it, null for none"), func(m *mark) any { return activityText(m.Related) }},
		{named("unfinished", Bool, "", "the end of the span is not in the trace"), func(m *mark) any { return m.Unfinished }},
	})
}

func lostTable() *Table {
	return rowTable(Table{Name: "lost", Doc: "events that a thread logged and that the writer dropped, where the trace shows it", needs: fromEvents}, lossRows, []field[loss]{
		{timeColumn, func(l *loss) any { return utc(l.sync, l.from) }},
		{atColumn, func(l *loss) any { return l.from }},
		{processColumn, func(l *loss) any { return unlessZero(l.Thread.Process) }},
		{threadColumn, func(l *loss) any { return int64(l.Thread.ID) }},
		{named("until_ns", Int, "ns", "time since the sync time of the first event after them"), func(l *loss) any { return l.to }},
		{named("events", Int, "", "number of lost events"), func(l *loss) any { return int64(l.Count) }},
	})
}

// counterValue is a row of the table counters.
type counterValue struct {
	*counters.Timeline
	at, sync int64
	value    float64
}
