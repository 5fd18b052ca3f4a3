package values_test

import (
	"cmp"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/internal/shared"
)

const (
	runtimeProvider = "Microsoft-Windows-DotNETRuntime"
	rundownProvider = "Microsoft-Windows-DotNETRuntimeRundown"
	privateProvider = "Microsoft-Windows-DotNETRuntimePrivate"
)

// eventID is an event of a provider.
type eventID struct {
	provider string
	id       uint32
}

// typeNames are the types of events that a baseline calls something else than
// the trace. Two ids have no name there but the task's: GC.
var typeNames = map[eventID]string{
	{"Microsoft-DotNETCore-SampleProfiler", 0}: "Thread/Sample",

	{runtimeProvider, 1}:   "GC/Start",
	{runtimeProvider, 2}:   "GC/Stop",
	{runtimeProvider, 3}:   "GC/RestartEEStop",
	{runtimeProvider, 4}:   "GC/HeapStats",
	{runtimeProvider, 7}:   "GC/RestartEEStart",
	{runtimeProvider, 8}:   "GC/SuspendEEStop",
	{runtimeProvider, 9}:   "GC/SuspendEEStart",
	{runtimeProvider, 10}:  "GC/AllocationTick",
	{runtimeProvider, 13}:  "GC/FinalizersStop",
	{runtimeProvider, 14}:  "GC/FinalizersStart",
	{runtimeProvider, 21}:  "GC/BulkSurvivingObjectRanges",
	{runtimeProvider, 22}:  "GC/BulkMovedObjectRanges",
	{runtimeProvider, 23}:  "GC/GenerationRange",
	{runtimeProvider, 33}:  "GC/PinObjectAtGCTime",
	{runtimeProvider, 35}:  "GC/Triggered",
	{runtimeProvider, 50}:  "ThreadPoolWorkerThread/Start",
	{runtimeProvider, 54}:  "ThreadPoolWorkerThreadAdjustment/Sample",
	{runtimeProvider, 55}:  "ThreadPoolWorkerThreadAdjustment/Adjustment",
	{runtimeProvider, 56}:  "ThreadPoolWorkerThreadAdjustment/Stats",
	{runtimeProvider, 57}:  "ThreadPoolWorkerThread/Wait",
	{runtimeProvider, 61}:  "ThreadPool/Enqueue",
	{runtimeProvider, 62}:  "ThreadPool/Dequeue",
	{runtimeProvider, 81}:  "Contention/Start",
	{runtimeProvider, 85}:  "AppDomainResourceManagement/ThreadCreated",
	{runtimeProvider, 91}:  "Contention/Stop",
	{runtimeProvider, 143}: "Method/LoadVerbose",
	{runtimeProvider, 145}: "Method/JittingStarted",
	{runtimeProvider, 151}: "Loader/DomainModuleLoad",
	{runtimeProvider, 152}: "Loader/ModuleLoad",
	{runtimeProvider, 154}: "Loader/AssemblyLoad",
	{runtimeProvider, 159}: "Method/R2RGetEntryPoint",
	{runtimeProvider, 200}: "GC",
	{runtimeProvider, 201}: "GC",
	{runtimeProvider, 202}: "GC/MarkWithType",
	{runtimeProvider, 204}: "GC/PerHeapHistory",
	{runtimeProvider, 205}: "GC/GlobalHeapHistory",

	{privateProvider, 199}: "GC/PinPlugAtGCTime",

	{rundownProvider, 146}: "Method/DCStopComplete",
	{rundownProvider, 148}: "Method/DCStopInit",
	{rundownProvider, 152}: "Loader/DomainModuleDCStop",
	{rundownProvider, 154}: "Loader/ModuleDCStop",
	{rundownProvider, 156}: "Loader/AssemblyDCStop",
	{rundownProvider, 158}: "Loader/AppDomainDCStop",
	{rundownProvider, 187}: "Runtime/Start",
	{rundownProvider, 300}: "ExecutionCheckpointRundown/ExecutionCheckpointDCEnd",

	{"TestEventSource0", 7}: "TestEvent3/24", // the name and the opcode
}

// notInBaselines are the events that the baselines leave out.
var notInBaselines = []eventID{{rundownProvider, 144}, {rundownProvider, 150}, {runtimeProvider, 190}}

// typed has codec's description of a type of events.
type typed struct {
	count  int
	first  *codec.Event // the oldest
	fields object
}

// TestBaselines compares, for each type of events, their number and the first
// event with the baselines that the authors of public test inputs publish.
func TestBaselines(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(shared.Dir(t), "traces", "*.baseline.txt"))
	if err != nil || len(files) != 6 {
		t.Fatalf("%d baselines, %v", len(files), err)
	}
	c := baselineCheck{unmet: map[string]bool{}}
	for _, names := range []iter.Seq[string]{
		maps.Keys(synthesized), maps.Keys(spellings), maps.Keys(otherNames), maps.Keys(computed),
	} {
		for name := range names {
			c.unmet[name] = true
		}
	}
	for _, file := range files {
		c.check(t, strings.TrimSuffix(filepath.Base(file), ".baseline.txt"), file)
	}
	for name := range c.unmet {
		t.Errorf("%s is in a list of this test and never occurs", name)
	}
	t.Logf("%d types; of their first events %d values are the same", c.types, c.same)
	if c.types != 89 || c.same < 486 {
		t.Error("fewer than there should be")
	}
}

// baselineCheck counts.
type baselineCheck struct {
	types, same int
	unmet       map[string]bool
}

// check compares one trace with its baseline: "TYPE, COUNT, FIRST EVENT" a line,
// with thousands separators only in the event.
func (c *baselineCheck) check(t *testing.T, name, file string) {
	t.Helper()
	r, types := readTypes(t, name)
	trace, err := r.Trace()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(strings.TrimPrefix(string(text), "\uFEFF")) {
		cells := strings.SplitN(strings.TrimSpace(line), ", ", 3)
		if len(cells) != 3 {
			t.Fatalf("%s: %q", file, line)
		}
		ours := types[cells[0]]
		delete(types, cells[0])
		c.types++
		if ours == nil || strconv.Itoa(ours.count) != cells[1] {
			t.Errorf("%s: %s events of type %s; we have %+v", name, cells[1], cells[0], ours)
			continue
		}
		c.compare(t, name+" "+cells[0], trace, ours, parseElement(t, cells[2]))
	}
	for left, ours := range types {
		t.Errorf("%s: %d events of type %s are not in the baseline", name, ours.count, left)
	}
}

// readTypes counts the events of a trace by the names that its baseline has.
func readTypes(t *testing.T, name string) (*codec.Reader, map[string]*typed) {
	t.Helper()
	types := map[string]*typed{}
	r := eachEvent(t, name, codec.Options{Schemas: clr.Schemas}, func(e *codec.Event) {
		id := eventID{e.Provider(), e.ID()}
		if slices.Contains(notInBaselines, id) {
			return
		}
		key := e.Provider() + "/" + cmp.Or(typeNames[id], e.Name())
		if types[key] == nil {
			types[key] = &typed{}
		}
		ours := types[key]
		if ours.count++; ours.first == nil || e.Timestamp < ours.first.Timestamp {
			ours.first = e.Clone()
			ours.fields, _ = fieldsOf(t, e)
		}
	})
	return r, types
}
