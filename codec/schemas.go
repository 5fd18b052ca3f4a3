package codec

// HasSchemas reports whether the Reader asks Options.Schemas about events that
// the trace does not describe.
func (r *stream) HasSchemas() bool { return r.opt.Schemas != nil && !r.opt.Literal }
