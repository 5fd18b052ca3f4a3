package logical

import (
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/codec/clr/async"
)

// Role is what a method of the runtime means on a physical stack.
type Role uint8

// The roles. Those from Wrapper on are the wrappers of runtime-async methods, by number.
const (
	NoRole     Role = iota
	Box             // resumes a state machine
	TracedBox       // the same, with records of the async profiler
	Context         // is between frames of boxes
	Dispatcher      // resumes runtime-async methods, without a wrapper if the profiler is off
	Wrapper
)

// maxWrappers is the number of wrappers that can be distinguished.
const maxWrappers = 256 - int(Wrapper)

// The runtime's loop that resumes runtime-async methods: dispatch of the type asyncTask. The one that
// writes records has the word before its name.
const asyncTask, dispatch, instrumented = "RuntimeAsyncTask`1", "DispatchContinuations", "Instrumented"

// IsDispatch reports whether a method of .NET, with its type and parameters as an event has them, is the
// runtime's loop that resumes runtime-async methods.
func IsDispatch(name string) bool {
	return strings.Contains(name, dispatch+"(") && strings.Contains(name, asyncTask)
}

// boxMethods are the methods of boxes that resume a method.
var boxMethods = map[string]Role{
	"ExecutionContextCallback": Box, "MoveNext": Box, "ExecuteDirectly": Box, "ExecuteFromThreadPool": Box,
	"InstrumentedMoveNext": TracedBox, "MoveNextAsDispatcher": TracedBox,
}

// RoleOf returns the role of a method of .NET by the name of its type and its own.
func RoleOf(class, method string) Role {
	class, ok := strings.CutPrefix(class, "System.")
	if !ok {
		return NoRole
	}
	switch {
	case class == "Threading.ExecutionContext":
		return Context
	case class == "Runtime.CompilerServices.AsyncProfiler+ContinuationWrapper":
		number, err := strconv.Atoi(strings.TrimPrefix(method, "Continuation_Wrapper_"))
		if err != nil || uint(number) >= uint(maxWrappers) {
			return NoRole
		}
		return Wrapper + Role(number)
	case strings.HasPrefix(class, "Runtime.CompilerServices.AsyncHelpers+"+asyncTask):
		if method == dispatch || method == instrumented+dispatch {
			return Dispatcher
		}
	case strings.HasPrefix(class, "Runtime.CompilerServices.") && strings.Contains(class, "AsyncStateMachineDispatcher"):
		if method == "MoveNext" {
			return TracedBox
		}
	case strings.HasPrefix(class, "Runtime.CompilerServices.") && strings.Contains(class, "StateMachineBox`1"):
		return boxMethods[method]
	}
	return NoRole
}

// Boundary is where the runtime resumed the method that runs on a physical stack.
type Boundary struct {
	// At is the position of the runtime's first frame: the resumed method is before it.
	// It is the number of frames if no method was resumed.
	At int
	// Kind is that of the resumed method, async.NoKind for none.
	Kind async.Kind
	// Wrapper is the number of its wrapper, -1 for none.
	Wrapper int
	// Untraced reports that the method was resumed without records, because it was
	// suspended before the session began.
	Untraced bool
}

// BoundaryOf finds the boundary nearest to the leaf of a stack of n frames. role
// returns the role of a frame, leaf first.
func BoundaryOf(n int, role func(int) Role) Boundary {
	for i := range n {
		switch r := role(i); r {
		case NoRole, Context:
		case Dispatcher:
			return Boundary{At: i, Kind: async.Runtime, Wrapper: -1, Untraced: true}
		case Box, TracedBox:
			b := Boundary{At: i, Kind: async.Machine, Wrapper: -1, Untraced: !traced(n, i, role)}
			for b.At > 0 && role(b.At-1) == Context { // the box's own method is inlined
				b.At--
			}
			return b
		default:
			return Boundary{At: i, Kind: async.Runtime, Wrapper: int(r - Wrapper)}
		}
	}
	return Boundary{At: n, Wrapper: -1}
}

// traced reports whether one of the frames that resumed a state machine writes records.
func traced(n, from int, role func(int) Role) bool {
	for i := from; i < n; i++ {
		switch role(i) {
		case TracedBox:
			return true
		case Box, Context:
		default:
			return false
		}
	}
	return false
}
