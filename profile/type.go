package profile

import "slices"

// Type is the quantity that a sample measures. The zero value is Wall.
type Type uint8

// The types of samples.
const (
	// Wall is the time of a thread, running or not, from the runtime's sample
	// profiler.
	Wall Type = iota
	// CPUApprox is the part of Wall spent in managed code. It is an
	// approximation: it leaves out native code and counts a managed thread that
	// waits for a processor. If the trace has the processor times of threads, it
	// is that time instead: see Profile.HasThreadTimes. A process with samples of
	// type CPU has none of this type.
	CPUApprox
	// CPU is time on a processor, sampled by the operating system (v6).
	CPU
	// Switch is time off a processor between two context switches (v6).
	Switch
	// Alloc is the number of allocated bytes, estimated from sampled
	// allocations.
	Alloc
	// Lock is time waiting for a contended lock.
	Lock
	// Wait is time waiting for a wait handle or on a monitor.
	Wait
	// Exception counts exceptions thrown.
	Exception
	// GC is time during which the garbage collector suspended all threads.
	GC
	// Event counts the events that Options.Provider or Options.Select selects.
	Event

	typeCount
)

// ValueType is the name of a quantity and its unit, as in a pprof profile.
type ValueType struct {
	Name string // "wall", "alloc-size"
	Unit string // "nanoseconds", "bytes" or "count"
}

// typeInfo is a row of types.
type typeInfo struct {
	option string    // readable; types may share one
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

// String returns the name of the type's value: "wall", "cpu~", "alloc-size".
func (t Type) String() string {
	if t >= typeCount {
		return "unknown"
	}
	return types[t].value.Name
}

// Value returns the name and unit of Sample.Value.
func (t Type) Value() ValueType { return types[t].value }

// IsDuration reports whether the value of a sample is the length of a time that
// begins at Sample.Ticks, so that Options.Time clips it. A sample of type CPU is a
// point in time.
func (t Type) IsDuration() bool { return t.Value().Unit == "nanoseconds" && t != CPU }

// Count returns the name and unit of Sample.Count. ok is false if the count has
// no meaning beside the value.
func (t Type) Count() (v ValueType, ok bool) { return types[t].count, types[t].count.Name != "" }

// ClassLabel returns the key of the label that says what a sample of the type is
// about, such as "allocation class", "" for none.
func (t Type) ClassLabel() string {
	switch t {
	case Alloc:
		return keyAllocationClass
	case Exception:
		return keyExceptionType
	case Lock:
		return keyContentionType
	case GC:
		return keyGCReason
	}
	return ""
}

// TypeNames returns the names that TypesByName knows.
func TypeNames() []string {
	var names []string
	for i := range types {
		if !slices.Contains(names, types[i].option) {
			names = append(names, types[i].option)
		}
	}
	return names
}

// TypesByName returns the types with a name of the command line: wall, cpu,
// switch, alloc, lock, wait, exceptions, gc or event. cpu returns both
// CPUApprox and CPU. It returns nil for other names.
func TypesByName(name string) []Type {
	var found []Type
	for i := range types {
		if types[i].option == name {
			found = append(found, Type(i))
		}
	}
	return found
}
