package values_test

import (
	"encoding/json"
	"math/bits"
	"strconv"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// renamed are fields that the other reader's parsers call something else.
var renamed = map[string]string{
	"AwaitTaskContinuationScheduled.ContinuationId": "ContinueWithTaskId",
	"GCMarkWithType.Promoted":                       "Bytes",
	"GCJoin.ID":                                     "JoinID",
	"BulkType.TypeID_0":                             "Values[0].TypeID",
	"BulkType.TypeName_0":                           "Values[0].Name",
}

// madeUp are fields that the other reader's parsers add to those of the payload,
// and their sources.
var madeUp = map[string]string{
	"ContentionStart.AssociatedObjectID":            "0 in version 1, which has none",
	"ContentionStart.LockID":                        "0 in version 1, which has none",
	"ContentionStart.LockOwnerThreadID":             "0 in version 1, which has none",
	"FinalizeObject.TypeName":                       "from an earlier BulkType",
	"GCAllocationTick.ObjectSize":                   "0 in version 3, which has none",
	"GCDynamicEvent.TotalBookkeepingCommitted":      "from Data",
	"GCDynamicEvent.TotalCommittedInFree":           "from Data",
	"GCDynamicEvent.TotalCommittedInGlobalDecommit": "from Data",
	"GCDynamicEvent.TotalCommittedInGlobalFree":     "from Data",
	"GCDynamicEvent.TotalCommittedInUse":            "from Data",
	"GCDynamicEvent.Version":                        "from Data",
	"GCGlobalHeapHistory.CondemnReasons0":           "null before the version that has it",
	"GCGlobalHeapHistory.CondemnReasons1":           "null before the version that has it",
	"GCGlobalHeapHistory.Count":                     "null before the version that has it",
	"GCHeapStats.Depth":                             "from the GCStart before",
	"GCHeapStats.GenerationSize4":                   "0 in version 1, which has none",
	"GCHeapStats.TotalHeapSize":                     "sum of the sizes",
	"GCHeapStats.TotalPromoted":                     "sum of the promoted sizes",
	"GCHeapStats.TotalPromotedSize4":                "0 in version 1, which has none",
	"GCPerHeapHistory.ConcurrentCompactMechanisms":  "null: of Windows only",
	"GCPerHeapHistory.MemoryPressure":               "null: of an older version",
	"MethodDCEndVerbose.OptimizationTier":           "bits 7 to 9 of MethodFlags",
	"MethodDCEndVerbose.ReJITID":                    "0 in version 1, which has none",
	"MethodLoadVerbose.OptimizationTier":            "bits 7 to 9 of MethodFlags",
	"MethodLoadVerbose.ReJITID":                     "0 in version 1, which has none",
	"MethodUnload.OptimizationTier":                 "bits 7 to 9 of MethodFlags",
	"MethodUnloadVerbose.OptimizationTier":          "bits 7 to 9 of MethodFlags",
	"MethodUnloadVerbose.ReJITID":                   "0 in version 1, which has none",
	"ModuleDCEnd.ModuleILFileName":                  "end of ModuleILPath",
	"ModuleLoad.ModuleILFileName":                   "end of ModuleILPath",
	"ModuleUnload.ModuleILFileName":                 "end of ModuleILPath",
}

// recast are fields of which the other reader's parsers show a part, with the
// conversion.
var recast = map[string]func(ours any) any{
	"MethodFlags": func(ours any) any { // without the tier and the extent
		n, _ := integer(ours)
		return decimal(n & 0x7f)
	},
	"CompactMechanisms": bitNumber,
	"ExpandMechanisms":  bitNumber,
}

// bitNumber is the position of the bit that is set besides the highest one, or
// 1024.
func bitNumber(ours any) any {
	n, _ := integer(ours)
	if n &= 0x7fffffff; n == 0 {
		return decimal(1024)
	}
	return decimal(int64(bits.TrailingZeros32(uint32(n))))
}

func decimal(n int64) json.Number { return json.Number(strconv.FormatInt(n, 10)) }

// misfits are payloads that continue after the described fields: their writer
// adds bytes, in the given number of lines.
var misfits = map[string]int{
	"onecollect-noend.v6 ExceptionThrown": 2, "onecollect-noend.v6 ProcessMapping": 1,
	"onecollect-small.v6 ExceptionThrown": 2, "onecollect-small.v6 ProcessMapping": 1,
}

// comparison counts the values on which the other reader's parsers and codec
// agree.
type comparison struct {
	faults  faults
	unmet   map[string]bool // of renamed and madeUp
	misfits map[string]int
	lines   int
	same    int
	fields  map[string]bool
}

// TestCorresponding compares the values of events that the other reader decodes
// by a parser of its own. It renames fields and invents some: the value with the
// same or the corresponding name in codec must be equal.
func TestCorresponding(t *testing.T) {
	if shared.Race {
		t.Skip("the race detector would take minutes for a single goroutine")
	}
	c := comparison{faults: readFaults(t, "field"), unmet: map[string]bool{}, misfits: map[string]int{}, fields: map[string]bool{}}
	for name := range renamed {
		c.unmet[name] = true
	}
	for name := range madeUp {
		c.unmet[name] = true
	}
	for _, name := range answered(t) {
		for _, a := range answers(t, name, codec.Options{Schemas: clr.Schemas}, func(a *answer) bool { return a.parser != dynamic }) {
			if a.event == nil {
				t.Errorf("%s: no event for %+v", name, a.key)
				continue
			}
			c.compare(t, name, a)
		}
	}
	c.faults.check(t)
	for name := range c.unmet {
		t.Errorf("%s is in a list of this test and never occurs", name)
	}
	for name, n := range misfits {
		t.Run(name, func(t *testing.T) {
			if c.misfits[name] != n {
				t.Errorf("%d payloads do not fit, want %d", c.misfits[name], n)
			}
		})
	}
	t.Logf("%d events: %d values of %d fields are the same", c.lines, c.same, len(c.fields))
	expect.Equal(t, "c.lines", c.lines, 14_911)
	expect.AtLeast(t, "c.same", c.same, 75_295)
	expect.AtLeast(t, "len(c.fields)", len(c.fields), 599)
}

// compare compares one line.
func (c *comparison) compare(t *testing.T, trace string, a *answer) {
	t.Helper()
	c.lines++
	event := eventName(a.event)
	if a.broken != "" {
		c.misfits[trace+" "+event]++
		if misfits[trace+" "+event] == 0 {
			t.Errorf("%s: %+v: the payload breaks %s", trace, a.key, a.broken)
		}
	}
	var wrong []difference
	for _, m := range a.fields {
		field := event + "." + m.name
		path := m.name
		if other := renamed[field]; other != "" {
			path = other
			delete(c.unmet, field)
		}
		ours, found := lookUp(a.ours, path)
		switch {
		case !found && madeUp[field] != "":
			delete(c.unmet, field)
		case !found:
			wrong = append(wrong, difference{"." + m.name, absent{}, m.value})
		case corresponds(ours, m.value) || recast[m.name] != nil && corresponds(recast[m.name](ours), m.value):
			c.same++
			c.fields[field] = true
		default:
			wrong = append(wrong, difference{"." + m.name, ours, m.value})
		}
	}
	if len(wrong) > 0 {
		c.faults.take(t, a.parser+" "+event, a.event.Payload(), wrong)
	}
}

// eventName returns the event's name in the trace or the manifest.
func eventName(e *codec.Event) string {
	if e.Name() != "" {
		return e.Name()
	}
	if known, ok := clr.Describe(e.Metadata(), e.Version()); ok {
		return known.Name
	}
	return ""
}

// lookUp returns the value at a path: a name, or an element's member.
func lookUp(o object, path string) (any, bool) {
	name, inner, deeper := strings.Cut(path, "[0].")
	v, ok := o.get(name)
	if !deeper {
		return v, ok
	}
	if list, _ := v.([]any); len(list) > 0 {
		return lookUp(list[0].(object), inner)
	}
	return nil, false
}

// corresponds compares values that may be written in another way: addresses in
// hexadecimal digits or not, numbers of 32 bits with or without a sign.
func corresponds(ours, theirs any) bool {
	if len(differences("", ours, theirs)) == 0 {
		return true
	}
	x, ok := integer(ours)
	y, too := integer(theirs)
	return ok && too && (x == y || y < 0 && x == int64(uint32(y)))
}

// integer returns the number of a value; those of 64 bits are two's complements.
func integer(v any) (int64, bool) {
	switch v := v.(type) {
	case json.Number:
		n, err := v.Int64()
		return n, err == nil
	case string:
		if n, err := strconv.ParseInt(v, 10, 64); err == nil {
			return n, true
		}
		n, err := strconv.ParseUint(v, 0, 64)
		return int64(n), err == nil
	}
	return 0, false
}
