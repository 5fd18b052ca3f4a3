package columns

import "fmt"

// Type is the type of the values of a column.
type Type uint8

// The types of columns.
const (
	Int   Type = iota // integer of 64 bits
	Float             // floating-point number of 64 bits
	Text              // UTF-8
	Bool              // 0 or 1
	Time              // nanoseconds since 1970-01-01 UTC, without leap seconds
)

// String returns the name of the type.
func (t Type) String() string { return [...]string{"int", "float", "text", "bool", "time"}[t] }

// Column describes a column of a table.
type Column struct {
	Name string // in lower case, with _ between words; of a field of an event that of the field
	Type Type   // of the values
	Unit string // of the values, "" for none
	Doc  string // what the value is
	// Of is the name of the table whose column id has the same numbers, "" for
	// none.
	Of string
	// Key reports that rows are looked up by this column: a number that other
	// tables refer to, or that refers to another table.
	Key bool
	// Sorted reports that the values do not decrease from row to row, if the times of
	// the trace's events do not: a malformed trace can have them in another order.
	Sorted bool

	needs source // in addition to what its table is made from
}

// Table describes a table of a trace.
type Table struct {
	Name    string   // in lower case; of the events of one type the names of the provider and the event
	Doc     string   // what a row is
	Columns []Column // in order

	needs source
	fill  func(t *Trace, uses func(column int) bool) (list []*Vector, rows int) // nil for the events of one type
	typed *eventTable                                                           // the events of one type, or nil
}

// Column returns the position of a column, -1 if there is none with the name.
func (t *Table) Column(name string) int {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return i
		}
	}
	return -1
}

// source is a set of what a table is made from.
type source uint16

const (
	fromTypes       source = 1 << iota // the types of events that the trace describes
	fromEvents                         // the columns of events
	fromStackColumn                    // the column of events with their stacks
	fromEventStacks                    // the tree with the stacks of events
	fromStacks                         // the tree with the stacks of events and samples
	fromProfile                        // the threads, and the stacks of samples
	fromSamples                        // the samples
	fromMarks                          // the marks of the profile
	fromOwners                         // the requests that samples are work for
	fromGC                             // the collections
	fromRequests                       // the requests
	fromSpans                          // the spans of event sources
	fromCounters                       // the values of counters
)

// ofAnalysis are the sources that one pass of package analysis reads, and ofProfile those that
// one of package profile reads.
const (
	ofAnalysis = fromEvents | fromStackColumn | fromEventStacks | fromGC | fromRequests | fromSpans | fromCounters
	ofProfile  = fromProfile | fromMarks | fromOwners
)

// column is a column of a table whose source is of type S.
type column[S any] struct {
	Column
	of func(s *S) *Vector
}

// vectorTable returns a table whose source has a Vector for each column.
func vectorTable[S any](table Table, from func(t *Trace) (s *S, rows int), list []column[S]) *Table {
	for i := range list {
		table.Columns = append(table.Columns, list[i].Column)
	}
	table.fill = func(t *Trace, uses func(column int) bool) ([]*Vector, int) {
		s, rows := from(t)
		vectors := make([]*Vector, len(list))
		for i := range list {
			if uses(i) {
				vectors[i] = list[i].of(s)
			}
		}
		return vectors, rows
	}
	return &table
}

// field is a column of a table whose source is a list of R.
type field[R any] struct {
	Column
	// of returns the value of a row, as builder.add takes it.
	of func(r *R) any
}

// rowTable returns a table whose source is a list.
func rowTable[R any](table Table, rows func(t *Trace) []R, list []field[R], more ...field[R]) *Table {
	list = append(list, more...)
	for i := range list {
		table.Columns = append(table.Columns, list[i].Column)
	}
	table.fill = func(t *Trace, uses func(column int) bool) ([]*Vector, int) {
		all, vectors := rows(t), make([]*Vector, len(list))
		for i := range list {
			if !uses(i) {
				continue
			}
			b := builder{of: list[i].Type}
			for r := range all {
				b.add(list[i].of(&all[r]))
			}
			vectors[i] = b.done()
		}
		return vectors, len(all)
	}
	return &table
}

// UnknownTableError reports that a trace has no table with a name.
type UnknownTableError struct {
	Name string // that Load got
}

// Error names the table.
func (e *UnknownTableError) Error() string { return fmt.Sprintf("columns: no table %q", e.Name) }

// UnknownColumnError reports that a table has no column with a name.
type UnknownColumnError struct {
	Table string // whose columns Load got
	Name  string // that Load got
}

// Error names the column and the table.
func (e *UnknownColumnError) Error() string {
	return fmt.Sprintf("columns: no column %q in table %q", e.Name, e.Table)
}
