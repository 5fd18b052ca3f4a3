package symbols

import (
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
	"github.com/nettrace-go/nettrace/codec/internal/traces"
)

// TestNamingFields: the payloads of the naming events of real traces have the
// fields that are known and no others.
func TestNamingFields(t *testing.T) {
	met := 0
	for _, name := range traces.Names(t) {
		t.Run(name, func(t *testing.T) {
			n := NewNaming(Options{})
			r := codec.NewBytesReader(traces.Read(t, name), codec.Options{OnError: codec.Skip})
			for e, err := range r.Events() {
				if err != nil {
					break
				}
				known := n.typeOf(e)
				if known.kind == notNaming {
					continue
				}
				var what naming
				p := payload{b: e.Payload()}
				known.read(e, &p, &what)
				if p.bad() || p.pos != len(p.b) {
					t.Fatalf("%s %d version %d: %d of %d bytes read", e.Provider(), e.ID(), e.Version(), p.pos, len(p.b))
				}
				met++
			}
		})
	}
	expect.AtLeast(t, "naming events", met, 1000)
}

// TestHandledEventsAreNaming: IsNaming reports true for all events that Table.Add uses,
// IsLines for those that it uses with Options.Lines only.
func TestHandledEventsAreNaming(t *testing.T) {
	for of, h := range handlers {
		t.Run(fmt.Sprintf("%s %d", of.Provider(), of.ID()), func(t *testing.T) {
			m := &codec.Metadata{Provider: of.Provider(), EventID: of.ID()}
			expect.Equal(t, "IsNaming", IsNaming(m), !h.lines)
			expect.Equal(t, "IsLines", IsLines(m), h.lines)
		})
	}
}
