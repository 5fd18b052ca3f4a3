package processes_test

import (
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/analysis/internal/processes"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestTable: each process has its own state, and All is in order of the ids.
func TestTable(t *testing.T) {
	var table processes.Table[string]
	expect.Equal(t, "state of an empty table", table.Get(2) == nil, true)
	names := map[uint64]string{2: "two", 0: "zero", 1: "one"}
	for _, id := range []uint64{2, 0, 1} {
		name := names[id]
		table.Put(id, &name)
	}
	for _, id := range []uint64{1, 1, 2, 0} {
		expect.Equal(t, "state", *table.Get(id), names[id])
	}
	expect.Equal(t, "state of another process", table.Get(3) == nil, true)
	var all []string
	for state := range table.All() {
		all = append(all, *state)
	}
	expect.Equal(t, "states in order", slices.Equal(all, []string{"zero", "one", "two"}), true)
}
