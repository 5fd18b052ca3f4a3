package codec

// HasSchemas reports whether the Reader asks Options.Schemas about events that
// the trace does not describe.
func (r *stream) HasSchemas() bool { return r.opt.Schemas != nil && !r.opt.NoLeniency }

// Undescribed returns the number of events with a payload whose fields or name were
// asked for, and for which neither the trace nor Options.Schemas has any: Schemas is
// not set. It is 0 when Schemas is set. Package clr has schemas of the native events
// of the .NET runtime.
func (r *stream) Undescribed() int64 { return r.undescribed }
