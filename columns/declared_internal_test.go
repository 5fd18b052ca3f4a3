package columns

import (
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/gc"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestAddedField: a field that is added to a declaration is a column, with its values.
func TestAddedField(t *testing.T) {
	copied := gc.Table
	copied.Fields = append(slices.Clone(copied.Fields), analysis.Field[gc.Row]{
		Key: "addedHeapBytes", Doc: "added", Of: func(r *gc.Row) any { return r.PauseNs },
	})
	copied.Query += " addedHeapBytes"
	rows := []gc.Row{{}, {PauseNs: analysis.Known(7)}}
	table := rowTable(Table{Name: "added"}, func(*Trace) []gc.Row { return rows }, nil, declared(&copied, func(r *gc.Row) *gc.Row { return r })...)
	at := table.Column("added_heap_bytes")
	if at < 0 {
		t.Fatal("no column")
	}
	expect.Equal(t, "column", table.Columns[at], Column{Name: "added_heap_bytes", Type: Int, Unit: "B", Doc: "added"})
	vectors, n := table.fill(nil, func(int) bool { return true })
	expect.Equal(t, "rows", n, 2)
	expect.Equal(t, "null", vectors[at].Null(0), true)
	expect.Equal(t, "value", vectors[at].Int(1), int64(7))
}
