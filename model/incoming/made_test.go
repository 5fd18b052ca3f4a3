package incoming_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/clr/async"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tracetest"
	"github.com/nettrace-go/nettrace/model/incoming"
)

// step is an event of a made recording.
type step struct {
	at, thread        uint64
	what              string // "hosting+", "bridge+", "kestrel+"; "-" for the stops; "throws"; "span+", "span-"; "switch"; "await", "wake" and "done" of task 1
	id                string // of Kestrel, of the bridge's TraceIdentifier, or of the span and its parent: one digit each
	activity, related byte   // the first byte of the ids
	losses            int
	stack             incoming.Stack // of "await"
}

// payload returns what describes the event of a step.
func (s *step) payload() (provider, name string, id uint32, payload []byte) {
	switch s.what {
	case "hosting+":
		f := clr.HostingRequestStartFields{Method: "GET", Path: "/a%20b"}
		return clr.HostingProvider, "RequestStart", 3, f.Append(nil, 0, 8)
	case "hosting-":
		return clr.HostingProvider, "RequestStop", 4, nil
	case "throws":
		return clr.HostingProvider, "UnhandledException", 5, nil
	case "kestrel+", "kestrel-":
		f := clr.KestrelRequestStartFields{ConnectionID: "C", RequestID: s.id, HttpVersion: "HTTP/2", Path: "/a b", Method: "GET"}
		if s.what == "kestrel-" {
			return clr.KestrelProvider, "RequestStop", 4, f.Append(nil, 0, 8)
		}
		return clr.KestrelProvider, "RequestStart", 3, f.Append(nil, 0, 8)
	case "switch":
		f := clr.SetActivityIDFields{NewID: wire.GUID{s.activity}}
		return clr.TasksProvider, "SetActivityId", 25, f.Append(nil, 0, 8)
	case "await":
		f := clr.TaskWaitBeginFields{TaskID: 1, Behavior: 2}
		return clr.TasksProvider, "TaskWaitBegin", 10, f.Append(nil, 0, 8)
	case "wake":
		f := clr.TaskWaitEndFields{TaskID: 1}
		return clr.TasksProvider, "TaskWaitEnd", 11, f.Append(nil, 0, 8)
	case "done":
		f := clr.TaskWaitContinuationStartedFields{TaskID: 1}
		return clr.TasksProvider, "TaskWaitContinuationComplete", 13, f.Append(nil, 0, 8)
	}
	digits := func(digit string, n int) string { return strings.Repeat(digit, n) }
	switch s.what {
	case "span+", "span-":
		f := clr.DiagnosticsPlainFields{SourceName: "Shop", EventName: "work", Arguments: []clr.DiagnosticsPlainArgumentFields{
			{Key: "TraceId", Value: digits("7", 32)}, {Key: "SpanId", Value: digits(s.id[:1], 16)}, {Key: "ParentSpanId", Value: digits(s.id[1:], 16)},
		}}
		if s.what == "span-" {
			return clr.DiagnosticsProvider, "ActivityStop", 93, f.Append(nil, 0, 8)
		}
		return clr.DiagnosticsProvider, "ActivityStart", 92, f.Append(nil, 0, 8)
	}
	f := clr.DiagnosticsPlainFields{SourceName: "Microsoft.AspNetCore", EventName: "Microsoft.AspNetCore.Hosting.HttpRequestIn.Start"}
	name, id = "Activity1Start", 90
	if s.what == "bridge-" {
		f.EventName, name, id = "Microsoft.AspNetCore.Hosting.HttpRequestIn.Stop", "Activity1Stop", 91
		f.Arguments = append(f.Arguments, clr.DiagnosticsPlainArgumentFields{Key: "StatusCode", Value: "200"})
	}
	if s.id != "" && s.what == "bridge+" {
		f.Arguments = append(f.Arguments, clr.DiagnosticsPlainArgumentFields{Key: "TraceId", Value: digits("7", 32)}, clr.DiagnosticsPlainArgumentFields{Key: "SpanId", Value: digits(s.id[2:], 16)})
	}
	if s.id != "" {
		f.Arguments = append(f.Arguments, clr.DiagnosticsPlainArgumentFields{Key: "TraceIdentifier", Value: s.id})
	}
	return clr.DiagnosticsProvider, name, id, f.Append(nil, 0, 8)
}

