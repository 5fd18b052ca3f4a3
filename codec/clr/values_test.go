package clr_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
)

func TestValueMap(t *testing.T) {
	event := func(provider string, id, version uint32) *clr.Event {
		e, ok := clr.Lookup(provider, id, version)
		if !ok {
			t.Fatalf("no %s %d/%d", provider, id, version)
		}
		return e
	}
	for _, c := range []struct {
		event *clr.Event
		path  string
		value uint64
		want  string
	}{
		{event(native, 1, 2), "Reason", 0, "AllocSmall"},
		{event(native, 1, 2), "Reason", 17, "InducedAggressive"},
		{event(native, 1, 2), "Reason", 99, "99"},
		{event(native, 1, 2), "Type", 1, "BackgroundGC"},
		{event(native, 9, 1), "Reason", 6, "SuspendForGCPrep"},
		{event(native, 10, 4), "AllocationKind", 2, "Pinned"},
		{event(native, 55, 0), "Reason", 8, "CooperativeBlocking"},
		{event(native, 81, 2), "ContentionFlags", 1, "Native"},
		{event(native, 143, 2), "MethodFlags", 0xa, "Generic|Jitted"},
		{event(native, 143, 2), "MethodFlags", 0x188, "Jitted|0x180"},
		{event(native, 143, 2), "MethodFlags", 0, "0x0"},
		{event(native, 152, 3), "ModuleFlags", 0x28, "Manifest|ReadyToRunModule"},
		{event(native, 202, 0), "Type", 3, "Older"},
		{event(native, 301, 0), "WaitSource", 1, "MonitorWait"},
		{event(native, 15, 0), "Values.Flags", 9, "Delegate|Array"},
		{event(native, 16, 0), "Values.GCRootKind", 2, "Handle"},
		{event(rundown, 187, 0), "Sku", 2, "CoreCLR"},
		{event("Microsoft-DotNETCore-SampleProfiler", 0, 0), "Type", 2, "Managed"},
	} {
		t.Run(fmt.Sprintf("%s %s=%d", c.event.Name, c.path, c.value), func(t *testing.T) {
			m := c.event.Map(c.path)
			if m == nil {
				t.Errorf("%s.%s has no enumeration", c.event.Name, c.path)
			} else if got := m.Text(c.value); got != c.want {
				t.Errorf("%s.%s %d: %q, want %q", c.event.Name, c.path, c.value, got, c.want)
			}
		})
	}
	start := event(native, 1, 2)
	expect.Equal(t, `start.Map("Count")`, start.Map("Count"), nil)
	expect.Equal(t, "start.Maps[0]", start.Maps[0], nil)
	expect.Equal(t, "start.Maps[2].ID", start.Maps[2].ID, "GCReasonMap")
	expect.Equal(t, "start.Maps[2].Bits", start.Maps[2].Bits, false)
	if name, ok := event(native, 143, 2).Map("MethodFlags").Name(9); ok {
		t.Errorf("two flags have one name: %s", name)
	}
}

func TestKeywordNames(t *testing.T) {
	for _, c := range []struct {
		provider string
		mask     uint64
		names    []string
		rest     uint64
	}{
		{native, 0x30, []string{"JitKeyword", "NGenKeyword"}, 0},
		{native, 0x80000000001, []string{"GCKeyword", "AllocationSamplingKeyword"}, 0},
		{native, 1 << 60, nil, 1 << 60},
		{rundown, 0x108, []string{"LoaderRundownKeyword", "EndRundownKeyword"}, 0},
		{"Mine", 3, nil, 3},
	} {
		t.Run(fmt.Sprintf("%s %#x", c.provider, c.mask), func(t *testing.T) {
			names, rest := clr.KeywordNames(c.provider, c.mask)
			if !slices.Equal(names, c.names) || rest != c.rest {
				t.Errorf("%q and %#x", names, rest)
			}
		})
	}
}

// TestProviderGUID: facts about other readers and writers, not made by us.
func TestProviderGUID(t *testing.T) {
	for name, want := range map[string]string{
		// The hash of the name.
		"Microsoft-DotNETCore-EventPipe":      "92f528a6-f5b8-5160-a7ee-b33da7739e29",
		"Universal.System":                    "8c107b6c-79f8-5231-4de6-2a0e20a3f562",
		"Universal.Events":                    "bc5e5d63-9799-5873-33d9-fba8316cef71",
		"Microsoft-DotNETRuntimeMonoProfiler": "7f442d82-0f1d-5155-4b8c-1529eb2e31c2",
		"*universal.system":                   "8c107b6c-79f8-5231-4de6-2a0e20a3f562",

		// Given.
		native:                                  "e13c0d23-ccbc-4e12-931b-d9cc2eee27e4",
		rundown:                                 "a669021c-c450-4609-a035-5af59af4df18",
		private:                                 "763fd754-7086-4dfe-95eb-c01a46faf4ca",
		"Microsoft-Windows-DotNETRuntimeStress": "cc2bcbba-16b6-4cf3-8990-d74c2e8af500",
		"Microsoft-DotNETCore-SampleProfiler":   "3c530d44-97ae-513a-1e6d-783e8f8e03a9",
		"System.Threading.Tasks.TplEventSource": "2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5",
		"System.Diagnostics.Eventing.FrameworkEventSource": "8e9f5090-2d75-4d03-8a81-e5afbf85daf1",
	} {
		t.Run(name, func(t *testing.T) {
			if got := clr.ProviderGUID(name).String(); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}
