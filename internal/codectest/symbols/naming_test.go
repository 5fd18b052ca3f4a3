package symbols_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/internal/shared"
)

var _ edit.Naming = (*symbols.Naming)(nil)

// TestNames: every event that a Table handles is a naming event.
func TestNames(t *testing.T) {
	for _, name := range shared.Small(t) {
		t.Run(name, func(t *testing.T) {
			table, naming := symbols.NewTable(symbols.Options{}), symbols.NewNaming(symbols.Options{})
			r := codec.NewBytesReader(shared.Trace(t, name), codec.Options{OnError: codec.Skip})
			for e, err := range r.Events() {
				if err != nil {
					break
				}
				malformed := table.Malformed()
				taken := table.Add(e) && table.Malformed() == malformed
				if taken && !naming.Names(e) {
					t.Fatalf("%s %d version %d, %d bytes: Names is false, Table.Add took it", e.Provider(), e.ID(), e.Version(), len(e.Payload()))
				}
			}
		})
	}
}