// made returns the requests of a made recording.
func made(t *testing.T, steps ...step) *incoming.Requests {
	t.Helper()
	m := tracetest.New(wire.V4)
	types := map[string]uint32{}
	for i := range steps {
		s := &steps[i]
		provider, name, id, payload := s.payload()
		if key := fmt.Sprint(provider, id); types[key] == 0 {
			types[key] = m.Metadata(&codec.Metadata{Provider: provider, EventID: id, Name: name, Level: 4})
		}
		m.Now = s.at
		row := codec.EventRow{
			MetadataID: types[fmt.Sprint(provider, id)], CaptureThreadIndex: s.thread, ThreadIndex: s.thread, Timestamp: s.at, Processor: wire.UnknownProcessor, Payload: payload,
		}
		if s.what != "switch" { // its header has the activity before
			row.Activity, row.Related = wire.GUID{s.activity}, wire.GUID{s.related}
		}
		m.Event(&row)
	}
	var log incoming.Log
	r := codec.NewBytesReader(m.Bytes(), codec.Options{})
	n := 0
	for ev, err := range r.Events() {
		expect.NoError(t, err)
		incoming.HandlerOf(ev.Metadata())(&log, ev, incoming.Writer{Thread: ev.ThreadIndex, Losses: steps[n].losses, Stack: int32(n + 1)})
		n++
	}
	return log.Requests(incoming.Facts{Version: 11, Stacks: func(number int32) incoming.Stack { return steps[number-1].stack }})
}

// TestPairs: the records of a request are one request, whichever of them there are.
func TestPairs(t *testing.T) {
	for _, c := range []struct {
		name  string
		steps []step
		want  string // id, begin-end, status of each request
	}{
		{"all", []step{
			{at: 10, thread: 1, what: "hosting+", activity: 1}, {at: 11, thread: 1, what: "bridge+", activity: 2, related: 1}, {at: 12, thread: 1, what: "kestrel+", id: "C:1", activity: 3, related: 2},
			{at: 20, thread: 2, what: "kestrel-", id: "C:1", activity: 3}, {at: 21, thread: 2, what: "bridge-", activity: 2}, {at: 22, thread: 2, what: "hosting-", activity: 1},
		}, "C:1 10-22 200;"},
		{"eleventh child", []step{ // Kestrel's children of one connection have one id
			{at: 10, thread: 1, what: "hosting+", activity: 1}, {at: 11, thread: 1, what: "kestrel+", id: "C:1", activity: 3, related: 1},
			{at: 12, thread: 2, what: "hosting+", activity: 1}, {at: 13, thread: 2, what: "kestrel+", id: "C:2", activity: 3, related: 1},
			{at: 20, thread: 3, what: "kestrel-", id: "C:1", activity: 3}, {at: 21, thread: 3, what: "hosting-", activity: 1},
			{at: 30, thread: 3, what: "kestrel-", id: "C:2", activity: 3}, {at: 31, thread: 3, what: "hosting-", activity: 1},
		}, "C:1 10-21 0;C:2 12-31 0;"},
		{"Kestrel is enabled last", []step{ // the start was before it
			{at: 10, thread: 1, what: "bridge+", id: "C:1", activity: 2}, {at: 15, thread: 1, what: "hosting+", activity: 5}, {at: 16, thread: 1, what: "bridge+", id: "C:2", activity: 6, related: 5},
			{at: 17, thread: 1, what: "kestrel+", id: "C:2", activity: 7, related: 6},
			{at: 20, thread: 2, what: "kestrel-", id: "C:1"}, {at: 21, thread: 2, what: "bridge-", id: "C:1", activity: 2},
		}, "C:1 10-21 200;C:2 15- 0;"},
		{"began before", []step{{at: 20, thread: 2, what: "kestrel-", id: "C:1", activity: 3}}, "C:1 -20 0;"},
		{"another start is lost", []step{
			{at: 10, thread: 1, what: "hosting+", activity: 1}, {at: 30, thread: 1, what: "kestrel+", id: "C:2", activity: 9, related: 8}, {at: 40, thread: 1, what: "kestrel-", id: "C:2", activity: 9},
		}, " 10- 0;C:2 30-40 0;"},
		{"Hosting alone, ambiguous", []step{
			{at: 10, thread: 1, what: "hosting+", activity: 1}, {at: 11, thread: 2, what: "hosting+", activity: 1}, {at: 20, thread: 3, what: "hosting-", activity: 1}, {at: 21, thread: 3, what: "hosting-", activity: 1},
		}, " 10- ambiguous; 11- ambiguous;"},
	} {
		got := ""
		for _, r := range made(t, c.steps...).List {
			got += r.ID + " "
			if r.Began {
				got += fmt.Sprint(r.Begin)
			}
			got += "-"
			if r.Ended {
				got += fmt.Sprint(r.End)
			}
			if r.Ambiguous {
				got += " ambiguous;"
				continue
			}
			got += fmt.Sprintf(" %d;", r.Status)
		}
		expect.Equal(t, c.name, got, c.want)
	}
}

