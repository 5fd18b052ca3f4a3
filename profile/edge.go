package profile

import (
	"github.com/nettrace-go/nettrace/codec/clr"

	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/model/logical"
)

// frameRole is what a frame means for Options.Async.
type frameRole uint8

const (
	otherCode    frameRole = iota
	asyncMethod            // the state machine of an async method, or an iterator
	resumedCode            // the runtime continues an async method
	taskCode               // the runtime runs a task
	poolCode               // a thread of the pool runs a work item
	tracingCode            // the runtime writes an event
	runtimeCode            // the runtime continues a method compiled with runtime-async: no event tells who awaits it
	roleNotKnown           // of a function that was not looked up
)

// roleMethods lists the methods of roles by type and method. An empty method
// means all methods of the types that begin so.
var roleMethods = []struct {
	role    frameRole
	class   string
	methods []string
}{
	{taskCode, "System.Threading.Tasks.Task", []string{"ExecuteWithThreadLocal", "ExecuteEntry", "ExecuteEntryUnsafe", "ExecuteFromThreadPool"}},
	{poolCode, "System.Threading.ExecutionContext", []string{"RunFromThreadPoolDispatchLoop"}},
	{poolCode, "System.Threading.ThreadPoolWorkQueue", []string{"Dispatch"}},
	{resumedCode, "System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1+AsyncStateMachineBox`1", nil},
	{resumedCode, "System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1+DebugFinalizableAsyncStateMachineBox`1", nil},
	{resumedCode, "System.Runtime.CompilerServices.PoolingAsyncValueTaskMethodBuilder`1+StateMachineBox", nil},
	{tracingCode, clr.TasksProvider, nil}, // the class has the name of the provider
	{tracingCode, "System.Diagnostics.Tracing.", nil},
}

// roleOf returns the role of a frame. It is looked up once for each function.
func (n *naming) roleOf(f FrameID) frameRole {
	id := n.frames[f].Function
	for int(id) >= len(n.roles) {
		n.roles = append(n.roles, roleNotKnown)
	}
	if n.roles[id] == roleNotKnown {
		n.roles[id] = otherCode
		if s := n.sources[id].Symbol; s != nil {
			n.roles[id] = methodRole(s.Namespace, s.Method)
			if r := logical.RoleOf(s.Namespace, s.Method); r >= logical.Dispatcher {
				n.roles[id] = runtimeCode
			}
		}
	}
	return n.roles[id]
}

// methodRole returns the role of a method.
func methodRole(class, method string) frameRole {
	for _, row := range roleMethods {
		if class == row.class && slices.Contains(row.methods, method) || row.methods == nil && strings.HasPrefix(class, row.class) {
			return row.role
		}
	}
	if method == "MoveNext" {
		return asyncMethod
	}
	return otherCode
}

// edge is where the code of a task or of a continuation begins on a stack.
type edge struct {
	role   frameRole // of the runtime's first frame rootward of the code; otherCode for none
	at     int       // its position; the number of frames if there is none
	method int       // position of the async method nearest to it, -1 for none
}

// edgeOf finds the innermost edge on a stack.
func (n *naming) edgeOf(frames []FrameID) edge {
	e := edge{at: len(frames), method: -1}
	for i, f := range frames {
		switch role := n.roleOf(f); role {
		case asyncMethod:
			e.method = i
		case resumedCode, taskCode, poolCode, runtimeCode:
			e.role, e.at = role, i
			if role == poolCode && i+1 < len(frames) && n.roleOf(frames[i+1]) == taskCode {
				e.role = taskCode // the pool runs a task so
			}
			return e
		}
	}
	return e
}

// fromMethod returns the frames from the innermost async method on.
func (n *naming) fromMethod(frames []FrameID) []FrameID {
	e := n.edgeOf(frames)
	at := slices.IndexFunc(frames[:e.at], func(f FrameID) bool { return n.roleOf(f) == asyncMethod })
	if at < 0 {
		return nil
	}
	return frames[at:]
}

// withoutTracing returns the frames without the innermost ones that write an
// event.
func (n *naming) withoutTracing(frames []FrameID) []FrameID {
	for i, f := range frames {
		if n.roleOf(f) != tracingCode {
			return frames[i:]
		}
	}
	return nil
}

// sameMethod reports whether two frames are in one method.
func (n *naming) sameMethod(a, b FrameID) bool {
	f, g := n.frames[a].Function, n.frames[b].Function
	if f == g {
		return true
	}
	s, t := n.sources[f].Symbol, n.sources[g].Symbol
	return s != nil && t != nil && s.Namespace == t.Namespace && s.Method == t.Method
}
