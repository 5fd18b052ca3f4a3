package trigger

import (
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/codec/clr"
)

// shortTasks are the names of TraceEvent for tasks of the runtime.
var shortTasks = map[string]string{
	"GarbageCollection": "GC", "CLRMethod": "Method", "CLRLoader": "Loader", "CLRRuntimeInformation": "Runtime",
}

// traceEventNames returns the names that TraceEvent, and so dotnet-trace, can
// have for an event of the runtime: Task/Opcode. The opcode does not repeat the
// task's name, has Start and Stop for Begin and End, and is sometimes
// shortened.
func traceEventNames(known *clr.Event) []string {
	task := known.Task
	if short, ok := shortTasks[task]; ok {
		task = short
	}
	if known.OpcodeName == "" && known.Name == known.Task {
		return []string{task}
	}
	var names []string
	for _, opcode := range []string{known.OpcodeName, known.Name} {
		for _, prefix := range []string{"", "Method", "Jit", task} {
			opcode = strings.TrimPrefix(opcode, prefix)
			names = append(names, task+"/"+startStop(opcode))
		}
	}
	return names
}

// startStop replaces Begin and End by Start and Stop.
func startStop(opcode string) string {
	for suffix, instead := range map[string]string{"Begin": "Start", "End": "Stop"} {
		if before, ok := strings.CutSuffix(opcode, suffix); ok {
			return before + instead
		}
	}
	return opcode
}

// taskOpcode returns the name of TraceEvent for an event of an EventSource:
// "RequestStart" with the opcode Start is "Request/Start".
func taskOpcode(name string, opcode uint8) string {
	suffix := map[uint8]string{1: "Start", 2: "Stop"}[opcode]
	task, ok := strings.CutSuffix(name, suffix)
	if suffix == "" || !ok {
		return ""
	}
	return task + "/" + suffix
}

// hasName reports whether a known event has a name.
func hasName(e *clr.Event, name string) bool {
	return e.Name == name || slices.Contains(traceEventNames(e), name)
}
