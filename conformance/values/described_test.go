package values_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// eventType is a version of an event.
type eventType struct {
	provider    string
	id, version uint32
	name        string
}

// rare are the event types that neither of the lists of facts for clr has: they
// were read from traces.
var rare = []eventType{
	{"Microsoft-DotNETCore-SampleProfiler", 0, 0, ""},
	{runtimeProvider, 205, 2, ""},
	{rundownProvider, 10, 0, ""},
	{rundownProvider, 150, 1, ""},
	{rundownProvider, 300, 0, ""},
}

// undescribed are the event types without a description although they have a
// payload, by provider, with id/version and name. They are all of net10-types,
// whose program uses parameters for which the runtime writes no fields: byte
// arrays and objects, and in the last one arrays, Nullable, TimeSpan and
// DateTimeOffset.
var undescribed = map[string]string{
	"Corners-BadThrow":   "3/0 NullBytes",
	"Corners-Manifest":   "16/0 Bytes, 17/0 LongBytes, 18/0 Mixed",
	"Corners-ManifestSD": "48/0 Obj, 50/0 Objs",
	"Corners-Self": "100/0 GuidArr, 101/0 DateTimeArr, 102/0 DecimalArr, 103/0 EnumArr, 104/0 EnumByteArr, " +
		"105/0 TimeSpanArr, 106/0 ListInt, 107/0 Dict, 108/0 DictEmpty, 110/0 KVs, 114/0 ObjArr, " +
		"115/0 ObjArrEmpty, 116/0 Deep, 117/0 ArrOfObjWithArr, 121/0 Mixed, 402/0 BigBytes, 403/0 BigInts, " +
		"76/0 DateTimeOffset, 77/0 TimeSpan, 83/0 NullableInt, 84/0 NullableIntNull, 85/0 NullableGuid, " +
		"86/0 BoolArr, 87/0 SByteArr, 88/0 ByteArr, 89/0 ShortArr, 90/0 UShortArr, 91/0 IntArr, 92/0 UIntArr, " +
		"93/0 LongArr, 94/0 ULongArr, 95/0 FloatArr, 96/0 DoubleArr, 97/0 CharArr, 98/0 IntPtrArr, 99/0 UIntPtrArr",
}

// TestDescribed reads every trace and demands, for every event type met, a
// description: fields in the trace, or an entry of exactly that version in clr.
// Events without a payload need none unless their provider is known to clr.
func TestDescribed(t *testing.T) {
	kinds, providers := map[string]int{}, knownProviders()
	met, missing := map[eventType]bool{}, map[string][]string{}
	seen := func(e *codec.Event) {
		what := eventType{e.Provider(), e.ID(), e.Version(), e.Name()}
		kind := describedBy(e, providers)
		if met[what] && kind != "nothing" {
			return
		}
		if text := fmt.Sprintf("%d/%d %s", what.id, what.version, what.name); kind == "nothing" && !slices.Contains(missing[what.provider], text) {
			missing[what.provider] = append(missing[what.provider], text)
		}
		if !met[what] {
			met[what] = true
			kinds[kind]++
		}
	}
	readAll(t, seen)
	t.Logf("%d event types, described by: %v", len(met), kinds)
	for provider, list := range missing {
		known := strings.Split(undescribed[provider], ", ")
		for _, text := range list {
			if !slices.Contains(known, text) {
				t.Errorf("%s: nothing describes %s", provider, text)
			}
		}
	}
	if !shared.Present(t) || shared.Race {
		return // the traces of the repository, or small ones, do not have all types
	}
	for provider, list := range undescribed {
		t.Run(provider, func(t *testing.T) {
			for text := range strings.SplitSeq(list, ", ") {
				if !slices.Contains(missing[provider], text) {
					t.Errorf("%s is described", text)
				}
			}
		})
	}
	for _, what := range rare {
		t.Run(what.name, func(t *testing.T) {
			e, ok := clr.Lookup(what.provider, what.id, what.version)
			expect.Equal(t, "met[what]", met[what], true)
			expect.Equal(t, "found", ok, true)
			expect.Stop(t)
			expect.Equal(t, "e.Version", e.Version, what.version)
			expect.NotZero(t, "len(e.Fields)", len(e.Fields))
		})
	}
	if len(met) != 784 || kinds["clr"] != 128 {
		t.Errorf("%d event types, %d of them described by clr alone; want 784 and 128", len(met), kinds["clr"])
	}
}

// describedBy returns what describes the payload of an event.
func describedBy(e *codec.Event, known map[string]bool) string {
	m := e.Metadata()
	switch event, ok := clr.Describe(m, e.Version()); {
	case len(m.Fields) > 0:
		return "the trace"
	case ok && event.Version == e.Version():
		return "clr"
	case len(e.Payload()) == 0 && !known[m.Provider]:
		return "no payload"
	}
	return "nothing"
}

// knownProviders returns the providers of which clr has events.
func knownProviders() map[string]bool {
	known := map[string]bool{}
	for e := range clr.Events() {
		known[e.Provider] = true
	}
	return known
}

// readAll reads the recorded traces. It reads a malformed or truncated trace up to
// its fault.
func readAll(t *testing.T, visit func(*codec.Event)) {
	t.Helper()
	for _, name := range shared.Traces(t) {
		readSome(shared.Trace(t, name), visit)
	}
}

func readSome(trace []byte, visit func(*codec.Event)) {
	for e, err := range codec.NewBytesReader(trace, codec.Options{OnError: codec.Skip}).Events() {
		if err != nil {
			return
		}
		visit(e)
	}
}
