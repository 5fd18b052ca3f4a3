package clr_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/wire"
)

const (
	native  = "Microsoft-Windows-DotNETRuntime"
	rundown = "Microsoft-Windows-DotNETRuntimeRundown"
	private = "Microsoft-Windows-DotNETRuntimePrivate"
)

func TestLookup(t *testing.T) {
	for _, c := range []struct {
		provider    string
		id, version uint32
		name        string // "" for none
		found       uint32 // version
		fields      int
	}{
		{native, 1, 2, "GCStart", 2, 6},
		{native, 1, 0, "GCStart", 0, 2},
		{native, 1, 7, "GCStart", 2, 6},
		{native, 10, 4, "GCAllocationTick", 4, 9},
		{native, 137, 0, "MethodDCStartV2", 0, 6},
		{native, 143, 1, "MethodLoadVerbose", 1, 10},
		{native, 152, 2, "ModuleLoad", 2, 13},
		{native, 152, 3, "ModuleLoad", 3, 14},
		{native, 205, 2, "GCGlobalHeapHistory", 2, 9},
		{native, 205, 1, "", 0, 0},
		{native, 251, 0, "ExceptionCatchStop", 0, 0},
		{native, 34, 0, "", 0, 0},
		{native, 100000, 0, "", 0, 0},
		{rundown, 0, 0, "CLRStackWalkDCStart", 0, 5},
		{rundown, 144, 2, "MethodDCEndVerbose", 2, 11},
		{rundown, 150, 1, "MethodDCEndILToNativeMap", 1, 8},
		{private, 310, 0, "AllocRequest", 0, 6},
		{"Microsoft-DotNETCore-SampleProfiler", 0, 0, "ThreadSample", 0, 1},
		{"Microsoft-DotNETCore-EventPipe", 1, 2, "ProcessInfo", 1, 3},
		{"Universal.System", 4, 0, "ProcessSymbol", 0, 5},
		{"Universal.Events", 0, 0, "", 0, 0},
		{"Microsoft-Diagnostics-DiagnosticSource", 0, 0, "", 0, 0},
		{"microsoft-windows-dotnetruntime", 1, 2, "", 0, 0},
		{"", 0, 0, "", 0, 0},
	} {
		t.Run(fmt.Sprintf("%s %d version %d", c.provider, c.id, c.version), func(t *testing.T) {
			e, ok := clr.Lookup(c.provider, c.id, c.version)
			expect.Equal(t, "event is not nil", e != nil, ok)
			expect.Equal(t, "found", ok, c.name != "")
			if !ok || e == nil {
				return
			}
			expect.Equal(t, "e.Provider", e.Provider, c.provider)
			expect.Equal(t, "e.ID", e.ID, c.id)
			expect.Equal(t, "e.Name", e.Name, c.name)
			expect.Equal(t, "e.Version", e.Version, c.found)
			expect.Equal(t, "len(e.Fields)", len(e.Fields), c.fields)
		})
	}
}

func TestLookupName(t *testing.T) {
	const source = "Microsoft-Diagnostics-DiagnosticSource"
	e, ok := clr.LookupName(source, "Activity1Start", 0)
	expect.Equal(t, "found", ok, true)
	expect.Stop(t)
	expect.Len(t, "e.Fields", e.Fields, 3)
	expect.Equal(t, "e.Fields[2].Name", e.Fields[2].Name, "Arguments")
	expect.Equal(t, "e.OpcodeName", e.OpcodeName, "Start")
	expect.Stop(t)
	arguments := e.Fields[2].Type
	expect.Equal(t, "arguments.Code", arguments.Code, wire.Array)
	expect.Equal(t, "arguments.CountField", arguments.CountField, 0)
	expect.Equal(t, "arguments.Element.Code", arguments.Element.Code, wire.Object)
	expect.Equal(t, "len(arguments.Element.Fields)", len(arguments.Element.Fields), 2)
	e, ok = clr.LookupName(native, "GCStart", 9)
	expect.Equal(t, "found", ok, true)
	expect.Stop(t)
	expect.Equal(t, "e.Version", e.Version, 2)
	if e, ok := clr.LookupName("Microsoft-Extensions-Logging", "Message", 1); ok || e != nil {
		t.Errorf("a version older than all known ones: %+v", e)
	}
	if e, ok := clr.LookupName(source, "Nothing", 0); ok || e != nil {
		t.Errorf("no such name: %+v", e)
	}
}

