package symbols_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
)

func (t *trace) cpu(process, ticks uint64, stack ...uint64) {
	t.eventOf(process, ticks, "Universal.Events", 1, fields(1), stack...)
}

// universalTrace has two processes with other code at one address.
func universalTrace() *trace {
	one := newTrace(wire.V6)
	one.eventOf(42, 1, universal, 0, fields(1, "svc", "Unknown"))
	one.eventOf(43, 2, universal, 1, fields(43, "web", "Unknown"))
	one.eventOf(42, 3, universal, 5, fields(1, `{"type":"ELF","build_id":"00ff"}`, ""))
	one.eventOf(42, 3, universal, 3, fields(1, 0x400000, 0x40FFFF, 0x1000, "/usr/lib/libone.so.6", 1))
	one.eventOf(43, 3, universal, 3, fields(2, 0x400000, 0x40FFFF, 0, "/usr/lib/libtwo.so", 0))
	one.eventOf(42, 3, universal, 3, fields(3, 0x7F0000, 0x7FFFFF, 0, "/memfd:doublemapper", 0))
	one.cpu(42, 10, 0x400000, 0x400FFF, 0x401000, 0x40FFFF, 0x410000, 0x7F0000, 0x7F00FF)
	one.cpu(43, 10, 0x400000)
	one.eventOf(43, 15, universal, 2, nil)
	one.eventOf(42, 20, universal, 4, fields(1, 1, 0x400000, 0x400FFF, "one_start"))
	one.eventOf(43, 20, universal, 4, fields(2, 2, 0x400000, 0x40FFFF, "two_start"))
	one.eventOf(42, 20, universal, 4, fields(3, 3, 0x7F0000, 0x7F00FF, "instance void [System.Private.CoreLib] System.Foo::Bar(int32,class System.String)[OptimizedTier1]"))
	return one
}

// TestUniversal: mappings and symbols with inclusive ends, by process; the
// symbols come after the sample.
func TestUniversal(t *testing.T) {
	table := universalTrace().read(t)
	jitted := "System.Private.CoreLib!System.Foo::Bar(int32,class System.String)"
	ask(t, table,
		question{42, 0x400000, 10, "libone.so.6!one_start", symbols.Native},
		question{42, 0x400FFF, 10, "libone.so.6!one_start", symbols.Native},
		question{42, 0x401000, 10, "libone.so.6!0x401000", symbols.Mapping},
		question{42, 0x40FFFF, 10, "libone.so.6!0x40ffff", symbols.Mapping},
		question{42, 0x410000, 10, "?!0x410000", symbols.None},
		question{42, 0x7F0000, 10, jitted, symbols.Native},
		question{42, 0x7F00FF, 10, jitted, symbols.Native},
		question{43, 0x400000, 10, "libtwo.so!two_start", symbols.Native},
		question{43, 0x7F0000, 10, "?!0x7f0000", symbols.None},
	)
	if name := table.Lookup(symbols.Query{Process: 42, Address: 0x7F0000, Ticks: 10}).Name(); name != "System.Foo.Bar(int, string)" {
		t.Error(name)
	}
	m := table.Lookup(symbols.Query{Process: 42, Address: 0x401000, Ticks: 10}).Module
	expect.NotZero(t, "m", m)
	expect.Stop(t)
	expect.Equal(t, "m.Path", m.Path, "/usr/lib/libone.so.6")
	expect.Equal(t, "m.Start", m.Start, 0x400000)
	expect.Equal(t, "m.End", m.End, 0x40FFFF)
	expect.Equal(t, "m.FileOffset", m.FileOffset, 0x1000)
	expect.NotZero(t, "m.SymbolMetadata", m.SymbolMetadata)
	svc, _ := table.ProcessInfo(42)
	web, _ := table.ProcessInfo(43)
	if svc != (symbols.ProcessInfo{ID: 42, Name: "svc", NamespaceID: 1, NamespaceName: "Unknown"}) {
		t.Errorf("%+v", svc)
	}
	if web != (symbols.ProcessInfo{ID: 43, Name: "web", NamespaceID: 43, NamespaceName: "Unknown", Start: 2, Exit: 15}) {
		t.Errorf("%+v", web)
	}
	if _, known := table.ProcessInfo(44); known {
		t.Error("an unknown process")
	}
}

// TestMappingEnds: record-trace writes exclusive ends of the mappings that it found at the start,
// and inclusive ones of later mappings. Both end at a page.
func TestMappingEnds(t *testing.T) {
	one := newTrace(wire.V6)
	one.eventOf(42, 3, universal, 3, fields(1, 0x401000, 0x402FFF, 0, "/lib/next.so", 0))
	one.eventOf(42, 3, universal, 3, fields(2, 0x400000, 0x401000, 0, "/lib/exclusive.so", 0))
	one.cpu(42, 10, 0x400FFF, 0x401000, 0x402FFF, 0x403000)
	ask(t, one.read(t),
		question{42, 0x400FFF, 10, "exclusive.so!0x400fff", symbols.Mapping},
		question{42, 0x401000, 10, "next.so!0x401000", symbols.Mapping},
		question{42, 0x402FFF, 10, "next.so!0x402fff", symbols.Mapping},
		question{42, 0x403000, 10, "?!0x403000", symbols.None},
	)
}