// TestUnhandled: Hosting writes an exception that the application did not handle just before its stop
// of the request, which distinguishes them where several requests have one activity.
func TestUnhandled(t *testing.T) {
	for _, c := range []struct {
		name  string
		steps []step // after the starts of C:1 and C:2
		want  string
	}{
		{"each on its thread", []step{
			{at: 20, thread: 3, what: "throws", activity: 1}, {at: 21, thread: 4, what: "kestrel-", id: "C:1", activity: 3}, {at: 22, thread: 4, what: "hosting-", activity: 1},
			{at: 23, thread: 3, what: "kestrel-", id: "C:2", activity: 3}, {at: 24, thread: 3, what: "hosting-", activity: 1},
		}, "C:1 false;C:2 true;"},
		{"the stop is lost", []step{
			{at: 20, thread: 3, what: "throws", activity: 1}, {at: 23, thread: 3, what: "kestrel-", id: "C:2", activity: 3, losses: 1}, {at: 24, thread: 3, what: "hosting-", activity: 1, losses: 1},
		}, "C:1 false;C:2 false;"},
		{"the end of the recording", []step{{at: 20, thread: 3, what: "throws", activity: 1}}, "C:1 false;C:2 false;"},
	} {
		requests := made(t, append([]step{
			{at: 10, thread: 1, what: "hosting+", activity: 1}, {at: 11, thread: 1, what: "kestrel+", id: "C:1", activity: 3, related: 1},
			{at: 12, thread: 2, what: "hosting+", activity: 1}, {at: 13, thread: 2, what: "kestrel+", id: "C:2", activity: 3, related: 1},
		}, c.steps...)...)
		got := ""
		for _, r := range requests.List {
			got += fmt.Sprintf("%s %t;", r.ID, r.Unhandled)
		}
		expect.Equal(t, c.name, got, c.want)
		expect.Equal(t, c.name+": exceptions", requests.Unhandled, 1)
	}
}