// TestDescribe: the ids of self-describing sources mean nothing, the names of
// native events are empty.
func TestDescribe(t *testing.T) {
	for _, c := range []struct {
		row     codec.Metadata
		version uint32
		want    string
	}{
		{codec.Metadata{Provider: native, EventID: 1}, 2, "GCStart"},
		{codec.Metadata{Provider: "Microsoft-Diagnostics-DiagnosticSource", EventID: 24, Name: "ActivityStop"}, 0, "ActivityStop"},
		{codec.Metadata{Provider: "Private.InternalDiagnostics.System.Net.Sockets", EventID: 4, Name: "DumpBuffer"}, 0, "DumpBuffer"},
		{codec.Metadata{Provider: "Universal.Events", EventID: 17, Name: "cpu"}, 0, "cpu"},
		{codec.Metadata{Provider: "Mine", EventID: 1, Name: "GCStart"}, 0, ""},
	} {
		t.Run(fmt.Sprintf("%s %d", c.row.Provider, c.row.EventID), func(t *testing.T) {
			name := ""
			if e, ok := clr.Describe(&c.row, c.version); ok {
				name = e.Name
			}
			if name != c.want {
				t.Errorf("got %q, want %q", name, c.want)
			}
		})
	}
}

// TestEvents checks the invariants of every entry.
func TestEvents(t *testing.T) {
	type id struct {
		provider string
		id       uint32
	}
	names, ids := map[id]string{}, map[string]uint32{}
	var last *clr.Event
	events, providers := 0, []string(nil)
	for e := range clr.Events() {
		events++
		if last == nil || last.Provider != e.Provider {
			if slices.Contains(providers, e.Provider) {
				t.Errorf("%s: other events come between those of the provider", e.Provider)
			}
			providers = append(providers, e.Provider)
		}
		last = e
		if e.Name == "" || e.Level > 5 || len(e.Maps) != len(e.Fields) {
			t.Errorf("%+v", e)
		}
		checkFields(t, e, "", e.Fields)
		found, ok := clr.Lookup(e.Provider, e.ID, e.Version)
		if !ok {
			found, ok = clr.LookupName(e.Provider, e.Name, e.Version)
		} else {
			key := id{e.Provider, e.ID}
			if name := names[key]; name != "" && name != e.Name {
				t.Errorf("%s %d is %s and %s", e.Provider, e.ID, name, e.Name)
			}
			if other, ok := ids[e.Provider+e.Name]; ok && other != e.ID {
				t.Errorf("%s: %d and %d are both called %s", e.Provider, e.ID, other, e.Name)
			}
			names[key], ids[e.Provider+e.Name] = e.Name, e.ID
		}
		if found != e || !ok {
			t.Errorf("%s %d/%d %s is not found", e.Provider, e.ID, e.Version, e.Name)
		}
	}
	t.Logf("%d entries, %d events with an id, %d providers", events, len(names), len(providers))
}

// checkFields: a field that counts an array is a number before it; a field with
// an enumeration is a number.
func checkFields(t *testing.T, e *clr.Event, prefix string, fields []codec.Field) {
	numbers := []wire.TypeCode{wire.Byte, wire.UInt16, wire.UInt32, wire.UInt64, wire.Int32}
	for i, f := range fields {
		element := f.Type
		if f.Type.Code == wire.Array {
			element = *f.Type.Element
			at := f.Type.CountField
			expect.AtLeast(t, "at", at, 0)
			expect.AtMost(t, "at", at, i)
			if at > 0 && !slices.Contains(numbers[:4], fields[at-1].Type.Code) {
				t.Errorf("%s %s%s: counted by field %d", e.Name, prefix, f.Name, at)
			}
		}
		if f.Name == "" || e.Map(prefix+f.Name) != nil && !slices.Contains(numbers, element.Code) {
			t.Errorf("%s %s%s: %v", e.Name, prefix, f.Name, element)
		}
		if prefix == "" && e.Maps[i] != e.Map(f.Name) {
			t.Errorf("%s %s: two maps", e.Name, f.Name)
		}
		checkFields(t, e, prefix+f.Name+".", element.Fields)
	}
}

// TestConcurrent calls Lookup from many goroutines, for the race detector.
func TestConcurrent(t *testing.T) {
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			provider := ""
			for e := range clr.Events() {
				if e.Provider == provider {
					continue
				}
				provider = e.Provider
				clr.Lookup(provider, 1, 9)
				clr.LookupName(provider, "cpu", 0)
				clr.KeywordNames(provider, 1)
				clr.ProviderGUID(provider)
			}
		})
	}
	group.Wait()
}

func TestAllocations(t *testing.T) {
	row := &codec.Metadata{Provider: rundown, EventID: 144}
	allocs := testing.AllocsPerRun(100, func() {
		clr.Lookup(native, 10, 4)
		clr.Lookup(native, 10, 99)
		clr.LookupName(native, "GCStart", 2)
		e, _ := clr.Describe(row, 2)
		e.Map("MethodFlags").Name(8)
	})
	if allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
}

func BenchmarkLookup(b *testing.B) {
	for b.Loop() {
		if _, ok := clr.Lookup(native, 10, 4); !ok {
			b.Fatal("not found")
		}
	}
}
