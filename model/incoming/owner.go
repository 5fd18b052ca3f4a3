package incoming

import (
	"slices"
	"sort"
	"strings"

	"github.com/nettrace-go/nettrace/codec/clr/async"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/model/logical"
)

// Rule is how the owner of a moment was found.
type Rule uint8

// The rules, in the order in which they are tried.
const (
	NoOwner         Rule = iota // outside of requests, as far as is known
	ByAsyncProfiler             // the records of the async profiler of .NET 11, within what they cover
	ByTasks                     // the events of System.Threading.Tasks.TplEventSource: .NET 10 and before
	ByActivity                  // the activity of the thread or of the event
	ByThread                    // the synchronous part of the request, on the thread where it began
	Ambiguous                   // several requests are possible
)

// String returns the name of the rule, such as "async-profiler"; "" for NoOwner.
func (r Rule) String() string {
	return [...]string{"", logical.ProfilerSource, logical.TasksSource, "activity", "thread", "ambiguous"}[min(int(r), 5)]
}

// Owner is the request that a moment belongs to.
type Owner struct {
	Request int  // position in Requests.List, -1 for none
	Rule    Rule // NoOwner or Ambiguous without a request
}

// Moment is a time of a thread.
type Moment struct {
	Thread   uint64    // id of the operating system
	Ticks    uint64    // of the trace
	Activity wire.GUID // of the event, zero for none
	// Stack returns what the stack of the thread shows: see StackOf. nil: there is no stack.
	Stack func() Stack
}

// parent is the activity that another one is a child of, from a time on.
type parent struct {
	ticks    uint64
	activity int32
}

// Owner returns the owner of a moment.
func (r *Requests) Owner(m Moment) Owner { return r.owner(&m, r.numbers[m.Activity]) }

// owner returns the owner of a moment whose event has an activity.
func (r *Requests) owner(m *Moment, activity int32) Owner {
	if r.fullAt != 0 && m.Ticks >= r.fullAt {
		return Owner{Request: -1}
	}
	if of := r.records[record{m.Thread, m.Ticks}]; of != nil {
		if of.into != nil {
			of = of.into
		}
		return Owner{of.at, ByThread}
	}
	var known Stack
	asked := false
	stack := func() Stack {
		if !asked && m.Stack != nil {
			known = m.Stack()
		}
		asked = true
		return known
	}
	for _, of := range []struct {
		lines lines
		rule  Rule
	}{{r.chains, ByAsyncProfiler}, {r.tasks, ByTasks}} {
		c := of.lines.at(m.Thread, m.Ticks)
		switch {
		case c.value == unknown, c.synchronous && !stack().Handles, c.resumed && stack().Resumed != async.Machine:
		case c.value == nobody:
			return Owner{Request: -1}
		case r.List[c.value].openAt(m.Ticks):
			return Owner{int(c.value), of.rule}
		}
	}
	last := r.lastBegun(m.Thread, m.Ticks)
	started := last >= 0 && r.List[r.begun[m.Thread][last].request].openAt(m.Ticks)
	now, at := r.activityAt(m.Thread, m.Ticks)
	if now == unknown && activity != 0 {
		now = activity
	}
	if now != unknown {
		switch found := r.resolve(now, m.Ticks, 0); {
		case found >= 0:
			return Owner{int(found), ByActivity}
		case found == nobody:
			if activity == 0 || activity == now {
				return Owner{Request: -1}
			}
			if found = r.resolve(activity, m.Ticks, 0); found >= 0 {
				return Owner{int(found), ByActivity}
			}
			return Owner{Request: -1}
		case started && at > 0 && r.begun[m.Thread][last].ticks >= at:
			return Owner{int(r.begun[m.Thread][last].request), ByActivity}
		case started && stack().Handles:
			return Owner{int(r.begun[m.Thread][last].request), ByThread}
		}
		return Owner{-1, Ambiguous}
	}
	if started && stack().Handles {
		return Owner{int(r.begun[m.Thread][last].request), ByThread}
	}
	return Owner{Request: -1}
}

// activityAt returns the activity of a thread at a time, and since when. It is unknown without
// SetActivityId.
func (r *Requests) activityAt(thread, ticks uint64) (activity int32, since uint64) {
	c := r.activity.at(thread, ticks)
	return c.value, c.ticks
}

// lastBegun returns the position of the last request that a thread began before a time, -1 for
// none.
func (r *Requests) lastBegun(thread, ticks uint64) int {
	list := r.begun[thread]
	return sort.Search(len(list), func(i int) bool { return list[i].ticks > ticks }) - 1
}

// deepest is how many activities within each other are followed.
const deepest = 8

// resolve returns the request that an activity belongs to at a time: nobody, unknown if it can be
// several.
func (r *Requests) resolve(activity int32, ticks uint64, depth int) int32 {
	if activity == 0 || depth > deepest {
		return nobody
	}
	found := nobody
	for _, of := range r.stands[activity] {
		if r.List[of].openAt(ticks) {
			if found != nobody {
				return unknown
			}
			found = of
		}
	}
	if found != nobody {
		return found
	}
	list := r.parents[activity]
	n := sort.Search(len(list), func(i int) bool { return list[i].ticks > ticks })
	var tried []int32
	for i := n - 1; i >= 0 && len(tried) < 4; i-- {
		up := list[i].activity
		if slices.Contains(tried, up) || up == activity {
			continue
		}
		tried = append(tried, up)
		switch one := r.resolve(up, ticks, depth+1); {
		case one == unknown:
			return unknown
		case one == nobody:
		case found != nobody && found != one:
			return unknown
		default:
			found = one
		}
	}
	return found
}

// Stack is what the stack of a thread shows of the request that it works for.
type Stack struct {
	// Handles reports that a request began on the thread and is still served: its host calls the
	// application, or Kestrel's loop over the requests of a connection calls what is neither
	// Kestrel's nor the class library's.
	Handles bool
	// Resumed is the kind of the method that runs because the runtime resumed it: async.NoKind if the
	// thread has resumed none, or handles a request that began after it.
	Resumed async.Kind
}

// StackOf returns what a stack of n frames shows. name returns the type and the method of a frame,
// leaf first.
func StackOf(n int, name func(int) (class, method string)) Stack {
	resumed := logical.BoundaryOf(n, func(i int) logical.Role { return logical.RoleOf(name(i)) })
	if isHandling(resumed.At, name) {
		return Stack{Handles: true}
	}
	return Stack{Resumed: resumed.Kind}
}

// isHandling reports whether the frames since the last resumption are those of a request that began.
func isHandling(n int, name func(int) (class, method string)) bool {
	for i := range n {
		class, method := name(i)
		switch {
		case class == "Microsoft.AspNetCore.Hosting.HostingApplication" && method == "ProcessRequestAsync":
			return true
		case isLoop(class, method):
			if i == 0 {
				return false
			}
			callee, _ := name(i - 1)
			return strings.HasPrefix(callee, "Microsoft.AspNetCore.") && !strings.HasPrefix(callee, "Microsoft.AspNetCore.Server.") &&
				callee != "Microsoft.AspNetCore.Hosting.HostingApplication" && !strings.HasPrefix(callee, "Microsoft.AspNetCore.Hosting.HostingApplication")
		}
	}
	return false
}

// isLoop reports whether a method is Kestrel's loop over the requests of a connection.
func isLoop(class, method string) bool {
	const http = "Microsoft.AspNetCore.Server.Kestrel.Core.Internal.Http.HttpProtocol"
	return class == http && method == "ProcessRequests" || method == "MoveNext" && strings.HasPrefix(class, http+"+<ProcessRequests>")
}
