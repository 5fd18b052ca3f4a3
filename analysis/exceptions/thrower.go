package exceptions

import (
	"strings"

	"github.com/nettrace-go/nettrace/codec/clr/symbols"
)

// kind is a kind of ExceptionThrown events.
type kind int

const (
	thrownFirst kind = iota
	byAwait          // an await throws the exception of its task again
	byDispatch       // another call of ExceptionDispatchInfo.Throw
)

// throwing is how and where a stack throws.
type throwing struct {
	kind  kind
	index int // of the frame of the thrower, -1 if it is unknown
}

// Prefixes of the raw names of methods, without the module.
var (
	// machinery are the runtime's methods that throw for others.
	machinery = []string{
		"System.Runtime.EH.", "System.Runtime.StackFrameIterator.", "System.Runtime.ExceptionServices.InternalCalls.", "System.Runtime.ExceptionServices.ExceptionDispatchInfo.Throw(",
	}
	// awaiting are the methods between an await and ExceptionDispatchInfo.Throw.
	awaiting = []string{
		"System.Runtime.CompilerServices.", "System.Threading.ExecutionContext.", "System.Threading.Tasks.",
	}
)

// dispatching is the method that throws an exception again.
const dispatching = "System.Runtime.ExceptionServices.ExceptionDispatchInfo.Throw("

// throwHelper is a part of the names of classes that throw for their callers.
const throwHelper = "ThrowHelper."

// throwerOf finds the thrower: the first frame with a name that is not machinery; of
// a rethrow by an await, the method that was awaiting.
func throwerOf(frames []symbols.Frame) throwing {
	dispatched := false
	for i, f := range frames {
		name, ok := plainName(f)
		switch {
		case !ok && i > 0 && dispatched: // a stub, or a method without a name
			continue
		case !ok, hasPrefix(name, machinery), strings.Contains(name, throwHelper):
			dispatched = dispatched || strings.HasPrefix(name, dispatching)
			continue
		case !dispatched:
			return throwing{thrownFirst, i}
		case hasPrefix(name, awaiting):
			return throwing{byAwait, awaiter(frames, i)}
		case strings.Contains(name, ".MoveNext("): // the awaiter is inlined
			return throwing{byAwait, i}
		}
		return throwing{byDispatch, i}
	}
	return throwing{index: -1}
}

// awaiter returns the first frame from i on that is not of the runtime's tasks; i if
// there is none.
func awaiter(frames []symbols.Frame, i int) int {
	for k := i; k < len(frames); k++ {
		name, ok := plainName(frames[k])
		if strings.HasPrefix(name, "System.Threading.ThreadPoolWorkQueue.") { // the task itself
			return i
		}
		if ok && !hasPrefix(name, awaiting) {
			return k
		}
	}
	return i
}

// plainName returns the raw name of a frame without the module, and whether it has
// one.
func plainName(f symbols.Frame) (string, bool) {
	if f.Symbol == nil {
		return "", false
	}
	return f.Symbol.Namespace + "." + f.Symbol.Method + "(", true
}

func hasPrefix(name string, list []string) bool {
	for _, prefix := range list {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
