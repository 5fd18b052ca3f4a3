package symbols

// Name is the name as .NET people write it.
func (f Frame) Name() string { return f.RawName() }
