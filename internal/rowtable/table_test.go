package rowtable

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestTable: a value belongs to a row, not to its id, which can be of any size.
func TestTable(t *testing.T) {
	var table Table[string]
	one, other := &codec.Metadata{EventID: 1}, &codec.Metadata{EventID: 2}
	for _, id := range []uint32{0, 7, Dense - 1, Dense, 1<<32 - 1} {
		expect.Equal(t, "value before Put", table.Find(id, one), nil)
		put := table.Put(id, one, "one")
		expect.Equal(t, "place of the value", table.Find(id, one), put)
		expect.Equal(t, "value of another row with the id", table.Find(id, other), nil)
		expect.Equal(t, "value of no row", table.Find(id, nil), nil)
		table.Put(id, other, "other")
		expect.Equal(t, "value of the replaced row", table.Find(id, one), nil)
		expect.Equal(t, "value", *table.Find(id, other), "other")
		expect.Equal(t, "replaced value", *put, "one")
	}
	expect.Equal(t, "length of the slice", len(table.dense), Dense)
	expect.Equal(t, "length of the map", len(table.sparse), 2)
}
