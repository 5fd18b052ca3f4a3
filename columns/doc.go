// Package columns reads a trace as tables: events, samples, stacks, garbage
// collections and more, each a list of columns.
//
//	t, err := columns.New(columns.Options{Open: open})
//	events, err := t.Load(ctx, "events", "name", "thread_id")
//	for row := range events.Rows {
//		use(events.Vector("name").Text(row))
//	}
//
// # Tables
//
// Tables lists the tables that every trace has, with the name, type, unit and
// meaning of each column. Beside these a trace has a table for each type of
// event that it describes or that is known: its columns are the fields of the
// payload. Such a table has the name of the provider and the event, with _ in
// place of other characters: Microsoft_Windows_DotNETRuntime_GCStart. LeftOut
// counts the values of fields that the type of a column cannot express.
//
// A column id has the numbers of the rows, from 1. Another column with such
// numbers has the name of the table and _id: stack_id. Processes and threads have
// the ids of the operating system; a v6 thread without one is 1<<32 plus its
// index. Numbers are the same in each reading of a trace.
//
// # Reading
//
// Load reads the trace only for what it needs: events and their stacks need one pass,
// samples one, and the stacks of samples both, because they have the numbers after those
// of events. The types of events that a trace describes need one pass when one of their
// tables is requested. The fields of events are decoded if a column of their table is
// requested. Package profile makes the samples, package analysis the collections,
// requests and losses.
package columns
