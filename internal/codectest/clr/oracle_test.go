package clr_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// renamed are fields that the other reader calls something else.
var renamed = map[string]string{
	"GCMarkWithType.Promoted": "Bytes",
	"GCJoin.ID":               "JoinID",
	"BulkType.TypeID_0":       "Values.TypeID",
	"BulkType.TypeName_0":     "Values.Name",
}

// computed are fields that the other reader makes up: from other fields, from
// other events, or to have something where an old version has nothing.
var computed = map[string]string{
	"GCAllocationTick.ObjectSize":                   "not in version 3",
	"MethodUnload.OptimizationTier":                 "bits 7 to 9 of MethodFlags",
	"MethodLoadVerbose.OptimizationTier":            "bits 7 to 9 of MethodFlags",
	"MethodUnloadVerbose.OptimizationTier":          "bits 7 to 9 of MethodFlags",
	"MethodDCEndVerbose.OptimizationTier":           "bits 7 to 9 of MethodFlags",
	"MethodLoadVerbose.ReJITID":                     "not in version 1",
	"MethodUnloadVerbose.ReJITID":                   "not in version 1",
	"MethodDCEndVerbose.ReJITID":                    "not in version 1",
	"ModuleLoad.ModuleILFileName":                   "end of ModuleILPath",
	"ModuleUnload.ModuleILFileName":                 "end of ModuleILPath",
	"ModuleDCEnd.ModuleILFileName":                  "end of ModuleILPath",
	"GCPerHeapHistory.ConcurrentCompactMechanisms":  "not in version 3",
	"GCPerHeapHistory.MemoryPressure":               "not in version 3",
	"GCGlobalHeapHistory.CondemnReasons0":           "not in version 2",
	"GCGlobalHeapHistory.CondemnReasons1":           "not in version 2",
	"GCGlobalHeapHistory.Count":                     "not in version 2",
	"FinalizeObject.TypeName":                       "from an earlier BulkType",
	"GCHeapStats.Depth":                             "from an earlier event",
	"GCHeapStats.TotalHeapSize":                     "sum of sizes",
	"GCHeapStats.TotalPromoted":                     "sum of sizes",
	"GCHeapStats.GenerationSize4":                   "not in version 1",
	"GCHeapStats.TotalPromotedSize4":                "not in version 1",
	"ContentionStart.LockID":                        "not in version 1",
	"ContentionStart.AssociatedObjectID":            "not in version 1",
	"ContentionStart.LockOwnerThreadID":             "not in version 1",
	"GCDynamicEvent.Version":                        "from Data",
	"GCDynamicEvent.TotalCommittedInUse":            "from Data",
	"GCDynamicEvent.TotalCommittedInGlobalDecommit": "from Data",
	"GCDynamicEvent.TotalCommittedInFree":           "from Data",
	"GCDynamicEvent.TotalCommittedInGlobalFree":     "from Data",
	"GCDynamicEvent.TotalBookkeepingCommitted":      "from Data",
}

// different are fields with other values in the other reader, and why.
var different = map[string]string{
	"MethodUnload.MethodFlags":                      "the other reader drops the tier and the extent; seven bits stay",
	"MethodLoadVerbose.MethodFlags":                 "as before",
	"MethodUnloadVerbose.MethodFlags":               "as before",
	"MethodDCEndVerbose.MethodFlags":                "as before",
	"GCPerHeapHistory.CompactMechanisms":            "the other reader returns the position of the bit, not the bits",
	"GCPerHeapHistory.ExpandMechanisms":             "as before",
	"GCDynamicEvent.Data":                           "bytes; written otherwise in the test",
	"MethodDetails.TypeParameterCount":              "fault: the other reader reads at the wrong offset",
	"MethodDetails.LoaderModuleID":                  "fault: as before",
	"MethodDetails.TypeParameters":                  "fault: it shows LoaderModuleID here",
	"JitInstrumentationDataVerbose.MethodToken":     "fault: the other reader begins two bytes early",
	"JitInstrumentationDataVerbose.MethodNamespace": "fault: as before, so that it begins with U+0600",
}

