// Package symbols names the addresses of a trace's stacks: from the method,
// module and assembly events of the .NET runtime, and from the mappings and
// symbols of Universal.System (v6).
//
//	t := symbols.NewTable(symbols.Options{})
//	for e, err := range r.Events() {
//		...
//		t.Add(e) // takes what it knows
//		for _, a := range e.Stack() {
//			t.Want(symbols.Process(e), a)
//		}
//	}
//	f := t.Lookup(symbols.Query{Process: process, Address: address, Ticks: ticks})
//	fmt.Println(f.RawName(), f.Evidence)
//
// One reading is enough, also of a pipe. A trace of the runtime tells the names
// of most methods at its end, in the rundown, when the addresses of all stacks
// have been seen: Want says which they are, and rows of methods that hold none
// of them are passed over.
//
// # Address and time
//
// Code moves, and memory is used again. What an address meant at a time is found
// by these rules:
//
//   - A load holds from its time, until its unload or until other code is loaded
//     over it.
//   - An unload whose load is not in the trace holds until its time, from the
//     previous unload of an overlapping range.
//   - A row of the rundown at the end holds to the end, from the last unload of
//     an overlapping range; one at the start is a load that holds from there.
//   - Where nothing holds, what is nearest in time counts.
//
// [Evidence] tells what a name rests on. Loads and unloads without a name (141,
// 142) take that of another row of their method, or else only bound the lives of
// others.
//
// Without a rundown, code that was compiled ahead of time (ready-to-run) has no
// range in the trace. The entry points that the runtime looked up (159) name it:
// the nearest one below, at most 64 KB away, and never across another known
// method. They do not tell their module; where the trace has details of the
// methods (72), those do, but for generic ones.
//
// # Names
//
// [Frame.RawName] is module!Namespace.Name(signature), as TraceEvent prints it;
// [Frame.Name] is what people write in C#: see there. [Frame.NameCalledBy] says
// what a frame without a name is, as far as the frames around it show that.
//
// A process of which the trace has no rundown ([Table.HasRundown]) has names only
// for methods that were loaded while it was recorded.
//
// # Universal.System
//
// Mappings and symbols belong to processes; both ends of their ranges are
// inclusive. A symbol names addresses in every process that has its mapping,
// whenever it comes.
//
// # Limits and hostile input
//
// Payloads that are cut or impossible are passed over and counted
// ([Table.Malformed]). Options.Limit bounds the bytes that rows and names hold;
// what comes beyond is passed over and counted too ([Table.Dropped]). Wanted
// addresses take eight bytes each beside that. Of one address, 4,096 ranges are
// looked at. A Table is for one goroutine.
package symbols
