package symbols_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// sample adds an event with a stack.
func (t *trace) sample(ticks uint64, stack ...uint64) {
	t.event(ticks, "Microsoft-DotNETCore-SampleProfiler", 0, make([]byte, 4), stack...)
}

func dynamic(id uint64, name string) method {
	return method{id: id, module: 0x70, start: 0x1000, size: 0x40, namespace: "dynamicClass", name: name, signature: "void  ()"}
}

// TestTwoLives: one address is sampled in two lifetimes of dynamic methods, and
// both are named.
func TestTwoLives(t *testing.T) {
	one := newTrace(wire.V4)
	one.event(5, runtime, 152, module(0x70, "/app/Dyn.dll"))
	one.event(10, runtime, methodLoadVerbose, dynamic(1, "First").verbose())
	one.sample(20, 0x1010)
	one.event(30, runtime, methodUnloadVerbose, dynamic(1, "First").verbose())
	one.event(40, runtime, methodLoadVerbose, dynamic(2, "Second").verbose())
	one.sample(50, 0x1010)
	table := one.read(t)
	ask(t, table,
		question{7, 0x1010, 20, "Dyn!dynamicClass.First()", symbols.Load},
		question{7, 0x1010, 50, "Dyn!dynamicClass.Second()", symbols.Load},
		question{7, 0x103F, 50, "Dyn!dynamicClass.Second()", symbols.Load},
		question{7, 0x1040, 50, "?!0x1040", symbols.None},
		question{7, 0xFFF, 50, "?!0xfff", symbols.None},
		// Nothing holds: the nearest in time.
		question{7, 0x1010, 9, "Dyn!dynamicClass.First()", symbols.Load},
		question{7, 0x1010, 34, "Dyn!dynamicClass.First()", symbols.Load},
		question{7, 0x1010, 36, "Dyn!dynamicClass.Second()", symbols.Load},
	)
	if n := len(table.Timeline(7, 0x1010)); n != 2 {
		t.Errorf("%d spans", n)
	}
}

// TestMissingLoads: a method loaded before the start of the trace is known by its
// unload, or by the rundown.
func TestMissingLoads(t *testing.T) {
	overlap := dynamic(3, "Overlap")
	overlap.start, overlap.size = 0x1030, 0x40 // not at 0x1010
	one := newTrace(wire.V4)
	one.event(5, runtime, 152, module(0x70, "/app/Dyn.dll"))
	one.sample(20, 0x1010, 0x1050)
	one.event(30, runtime, methodUnloadVerbose, dynamic(1, "First").verbose())
	one.sample(40, 0x1010)
	one.event(50, runtime, methodUnloadVerbose, overlap.verbose())
	one.event(70, runtime, methodUnloadVerbose, dynamic(2, "Second").verbose())
	one.event(90, rundown, methodUnloadVerbose, dynamic(4, "Last").verbose())
	ask(t, one.read(t),
		question{7, 0x1010, 0, "Dyn!dynamicClass.First()", symbols.Unload},
		question{7, 0x1010, 29, "Dyn!dynamicClass.First()", symbols.Unload},
		// Second can only have been loaded after Overlap was unloaded.
		question{7, 0x1010, 39, "Dyn!dynamicClass.First()", symbols.Unload},
		question{7, 0x1010, 41, "Dyn!dynamicClass.Second()", symbols.Unload},
		question{7, 0x1010, 69, "Dyn!dynamicClass.Second()", symbols.Unload},
		question{7, 0x1010, 70, "Dyn!dynamicClass.Last()", symbols.Rundown},
		question{7, 0x1010, 1 << 63, "Dyn!dynamicClass.Last()", symbols.Rundown},
		question{7, 0x1050, 20, "Dyn!dynamicClass.Overlap()", symbols.Unload},
		question{7, 0x1050, 1 << 63, "Dyn!dynamicClass.Overlap()", symbols.Unload},
	)
}

// TestNameless: events without names bound the lifetimes of others, and get the
// name of their method.
func TestNameless(t *testing.T) {
	one := newTrace(wire.V4)
	one.event(5, runtime, 152, module(0x70, "/app/Dyn.dll"))
	one.event(10, runtime, methodLoad, dynamic(1, "").plain())
	one.sample(20, 0x1010)
	one.event(30, runtime, methodUnload, dynamic(1, "").plain())
	one.sample(50, 0x1010)
	moved := dynamic(1, "First")
	moved.start = 0x5000
	one.event(55, runtime, methodLoadVerbose, moved.verbose())
	one.event(60, rundown, methodUnloadVerbose, dynamic(2, "Second").verbose())
	ask(t, one.read(t),
		question{7, 0x1010, 20, "Dyn!dynamicClass.First()", symbols.Load},
		question{7, 0x1010, 50, "Dyn!dynamicClass.Second()", symbols.Rundown},
	)
}

