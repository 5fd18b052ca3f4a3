package clr_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestSchemas reads native events of a real trace with the Reader.
func TestSchemas(t *testing.T) {
	for _, e := range shared.Corpora(t) {
		if !e.Recorded() {
			continue
		}
		t.Run(e.Name, func(t *testing.T) {
			name, stream := e.Name, shared.Trace(t, e.Name)
			r := codec.NewBytesReader(stream, codec.Options{Schemas: clr.Schemas, OnError: codec.Skip})
			misfits, known := 0, 0
			for e, err := range r.Events() {
				if err != nil {
					break // of the two that were killed
				}
				if m := e.Metadata(); len(m.Fields) > 0 || m.Provider != "Microsoft-Windows-DotNETRuntime" {
					continue
				}
				known++
				if bad := e.FieldsError(); bad != nil {
					misfits++
					t.Logf("%s: event %d version %d at %d: %s", name, e.ID(), e.Version(), e.Offset(), bad)
				}
				if e.ID() == 10 && fieldOf(e, "AllocationAmount64").Uint64() == 0 {
					t.Errorf("%s: an AllocationTick without an amount at %d", name, e.Offset())
				}
			}
			if misfits > 0 {
				t.Errorf("%s: %d of %d native events do not fit their schema", name, misfits, known)
			}
		})
	}
}

// fieldOf is Event.Field for an existing field.
func fieldOf(e *codec.Event, name string) codec.Value {
	v, _ := e.Field(name)
	return v
}
