package columns_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestStackNumbers: stacks have the same numbers whether samples are read before events or
// after them, as numbers and as rows.
func TestStackNumbers(t *testing.T) {
	b := shared.Trace(t, "net10-mix-locks.v4")
	first, second := open(t, b), open(t, b)
	for _, table := range []string{"samples", "events", "stacks"} {
		load(t, first, table)
	}
	for _, table := range []string{"stacks", "events", "samples"} {
		load(t, second, table)
	}
	for _, of := range [][2]string{{"samples", "stack_id"}, {"events", "stack_id"}, {"stacks", "parent_id"}, {"stacks", "frame_id"}} {
		t.Run(of[0]+"."+of[1], func(t *testing.T) {
			a, b := load(t, first, of[0], of[1]), load(t, second, of[0], of[1])
			expect.Equal(t, "rows", b.Rows, a.Rows)
			expect.AtLeast(t, "rows", a.Rows, 100)
			expect.Stop(t)
			x, y := a.Vector(of[1]), b.Vector(of[1])
			for row := range a.Rows {
				if x.Null(row) != y.Null(row) || !x.Null(row) && x.Int(row) != y.Int(row) {
					t.Fatalf("row %d: numbers differ", row)
				}
			}
		})
	}
}

// TestSampleOrder: samples are in the order of their times.
func TestSampleOrder(t *testing.T) {
	d := load(t, open(t, shared.Trace(t, "net10-mix-locks.v4")), "samples", "at_ns", "type")
	expect.AtLeast(t, "rows", d.Rows, 100)
	types := map[string]bool{}
	for row := range d.Rows {
		types[d.Vector("type").Text(row)] = true
		if row > 0 && d.Vector("at_ns").Int(row) < d.Vector("at_ns").Int(row-1) {
			t.Fatalf("row %d is before row %d", row, row-1)
		}
	}
	expect.AtLeast(t, "types of samples", len(types), 2)
}
