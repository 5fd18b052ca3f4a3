package symbols

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec/internal/expect"
)

// TestNestedLifetimes: an address is in all ranges that contain it, also in one
// that begins before a shorter one; ends are exclusive.
func TestNestedLifetimes(t *testing.T) {
	var l lifetimes
	l.init([]lifetime{{start: 10, end: 100, to: forever, value: 1}, {start: 20, end: 30, from: 1, to: forever, value: 2}})
	for _, c := range []struct {
		address uint64
		values  []uint32
	}{{9, nil}, {10, []uint32{1}}, {20, []uint32{1, 2}}, {29, []uint32{1, 2}}, {30, []uint32{1}}, {99, []uint32{1}}, {100, nil}} {
		var got []uint32
		for _, one := range l.at(nil, c.address) {
			got = append(got, one.value)
		}
		expect.Slices(t, "values", got, c.values)
	}
}

// TestNameByMethod: rows without a name get that of their method, and do not remove
// it.
func TestNameByMethod(t *testing.T) {
	s := &space{rows: []row{
		{method: 7, function: 3, start: 100, size: 10}, {method: 7, start: 200, size: 10}, {method: 8, start: 300, size: 10},
	}}
	s.wanted.add(205)
	s.nameByMethod()
	var got []uint32
	for _, r := range s.rows {
		got = append(got, r.function)
	}
	expect.Slices(t, "functions", got, []uint32{3, 3, 0})
}

// TestUnloadedTwice: each unload ends a lifetime of its own; that of a missing load
// begins at the unload before.
func TestUnloadedTwice(t *testing.T) {
	s := &space{rows: []row{
		{start: 100, size: 10, ticks: 1, kind: loaded, function: 1},
		{start: 100, size: 10, ticks: 5, kind: unloaded, function: 1},
		{start: 100, size: 10, ticks: 9, kind: unloaded, function: 2},
	}}
	b := lifetimeBuilder{space: s, open: map[uint64]int{}}
	b.run()
	expect.Slices(t, "lifetimes", b.list, []lifetime{
		{start: 100, end: 110, from: 1, to: 5, value: 1, evidence: Load},
		{start: 100, end: 110, from: 5, to: 9, value: 2, evidence: Unload},
	})
}

// TestEntryAfterCode: code that ends where an entry point begins is not between the
// entry point and an address.
func TestEntryAfterCode(t *testing.T) {
	for _, c := range []struct {
		name string
		end  uint64
		want bool
	}{{"ends at the entry point", 100, true}, {"ends after it", 101, false}} {
		t.Run(c.name, func(t *testing.T) {
			table := NewTable(Options{})
			s := table.space(7)
			s.entries = []entry{{address: 100, function: table.function(function{name: table.text([]byte("M"))})}}
			s.code.init([]lifetime{{start: 50, end: c.end, to: forever, value: 1}})
			_, ok := table.byEntryPoint(s, 110)
			expect.Equal(t, "named", ok, c.want)
		})
	}
}