// TestRundownAtStart: its rows are known before any stack.
func TestRundownAtStart(t *testing.T) {
	one := newTrace(wire.V4)
	one.event(5, rundown, methodLoadVerbose, dynamic(1, "First").verbose())
	one.sample(20, 0x1010)
	one.event(30, runtime, methodUnload, dynamic(1, "").plain())
	one.event(40, runtime, methodLoadVerbose, dynamic(2, "Second").verbose())
	ask(t, one.read(t),
		question{7, 0x1010, 1, "ManagedModule!dynamicClass.First()", symbols.Rundown},
		question{7, 0x1010, 20, "ManagedModule!dynamicClass.First()", symbols.Rundown},
		question{7, 0x1010, 40, "ManagedModule!dynamicClass.Second()", symbols.Load},
	)
}

// TestReplaced: a load over code that nobody unloaded ends it.
func TestReplaced(t *testing.T) {
	over := dynamic(2, "Second")
	over.start -= 0x20
	one := newTrace(wire.V4)
	one.event(10, runtime, methodLoadVerbose, dynamic(1, "First").verbose())
	one.event(20, runtime, methodLoadVerbose, over.verbose())
	one.event(30, runtime, methodUnloadVerbose, over.verbose())
	ask(t, one.read(t),
		question{7, 0x1010, 15, "ManagedModule!dynamicClass.First()", symbols.Load},
		question{7, 0x1010, 25, "ManagedModule!dynamicClass.Second()", symbols.Load},
		question{7, 0x1010, 35, "ManagedModule!dynamicClass.Second()", symbols.Load},
		question{7, 0x1030, 35, "ManagedModule!dynamicClass.First()", symbols.Load},
	)
}

// TestEntryPoints: the nearest below, within 64 KB, never across another method.
func TestEntryPoints(t *testing.T) {
	compiled := func(start uint64, name string) method {
		return method{id: start, start: start, size: 0x10, namespace: "Ns.Type", name: name, signature: "void  (int32)"}
	}
	one := newTrace(wire.V4)
	one.event(10, runtime, entryPoint, compiled(0x20000, "A").entry())
	one.event(11, runtime, entryPoint, compiled(0x20100, "B").entry())
	one.event(12, runtime, methodLoad, compiled(0x20200, "").plain())
	one.sample(20, 0x20000)
	one.event(30, rundown, methodUnloadVerbose, compiled(0x20080, "Never").verbose())
	ask(t, one.read(t),
		question{7, 0x1FFFF, 20, "?!0x1ffff", symbols.None},
		question{7, 0x20000, 5, "ManagedModule!Ns.Type.A(int32)", symbols.EntryPoint},
		question{7, 0x2007F, 20, "ManagedModule!Ns.Type.A(int32)", symbols.EntryPoint},
		question{7, 0x20090, 20, "?!0x20090", symbols.None}, // across Never
		question{7, 0x20100, 20, "ManagedModule!Ns.Type.B(int32)", symbols.EntryPoint},
		question{7, 0x20205, 20, "?!0x20205", symbols.None}, // in a method without a name
		question{7, 0x20210, 20, "?!0x20210", symbols.None}, // across it
	)
	known := newTrace(wire.V4)
	generic := compiled(0x20100, "B")
	generic.namespace = "Ns.Type`1[System.__Canon]"
	known.event(9, runtime, 152, module(0x70, "/app/Lib.dll"))
	known.event(10, runtime, entryPoint, compiled(0x20000, "A").entry())
	known.event(10, runtime, entryPoint, generic.entry())
	known.event(11, runtime, 72, details(0x20000, 0x70, 0))
	known.event(11, runtime, 72, details(0x20100, 0x70, 0))
	ask(t, known.read(t),
		question{7, 0x20010, 20, "Lib!Ns.Type.A(int32)", symbols.EntryPoint},
		question{7, 0x20110, 20, "ManagedModule!Ns.Type`1[System.__Canon].B(int32)", symbols.EntryPoint},
	)
	far := newTrace(wire.V4)
	far.event(10, runtime, entryPoint, compiled(0x20000, "A").entry())
	ask(t, far.read(t),
		question{7, 0x30000, 20, "ManagedModule!Ns.Type.A(int32)", symbols.EntryPoint},
		question{7, 0x30001, 20, "?!0x30001", symbols.None},
	)
}

// TestLate: addresses that are added after the rundown may have no name.
func TestLate(t *testing.T) {
	one := newTrace(wire.V4)
	one.sample(20, 0x1010)
	other := dynamic(2, "Second")
	other.start = 0x9000
	one.event(30, rundown, methodUnloadVerbose, dynamic(1, "First").verbose())
	one.event(31, rundown, methodUnloadVerbose, other.verbose())
	one.sample(40, 0x9000)
	table := one.read(t)
	ask(t, table, question{7, 0x1010, 20, "ManagedModule!dynamicClass.First()", symbols.Rundown}, question{7, 0x9000, 40, "?!0x9000", symbols.None})
}
