package clr

import "github.com/nettrace-go/nettrace/codec"

// Schemas returns the schema of a .NET event whose metadata has no fields. It
// is for codec.Options.Schemas.
func Schemas(m *codec.Metadata, version uint32) (codec.EventSchema, bool) {
	e, ok := Describe(m, version)
	if !ok {
		return codec.EventSchema{}, false
	}
	return codec.EventSchema{Name: e.Name, Fields: e.Fields, Version: e.Version}, true
}
