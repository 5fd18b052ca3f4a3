// Package symbols finds what the events of a trace do not have: the source lines
// of managed code, by the PDBs of its modules, and the names and maps of code
// that was compiled ahead of time, by the images. Package codec/clr/symbols has
// the names that are in the events.
//
//	t := clr.NewTable(clr.Options{Lines: true})
//	... // t.Add of all events
//	r := symbols.NewResolver(symbols.Options{Folders: []string{"bin"}})
//	f := t.Lookup(query)
//	where := r.Locate(f.Code, f.Address)
//	fmt.Println(where.File, where.Line, where.Missing)
//
// # From an address to a line
//
// An address of a stack is a return address: the call is the instruction before
// it, so that Locate looks for the address less one. The native offset in the
// body gives the IL offset, by the body's map, and that the sequence point, by
// the PDB: the last one at or before it that has source text.
//
// A PDB belongs to a module if its id is that in the trace's row of the module. A
// PDB of another build is never used.
//
// # What cannot be known
//
// Optimized code can have one place for several statements: then Location has
// the range of their lines. Helpers that throw for several statements have no
// line, code without a map has none, and code of a catch block has the address of
// the call that threw ([Resolver.Uncertain]). Location.Missing is the reason where a
// line is missing.
//
// Files are read from the disk only, never from a network.
package symbols
