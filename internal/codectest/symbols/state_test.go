package symbols_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestLookupBetweenAdds: a Table names addresses of events that were added after
// the first Lookup.
func TestLookupBetweenAdds(t *testing.T) {
	one := newTrace(wire.V4)
	for i, start := range []uint64{0x1000, 0x2000, 0x3000} {
		one.event(uint64(i+1), runtime, methodLoadVerbose, method{id: start, start: start, size: 16, name: "M"}.verbose())
	}
	table := symbols.NewTable(symbols.Options{})
	for e, err := range codec.NewBytesReader(one.stream(), generous).Events() {
		expect.NoError(t, err)
		table.Add(e)
		got := table.Lookup(symbols.Query{Process: 7, Address: 0x1000 * e.Timestamp, Ticks: 10})
		expect.Equal(t, "evidence", got.Evidence, symbols.Load)
	}
}

// TestRundownStays: a process that had a rundown has one, also if it loads methods
// later.
func TestRundownStays(t *testing.T) {
	one := newTrace(wire.V4)
	one.event(1, rundown, 143, method{id: 1, start: 0x1000, size: 16, name: "M"}.verbose())
	one.event(2, runtime, methodLoadVerbose, method{id: 2, start: 0x2000, size: 16, name: "N"}.verbose())
	expect.Equal(t, "HasRundown", one.read(t).HasRundown(7), true)
	expect.Equal(t, "HasRundown of another process", one.read(t).HasRundown(8), false)
}

// TestMappingReplaced: from the time of a mapping on, its addresses are no more those
// of the mapping before. A mapping may have one byte.
func TestMappingReplaced(t *testing.T) {
	one := newTrace(wire.V6)
	one.eventOf(42, 3, universal, 3, fields(1, 0x400000, 0x40FFFF, 0, "/lib/libone.so", 0))
	one.eventOf(42, 21, universal, 3, fields(2, 0x400000, 0x40FFFF, 0, "/lib/libtwo.so", 0))
	one.eventOf(42, 3, universal, 3, fields(3, 0x500000, 0x500000, 0, "/lib/libbyte.so", 0))
	table := one.read(t)
	expect.Equal(t, "Malformed", table.Malformed(), 0)
	ask(t, table,
		question{42, 0x400010, 20, "libone.so!0x400010", symbols.Mapping},
		question{42, 0x400010, 21, "libtwo.so!0x400010", symbols.Mapping},
		question{42, 0x500000, 20, "libbyte.so!0x500000", symbols.Mapping},
	)
}

// TestManyTypes: the types of other events do not get the handling of a type that
// names addresses.
func TestManyTypes(t *testing.T) {
	one := newTrace(wire.V4)
	one.event(1, runtime, methodLoadVerbose, method{id: 1, start: 0x1000, size: 16, name: "M"}.verbose())
	for i := range uint32(600) {
		one.event(2, "Program", i+1, nil)
	}
	table := one.read(t)
	expect.Equal(t, "Malformed", table.Malformed(), 0)
	expect.Equal(t, "evidence", table.Lookup(symbols.Query{Process: 7, Address: 0x1000, Ticks: 10}).Evidence, symbols.Load)
}

// TestDetailsOfGenericMethod: the module that has loaded a generic method may be
// another one than its own, so it is not used.
func TestDetailsOfGenericMethod(t *testing.T) {
	for _, c := range []struct {
		name       string
		parameters uint32
		want       bool
	}{{"not generic", 0, true}, {"generic", 1, false}} {
		t.Run(c.name, func(t *testing.T) {
			one := newTrace(wire.V4)
			one.event(1, runtime, 152, module(100, "/app/a.dll"))
			one.event(2, runtime, entryPoint, method{id: 5, start: 0x3000, namespace: "A.B", name: "M"}.entry())
			one.event(3, runtime, 72, details(5, 100, c.parameters))
			got := one.read(t).Lookup(symbols.Query{Process: 7, Address: 0x3000, Ticks: 10})
			expect.Equal(t, "evidence", got.Evidence, symbols.EntryPoint)
			expect.Equal(t, "has the module", got.Module != nil && got.Module.Path == "/app/a.dll", c.want)
		})
	}
}
