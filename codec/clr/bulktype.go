package clr

import (
	"iter"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// TypeRow is a type of an event BulkType.
type TypeRow struct {
	ID       uint64 // by which other events name the type
	ModuleID uint64 // 0 for types without a module of their own
	Name     []byte // UTF-16, without a zero at its end; empty if the session does not record names
}

// Rows returns the types of the event, up to the first one that is cut off. Their names are valid
// until the Reader's next step.
func (e BulkTypeEvent) Rows() iter.Seq[TypeRow] {
	return func(yield func(TypeRow) bool) {
		const (
			first         = 6         // after Count and ClrInstanceID
			beforeName    = 4 + 4 + 1 // TypeNameID, Flags, CorElementType
			maxParameters = 1 << 20
		)
		at := first
		for n := e.Count(); n > 0; n-- {
			var row TypeRow
			var parameters uint32
			row.ID, at = wire.Uint64(e.b, at)
			row.ModuleID, at = wire.Uint64(e.b, at)
			row.Name, at = wire.UTF16Z(e.b, wire.Skip(e.b, at, beforeName))
			parameters, at = wire.Uint32(e.b, at)
			if at = wire.Skip(e.b, at, 8*int(min(parameters, maxParameters))); at < 0 || !yield(row) {
				return
			}
		}
	}
}