// answer is one line of the other reader's values.
type answer struct {
	Provider    string
	ID, Version uint32
	Fields      map[string]any
	Payload     string
}

// TestOtherReader compares the values that the schemas read with those of another
// reader's hand-written parsers.
func TestOtherReader(t *testing.T) {
	files, err := os.ReadDir(filepath.Join(shared.Dir(t), "oracle"))
	if err != nil {
		t.Fatal(err)
	}
	c := comparison{unused: map[string]bool{}, seen: map[string]bool{}}
	for _, table := range []map[string]string{renamed, computed, different} {
		for field := range table {
			c.unused[field] = true
		}
	}
	for _, file := range files {
		name, ok := strings.CutSuffix(file.Name(), ".values.ndjson.zst")
		if !ok {
			continue
		}
		trace, err := codec.NewBytesReader(shared.Trace(t, name), codec.Options{}).Trace()
		if err != nil {
			t.Fatal(err)
		}
		lines := json.NewDecoder(bytes.NewReader(shared.Oracle(t, file.Name())))
		lines.UseNumber()
		for lines.More() {
			var a answer
			if err := lines.Decode(&a); err != nil {
				t.Fatal(err)
			}
			c.compare(t, &a, trace.PointerSize)
		}
	}
	for field := range c.unused {
		t.Errorf("%s is in a list of this test and never occurs", field)
	}
	t.Logf("%d values of %d fields are the same", c.equal, len(c.seen))
}

// comparison counts.
type comparison struct {
	equal  int
	seen   map[string]bool
	unused map[string]bool
}

func (c *comparison) compare(t *testing.T, a *answer, pointer int) {
	e, ok := clr.Lookup(a.Provider, a.ID, a.Version)
	payload, err := hex.DecodeString(a.Payload)
	if !ok || err != nil || a.Payload == "" {
		return
	}
	members, _, err := decode(payload, pointer, e.Fields)
	if err != nil {
		t.Errorf("%s %d/%d: %v", a.Provider, a.ID, a.Version, err)
	}
	for name, theirs := range a.Fields {
		field := e.Name + "." + name
		path := name
		if other := renamed[field]; other != "" {
			path = other
			delete(c.unused, field)
		}
		ours, found := find(members, path)
		switch {
		case found && same(ours, theirs):
			c.equal++
			c.seen[field] = true
		case found && different[field] != "" || !found && (computed[field] != "" || len(e.Fields) == 0):
			delete(c.unused, field)
			if strings.HasSuffix(field, ".MethodFlags") && fmt.Sprint(ours.(uint64)&0x7f) != fmt.Sprint(theirs) {
				t.Errorf("%s: %#x, the other reader has %v", field, ours, theirs)
			}
		default:
			t.Errorf("%s %d/%d %s: %v, the other reader has %v; %s", a.Provider, a.ID, a.Version, field, ours, theirs, a.Payload)
		}
	}
}

// find returns the member at a path; of an array, that of the first element.
func find(members []member, path string) (any, bool) {
	name, rest, deeper := strings.Cut(path, ".")
	for _, m := range members {
		if m.name != name {
			continue
		}
		if !deeper {
			return m.value, true
		}
		if elements := m.value.([]any); len(elements) > 0 {
			return find(elements[0].([]member), rest)
		}
	}
	return nil, false
}

// same compares a value with one of the other reader: a number (those of 64
// bits as text), a text or a truth. Numbers may differ in their sign's meaning.
func same(ours, theirs any) bool {
	text := fmt.Sprint(theirs)
	if fmt.Sprint(ours) == text {
		return true
	}
	switch ours := ours.(type) {
	case float64:
		value, err := strconv.ParseFloat(text, 64)
		return err == nil && value == ours
	case uint64:
		value, err := strconv.ParseInt(text, 10, 64)
		return err == nil && value < 0 && (uint64(value) == ours || uint64(uint32(value)) == ours)
	}
	return false
}