// TestOwner: the activity of a thread tells its request, and nothing is guessed.
func TestOwner(t *testing.T) {
	steps := []step{
		{at: 9, thread: 1, what: "switch", activity: 3}, {at: 10, thread: 1, what: "kestrel+", id: "C:1", activity: 3}, {at: 15, thread: 1, what: "switch"},
		{at: 20, thread: 2, what: "switch", activity: 3}, {at: 30, thread: 2, what: "switch", activity: 3, losses: 1}, {at: 40, thread: 2, what: "kestrel-", id: "C:1", activity: 3, losses: 1},
	}
	one := made(t, steps...)
	both := made(t, append(steps[:len(steps):len(steps)], step{at: 41, thread: 3, what: "kestrel+", id: "C:2", activity: 3}, step{at: 42, thread: 4, what: "kestrel+", id: "C:3", activity: 3},
		step{at: 43, thread: 5, what: "switch", activity: 3})...)
	handles := func() incoming.Stack { return incoming.Stack{Handles: true} }
	for _, c := range []struct {
		of      *incoming.Requests
		moment  incoming.Moment
		request int
		rule    incoming.Rule
	}{
		{one, incoming.Moment{Thread: 1, Ticks: 12}, 0, incoming.ByActivity},
		{one, incoming.Moment{Thread: 1, Ticks: 16, Stack: handles}, -1, incoming.NoOwner},
		{one, incoming.Moment{Thread: 2, Ticks: 25}, 0, incoming.ByActivity},
		{one, incoming.Moment{Thread: 2, Ticks: 45}, -1, incoming.NoOwner}, // it has ended
		{one, incoming.Moment{Thread: 7, Ticks: 25}, -1, incoming.NoOwner},
		{one, incoming.Moment{Thread: 7, Ticks: 25, Activity: wire.GUID{3}}, 0, incoming.ByActivity},
		{both, incoming.Moment{Thread: 5, Ticks: 44}, -1, incoming.Ambiguous},
		{both, incoming.Moment{Thread: 3, Ticks: 44, Stack: handles}, 1, incoming.ByThread},
		{both, incoming.Moment{Thread: 3, Ticks: 44}, -1, incoming.NoOwner},
	} {
		got := c.of.Owner(c.moment)
		if got.Request != c.request || got.Rule != c.rule {
			t.Errorf("thread %d at %d: request %d by %q, want %d by %q", c.moment.Thread, c.moment.Ticks, got.Request, got.Rule, c.request, c.rule)
		}
	}
}

// TestSpanOf: the innermost open span is that of the thread's activity, unless something else of the request has its id.
func TestSpanOf(t *testing.T) {
	requests := made(t,
		step{at: 10, thread: 1, what: "bridge+", id: "C:1", activity: 2, related: 1}, step{at: 11, thread: 1, what: "kestrel+", id: "C:1", activity: 3, related: 2},
		step{at: 20, thread: 1, what: "switch", activity: 4}, step{at: 21, thread: 1, what: "span+", id: "51", activity: 4, related: 3},
		step{at: 30, thread: 1, what: "switch", activity: 5}, step{at: 31, thread: 1, what: "span+", id: "65", activity: 5, related: 4},
		step{at: 40, thread: 2, what: "switch", activity: 4}, step{at: 45, thread: 1, what: "span-", id: "65", activity: 5},
		step{at: 50, thread: 2, what: "switch", activity: 3}, step{at: 60, thread: 2, what: "switch", activity: 6},
		step{at: 61, thread: 2, what: "span+", id: "81", activity: 6, related: 3}, step{at: 70, thread: 3, what: "span+", id: "91", activity: 6, related: 3},
		step{at: 80, thread: 3, what: "span-", id: "91", activity: 6},
	)
	for _, c := range []struct {
		thread, ticks uint64
		want          string
	}{
		{1, 15, ""}, {1, 20, ""}, {1, 25, "5"}, {1, 35, "6"}, {1, 46, "5"}, {2, 42, "5"}, {2, 55, ""}, {2, 65, "8"}, {2, 75, ""}, {2, 85, ""},
	} {
		got := ""
		if s := requests.Span(incoming.Moment{Thread: c.thread, Ticks: c.ticks}, 0); s != nil {
			got = s.SpanID[:1]
		}
		expect.Equal(t, fmt.Sprintf("thread %d at %d", c.thread, c.ticks), got, c.want)
	}
	expect.Equal(t, "enclosing", requests.Enclosing(requests.Span(incoming.Moment{Thread: 1, Ticks: 35}, 0)).SpanID[:1], "5")
}

