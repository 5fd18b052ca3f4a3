package clr_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// eventType is the key of a schema.
type eventType struct {
	provider    string
	id, version uint32
	name        string
}

func (e eventType) String() string {
	return fmt.Sprintf("%s %d/%d %q", e.provider, e.id, e.version, e.name)
}

// unknown are the sources whose events have a payload, no fields in their
// metadata, and no schema here: the recorded program wrote them to test
// parameters that the runtime cannot describe (byte arrays, objects and lists).
// Each with the number of its event types.
var unknown = map[string]int{
	"Corners-BadThrow":   1,
	"Corners-Manifest":   3,
	"Corners-ManifestSD": 2,
	"Corners-Self":       36,
}

// TestTraces reads every trace: each event without fields that has a payload or a
// known provider has a schema of exactly its version, which consumes the payload
// to the last byte. The events of recorders of complete machines (Universal) must
// do so although they have fields.
func TestTraces(t *testing.T) {
	missing := map[eventType]bool{}
	types := map[eventType]int{}
	var lock sync.Mutex
	t.Run("all", func(t *testing.T) {
		for name, read := range traces(t) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				found, without := readTrace(t, read())
				lock.Lock()
				defer lock.Unlock()
				maps.Copy(missing, without)
				for what, n := range found {
					types[what] += n
				}
			})
		}
	})
	events := 0
	for _, n := range types {
		events += n
	}
	t.Logf("%d events of %d types decoded to the last byte", events, len(types))
	counts := map[string]int{}
	for what := range missing {
		counts[what.provider]++
		if unknown[what.provider] == 0 {
			t.Errorf("no entry for %v", what)
		}
	}
	for provider, n := range counts {
		if want := unknown[provider]; n > want {
			t.Errorf("%s: %d types without a schema, want at most %d", provider, n, want)
		}
	}
}

// traces returns the recorded traces by name.
func traces(t *testing.T) map[string]func() []byte {
	all := map[string]func() []byte{}
	for _, name := range shared.Traces(t) {
		all[name] = func() []byte { return shared.Trace(t, name) }
	}
	return all
}

// readTrace decodes the events of one trace that have no fields. It returns their
// numbers by type, and the types without a schema.
func readTrace(t *testing.T, stream []byte) (types map[eventType]int, missing map[eventType]bool) {
	types, missing = map[eventType]int{}, map[eventType]bool{}
	r := codec.NewBytesReader(stream, codec.Options{OnError: codec.Skip})
	trace, err := r.Trace()
	if err != nil {
		t.Fatal(err)
	}
	known, inexact := map[string]bool{}, map[eventType]bool{}
	for e := range clr.Events() {
		known[e.Provider] = true
	}
	for ev, err := range r.Events() {
		if err != nil {
			break // a truncated trace; the reader's own tests list them
		}
		m := ev.Metadata()
		if m == nil || len(m.Fields) > 0 && !strings.HasPrefix(m.Provider, "Universal.") {
			continue
		}
		if len(ev.Payload()) == 0 && !known[m.Provider] {
			continue
		}
		what := eventType{m.Provider, m.EventID, ev.Version(), m.Name}
		e, ok := clr.Describe(m, what.version)
		if !ok {
			missing[what] = true
			continue
		}
		exact := e.Version == what.version
		types[what]++
		_, used, err := decode(ev.Payload(), trace.PointerSize, e.Fields)
		if !exact || err != nil || used != len(ev.Payload()) {
			if !inexact[what] {
				t.Errorf("%v: version known: %v; %d of %d bytes used, %v: %x", what, exact, used, len(ev.Payload()), err, ev.Payload())
			}
			inexact[what] = true
		}
	}
	return types, missing
}

// otherwise are metadata rows that differ from the table, because a version
// changed without a new number.
var otherwise = map[string]bool{
	"Microsoft-Windows-DotNETRuntime 159/0": true, // .NET Core 3: level 5, NGenKeyword
}

// TestMetadata compares levels and keywords with those in the runtime's metadata
// rows.
func TestMetadata(t *testing.T) {
	const sessions = 0x0000F00000000000 // set by managed sources, for any event
	wrong := map[string]bool{}
	for _, read := range traces(t) {
		r := codec.NewBytesBlockReader(read(), codec.Options{OnError: codec.Skip})
		for b, ok := r.Next(); ok; b, ok = r.Next() {
			for _, row := range b.Metadata {
				m := row.Metadata
				e, ok := clr.Describe(m, m.Version)
				what := fmt.Sprintf("%s %d/%d", m.Provider, m.EventID, m.Version)
				if !ok || e.Version != m.Version || len(m.Fields) > 0 || otherwise[what] {
					continue
				}
				if uint32(e.Level) != m.Level || e.Keywords != m.Keywords&^sessions {
					wrong[fmt.Sprintf("%s: level %d keywords %#x, in a trace %d and %#x", what, e.Level, e.Keywords, m.Level, m.Keywords)] = true
				}
			}
		}
	}
	for _, line := range slices.Sorted(maps.Keys(wrong)) {
		t.Error(line)
	}
}
