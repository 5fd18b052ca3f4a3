package async

import (
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/internal/blocking"
	"github.com/nettrace-go/nettrace/model/logical"
)

// awaits is the Behavior of TaskWaitBegin for an await; otherwise the thread blocks. execution is
// the Work of TraceSynchronousWorkBegin for the code of a task.
const (
	awaits    = 2
	execution = 2
)

// routes are the events of the task library.
var routes = map[clr.Kind]func(*process, *analysis.Trace, *codec.Event){
	clr.KindTaskWaitBegin: func(p *process, t *analysis.Trace, ev *codec.Event) {
		e := clr.TaskWaitBegin(ev)
		switch {
		case e.Short():
		case e.Behavior() == awaits:
			p.awaits.Begin(uint32(e.ContinueWithTaskID()), uint32(e.TaskID()), ev.Timestamp, uint32(t.Stack(ev)))
		default:
			p.awaits.Block(t.Thread(ev).ID, uint32(e.TaskID()))
		}
	},
	clr.KindTaskWaitEnd: func(p *process, t *analysis.Trace, ev *codec.Event) {
		p.ends = true
		if e := clr.TaskWaitEnd(ev); !e.Short() {
			p.awaits.End(t.Thread(ev).ID, uint32(e.TaskID()), ev.Timestamp)
		}
	},
	clr.KindTraceSynchronousWorkBegin: func(p *process, t *analysis.Trace, ev *codec.Event) {
		if e := clr.TraceSynchronousWorkBegin(ev); !e.Short() && e.Work() == execution {
			p.awaits.Run(t.Thread(ev).ID, uint32(e.TaskID()))
		}
	},
	clr.KindAwaitTaskContinuationScheduled: func(p *process, t *analysis.Trace, ev *codec.Event) {
		if e := clr.AwaitTaskContinuationScheduled(ev); !e.Short() {
			p.awaits.Yield(uint32(e.ContinueWithTaskID()), ev.Timestamp, uint32(t.Stack(ev)))
		}
	},
	clr.KindTaskWaitContinuationStarted: func(p *process, t *analysis.Trace, ev *codec.Event) {
		if e := clr.TaskWaitContinuationStarted(ev); !e.Short() {
			p.awaits.Continue(t.Thread(ev).ID, uint32(e.TaskID()), ev.Timestamp)
		}
	},
}

// taskReport makes the report of a process without records of the async profiler.
func (p *process) taskReport(t *analysis.Trace) analysis.Report {
	list, callers := p.awaits.All(), p.awaits.Callers()
	totals := &Totals{
		Source: logical.TasksSource, Lost: int64(t.Lost), WaitsLeftOut: p.awaits.LeftOut,
		Ambiguous: analysis.Known(p.awaits.Ambiguous), Open: analysis.Known(p.awaits.Open()),
	}
	r, outer := newRows(t, totals), int64(0)
	waiting := make(map[uint32]bool, len(list))
	for i := range list {
		waiting[list[i].Task] = true
	}
	machines := map[uint32]named{}
	for i := range list {
		w := &list[i]
		one := Wait{ThreadID: w.Thread, Outer: w.Awaited != 0 && waiting[w.Awaited]}
		if w.Task != 0 {
			one.Task = strconv.FormatUint(uint64(w.Task), 10)
		}
		if one.Outer {
			outer++
		}
		method := ""
		own := false
		for at, n := i, 0; at >= 0 && n < deepest; n++ {
			of := machineOf(t, machines, &list[at])
			if of.ok {
				if method == "" || of.own && !own {
					method = of.text
				}
				own = own || of.own
				one.Frames = append(one.Frames, of.text)
			}
			at = callers.Of(list, list[at].Task, w.End)
		}
		r.add(place{method: method}, w.Begin, w.End, one)
	}
	totals.OuterWaits = analysis.Known(outer)
	report := analysis.NewReport(Name, p.id)
	report.Rows, report.Totals, report.Waits = r.sorted(), totals, r.waits
	return report
}

// deepest is the number of methods of a chain that are followed.
const deepest = 1000

// machineOf names the state machine that waits: the innermost one on the stack of the event.
func machineOf(t *analysis.Trace, known map[uint32]named, w *logical.Await) named {
	one, ok := known[w.Stack]
	if ok {
		return one
	}
	for _, f := range t.Frames(analysis.StackID(w.Stack), w.Begin) {
		if isMachine(f.Symbol) {
			one = named{f.Name(), !blocking.IsFramework(f.Symbol, f.Symbol.ModuleName()), true}
			break
		}
	}
	known[w.Stack] = one
	return one
}

// isMachine reports whether a method is that of the state machine of an async method.
func isMachine(s *symbols.Symbol) bool {
	return s != nil && s.Method == "MoveNext" && !strings.HasPrefix(s.Signature, "instance bool") // an iterator's
}
