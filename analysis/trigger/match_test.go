package trigger

import (
	"fmt"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestTraceEventNames: events of the runtime are known by the names that
// dotnet-trace has for them. The list is what TraceEvent said of real events.
func TestTraceEventNames(t *testing.T) {
	for id, want := range map[uint32]string{
		1: "GC/Start", 2: "GC/Stop", 3: "GC/RestartEEStop", 4: "GC/HeapStats", 7: "GC/RestartEEStart", 8: "GC/SuspendEEStop",
		9: "GC/SuspendEEStart", 10: "GC/AllocationTick", 13: "GC/FinalizersStop", 14: "GC/FinalizersStart", 15: "Type/BulkType",
		20: "GC/SampledObjectAllocation", 29: "GC/FinalizeObject", 30: "GC/SetGCHandle", 35: "GC/Triggered",
		50: "ThreadPoolWorkerThread/Start", 55: "ThreadPoolWorkerThreadAdjustment/Adjustment", 58: "YieldProcessorMeasurement",
		61: "ThreadPool/Enqueue", 71: "Thread/Running", 72: "Method/MethodDetails", 80: "Exception/Start", 81: "Contention/Start",
		90: "Contention/LockCreated", 91: "Contention/Stop", 142: "Method/Unload", 143: "Method/LoadVerbose",
		145: "Method/JittingStarted", 146: "Method/MemoryAllocatedForJitCode", 151: "Loader/DomainModuleLoad",
		154: "Loader/AssemblyLoad", 159: "Method/R2RGetEntryPoint", 185: "Method/InliningSucceeded", 187: "Runtime/Start",
		188: "Method/TailCallSucceeded", 190: "Method/ILToNativeMap", 192: "Method/InliningFailed", 202: "GC/MarkWithType",
		204: "GC/PerHeapHistory", 250: "ExceptionCatch/Start", 256: "Exception/Stop", 280: "TieredCompilation/Settings",
		283: "TieredCompilation/BackgroundJitStart", 290: "AssemblyLoader/Start",
	} {
		t.Run(fmt.Sprint(id), func(t *testing.T) {
			known, ok := clr.Lookup(provider.Runtime, id, 255)
			if !ok || !slices.Contains(traceEventNames(known), want) {
				t.Errorf("event %d: %+v; want %s", id, known, want)
			}
		})
	}
}

func TestParseMatch(t *testing.T) {
	for text, want := range map[string]string{
		"P/80":                              "P/80",
		"P/Name":                            "P/Name",
		"P/GC/Start":                        "P/GC/Start",
		"P/Name:a=1,b=x=y":                  "P/Name:a=1,b=x=y",
		"Microsoft-Windows-DotNETRuntime/1": "Microsoft-Windows-DotNETRuntime/1",
	} {
		t.Run(text, func(t *testing.T) {
			m, err := ParseMatch(text)
			expect.NoError(t, err)
			expect.Stop(t)
			expect.Equal(t, "match", m.String(), want)
		})
	}
	for _, text := range []string{"", "P", "/1", "P/", "P/1:x", "P/1:=x"} {
		t.Run("malformed "+text, func(t *testing.T) {
			if m, err := ParseMatch(text); err == nil {
				t.Errorf("%s, no error", m)
			}
		})
	}
}

// TestMatches finds events of real recordings.
func TestMatches(t *testing.T) {
	for text, want := range map[string]struct {
		trace string
		count int
	}{
		provider.Runtime + "/1":               {"net10-mix-gc.v4", -1},
		provider.Runtime + "/GCStart:Depth=2": {"net10-mix-gc.v4", -1},
		provider.Runtime + "/GC/Start":        {"net10-mix-gc.v4", -1},
		provider.Runtime + "/GCStart:Depth=9": {"net10-mix-gc.v4", 0},
		"Nobody/GCStart":                      {"net10-mix-gc.v4", 0},
	} {
		t.Run(text, func(t *testing.T) {
			m, err := ParseMatch(text)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for e, err := range codec.NewBytesReader(shared.Trace(t, want.trace), codec.Options{Schemas: clr.Schemas}).Events() {
				if err != nil {
					t.Fatal(err)
				}
				if m.Matches(e) {
					n++
				}
			}
			expect.Equal(t, "events match", n > 0, want.count != 0)
		})
	}
}
