package edit

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestNamesEndAtZero: a name ends at a zero character anywhere in a field list,
// and all fields stay.
func TestNamesEndAtZero(t *testing.T) {
	number := codec.Type{Code: wire.Int32}
	inner := codec.Type{Code: wire.Object, Fields: []codec.Field{{Name: "in\x00side", Type: number}}}
	for name, list := range map[string][]codec.Field{
		"first":      {{Name: "\x00a", Type: number}, {Name: "b", Type: number}},
		"last":       {{Name: "a", Type: number}, {Name: "b\x00", Type: number}},
		"in object":  {{Name: "a", Type: number}, {Name: "b", Type: inner}},
		"in element": {{Name: "a", Type: codec.Type{Code: wire.Array, Element: &inner}}, {Name: "b", Type: number}},
	} {
		t.Run(name, func(t *testing.T) {
			var c changes
			m := fitMetadata(&codec.Metadata{Fields: list}, wire.V5, &c)
			expect.Equal(t, "len(m.Fields)", len(m.Fields), 2)
			expect.Equal(t, "c.total()", c.total(), 1)
			expect.Equal(t, "fitMetadata(m, wire.V5, &c)", fitMetadata(m, wire.V5, &c), m)
			expect.Equal(t, "c.total()", c.total(), 1)
		})
	}
}
