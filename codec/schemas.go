package codec

// HasSchemas reports whether the Reader calls Options.Schemas for events that
// the trace does not describe.
func (r *stream) HasSchemas() bool { return r.opt.Schemas != nil && !r.opt.NoLeniency }

// Undescribed returns the number of events with a payload whose fields or name the
// program requested and the trace does not describe. It is 0 if
// Options.Schemas is set. Package clr has schemas of the native events of the
// .NET runtime.
func (r *stream) Undescribed() int64 { return r.undescribed }
