package profile

import "slices"

// Type is what a sample measures.
type Type uint8

const (
	// Wall is time of a thread, running or not, by the runtime's sample profiler.
	Wall Type = iota
	// CPUApprox is the part of Wall spent in managed code. It is an
	// approximation: it leaves out native code and counts a managed thread that
	// waits for a processor.
	CPUApprox
	// CPU is time on a processor, sampled by the operating system (v6).
	CPU
	// Switch is time off a processor between two context switches (v6).
	Switch
	// Alloc is bytes allocated, estimated from the allocations that were sampled.
	Alloc
	// Lock is time waiting for a contended lock.
	Lock
	// Wait is time waiting for a wait handle or on a monitor.
	Wait
	// Exception counts exceptions thrown.
	Exception
	// GC is time during which the garbage collector held all threads.
	GC
	// Event counts the events that Options.Provider and Options.Event select.
	Event

	typeCount
)

// ValueType names a number and its unit, as a pprof profile does.
type ValueType struct{ Name, Unit string }

// typeInfo is a row of types.
type typeInfo struct {
	option string    // for people; types may share one
	value  ValueType // of Sample.Value
	count  ValueType // of Sample.Count; no name: it is of no interest
}

var types = [typeCount]typeInfo{
	Wall:      {"wall", ValueType{"wall", "nanoseconds"}, ValueType{}},
	CPUApprox: {"cpu", ValueType{"cpu~", "nanoseconds"}, ValueType{}},
	CPU:       {"cpu", ValueType{"cpu", "nanoseconds"}, ValueType{"cpu-samples", "count"}},
	Switch:    {"switch", ValueType{"off-cpu", "nanoseconds"}, ValueType{"context-switches", "count"}},
	Alloc:     {"alloc", ValueType{"alloc-size", "bytes"}, ValueType{"alloc-samples", "count"}},
	Lock:      {"lock", ValueType{"lock-time", "nanoseconds"}, ValueType{"lock-count", "count"}},
	Wait:      {"wait", ValueType{"wait-time", "nanoseconds"}, ValueType{"wait-count", "count"}},
	Exception: {"exceptions", ValueType{"exception", "count"}, ValueType{}},
	GC:        {"gc", ValueType{"gc-pause", "nanoseconds"}, ValueType{"gc-pauses", "count"}},
	Event:     {"event", ValueType{"event", "count"}, ValueType{}},
}

// String is the name of the type's value: "wall", "cpu~", "alloc-size".
func (t Type) String() string {
	if t >= typeCount {
		return "unknown"
	}
	return types[t].value.Name
}

// Value tells what Sample.Value is.
func (t Type) Value() ValueType { return types[t].value }

// Count tells what Sample.Count is; ok is false where the count says no more
// than the value does.
func (t Type) Count() (v ValueType, ok bool) { return types[t].count, types[t].count.Name != "" }

// Types lists all types, in the order in which formats with several show them.
func Types() []Type {
	all := make([]Type, typeCount)
	for i := range all {
		all[i] = Type(i)
	}
	return all
}

// TypeNames lists the names that TypesByName knows.
func TypeNames() []string {
	var names []string
	for i := range types {
		if !slices.Contains(names, types[i].option) {
			names = append(names, types[i].option)
		}
	}
	return names
}

// TypesByName returns the types that a person means by wall, cpu, switch, alloc,
// lock, wait, exceptions, gc or event: of cpu CPUApprox and CPU, whichever a
// trace has. It returns nil for other names.
func TypesByName(name string) []Type {
	var found []Type
	for i := range types {
		if types[i].option == name {
			found = append(found, Type(i))
		}
	}
	return found
}
