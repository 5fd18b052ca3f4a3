// Package symbols names the addresses of a trace's stacks, with the method,
// module and assembly events of the .NET runtime, and with the mappings and
// symbols of Universal.System (v6).
//
//	t := symbols.NewTable(symbols.Options{})
//	for e, err := range r.Events() {
//		...
//		t.Add(e) // ignores events that are not about names
//		for _, a := range e.Stack() {
//			t.AddWanted(symbols.Process(e), a)
//		}
//	}
//	f := t.Lookup(symbols.Query{Process: process, Address: address, Ticks: ticks})
//	fmt.Println(f.RawName(), f.Evidence)
//
// One pass over the trace is enough; the source can be a pipe. A runtime writes
// the names of most methods at the end of a trace, in the rundown, after all
// stacks. AddWanted registers the addresses of the stacks; the Table ignores
// rundown rows that contain none of them.
//
// # Address and time
//
// Code moves, and memory is reused. The meaning of an address at a time is
// defined by these rules:
//
//   - A load is valid from its time until its unload, or until other code is
//     loaded at an overlapping range.
//   - An unload whose load is not in the trace is valid until its time, from the
//     previous unload of an overlapping range.
//   - A row of the rundown at the end is valid to the end, from the last unload of
//     an overlapping range; one at the start is a load at that time.
//   - If none of these applies, the row nearest in time is used.
//
// [Evidence] is the kind of event that a name is based on. Loads and unloads
// without a name (141, 142) take the name from another row of their method; if
// there is none, they only bound other rows.
//
// Without a rundown, code that was compiled ahead of time (ready-to-run) has no
// range in the trace. Entry points that the runtime looked up (159) name it:
// the nearest one below the address, at most 64 KB away, with no known method
// in between. They have no module; if the trace has details of the methods
// (72), the module comes from there, except for generic methods.
//
// # Names
//
// [Frame.RawName] is module!Namespace.Name(signature), as TraceEvent prints it;
// [Frame.Name] is in C# syntax. [Frame.NameCalledBy] describes a frame without
// a name by the frames around it.
//
// If the trace has no rundown of a process ([Table.HasRundown]), only methods
// that were loaded during the recording have names.
//
// # Universal.System
//
// Mappings and symbols belong to processes; their ranges are inclusive. A
// symbol names addresses in every process with its mapping, even if it comes
// later.
//
// # Limits and untrusted input
//
// The Table ignores truncated and invalid payloads and counts them
// ([Table.Malformed]). Options.Limit bounds the bytes of rows and names; the
// Table ignores and counts rows beyond it ([Table.Dropped]). Wanted addresses
// need another eight bytes each. For one address, at most 4,096 ranges are
// examined. A Table is for one goroutine.
package symbols