// TestStackOf: the loop of Kestrel is no request until it calls the application, and what the runtime resumed
// after that is not the request.
func TestStackOf(t *testing.T) {
	const loop = "Microsoft.AspNetCore.Server.Kestrel.Core.Internal.Http.HttpProtocol+<ProcessRequests>d__238`1.MoveNext"
	const application = "Microsoft.AspNetCore.Hosting.HostingApplication.ProcessRequestAsync"
	const box = "System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1+AsyncStateMachineBox`1[Result,Machine].MoveNext"
	const dispatch = "System.Runtime.CompilerServices.AsyncHelpers+RuntimeAsyncTask`1[Result].DispatchContinuations"
	handles, machine, runtime := incoming.Stack{Handles: true}, incoming.Stack{Resumed: async.Machine}, incoming.Stack{Resumed: async.Runtime}
	for _, c := range []struct {
		stack []string // leaf first
		want  incoming.Stack
	}{
		{[]string{"Shop.Work.Cpu", application, loop}, handles},
		{[]string{"Shop.Work.Cpu", application, loop, box}, handles},
		{[]string{"Shop.Work.Cpu", application, dispatch}, handles},
		{[]string{"Shop.Work.Cpu", "Microsoft.AspNetCore.HostFiltering.HostFilteringMiddleware.Invoke", loop}, handles},
		{[]string{"Microsoft.AspNetCore.Server.Kestrel.Core.Internal.Http.Http1Connection.TryParseRequest", loop}, incoming.Stack{}},
		{[]string{"Microsoft.AspNetCore.Hosting.HostingApplication.CreateContext", loop, box}, machine},
		{[]string{loop}, incoming.Stack{}},
		{[]string{"Shop.Work.Cpu", "System.Threading.ThreadPoolWorkQueue.Dispatch"}, incoming.Stack{}},
		{[]string{"Shop.Work+<A>d__1.MoveNext", box, application, dispatch}, machine},
		{[]string{"Shop.Work+<A>d__1.MoveNext", "Shop.Work.B", dispatch, box}, runtime},
	} {
		got := incoming.StackOf(len(c.stack), func(i int) (class, method string) {
			at := len(c.stack[i]) - len(lastWord(c.stack[i]))
			return c.stack[i][:at-1], c.stack[i][at:]
		})
		if got != c.want {
			t.Errorf("%q: %+v, want %+v", c.stack, got, c.want)
		}
	}
}

// TestTasks: on .NET 11 the events about tasks tell the request of a state machine that the runtime resumed, if the
// stack tells that the request awaited it.
func TestTasks(t *testing.T) {
	handles, machine, runtime := incoming.Stack{Handles: true}, incoming.Stack{Resumed: async.Machine}, incoming.Stack{Resumed: async.Runtime}
	for _, c := range []struct {
		what    string
		awaits  incoming.Stack // at the await
		runs    incoming.Stack // of the moment after it
		request int
	}{
		{"awaited by the request", handles, machine, 0},
		{"by what a runtime-async method called", runtime, machine, -1},
		{"by what no event resumed", machine, machine, -1},
		{"without a stack", incoming.Stack{}, machine, -1},
		{"a runtime-async method runs meanwhile", handles, runtime, -1},
	} {
		of := made(t, step{at: 10, thread: 1, what: "kestrel+", id: "C:1"}, step{at: 15, thread: 1, what: "await", stack: c.awaits},
			step{at: 20, thread: 2, what: "wake"}, step{at: 30, thread: 2, what: "done"}, step{at: 40, thread: 2, what: "kestrel-", id: "C:1"})
		for _, at := range []struct {
			ticks   uint64
			request int
		}{{19, -1}, {25, c.request}, {35, -1}} {
			got := of.Owner(incoming.Moment{Thread: 2, Ticks: at.ticks, Stack: func() incoming.Stack { return c.runs }})
			expect.Equal(t, fmt.Sprintf("%s, at %d", c.what, at.ticks), got.Request, at.request)
			expect.Equal(t, fmt.Sprintf("%s, rule at %d", c.what, at.ticks), got.Rule == incoming.ByTasks, at.request >= 0)
		}
	}
}

// lastWord returns what follows the last dot.
func lastWord(s string) string {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == '.' {
			return s[i+1:]
		}
	}
	return s
}
