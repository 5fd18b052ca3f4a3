package symbols_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// TestNameCalledBy: the name that the neighbors of an unnamed frame give it.
func TestNameCalledBy(t *testing.T) {
	const code, nothing, kernel = 0x1000, 0x9000, 0xffff_ffff_8100_0000
	v5 := func(rundownToo bool) *symbols.Table {
		tr := newTrace(wire.V5)
		one := method{id: 1, module: 2, start: code, size: 0x100, namespace: "A.B", name: "M", signature: "void  (int32)"}
		tr.event(10, runtime, methodLoadVerbose, one.verbose(), code)
		if rundownToo {
			tr.event(20, rundown, methodUnloadVerbose, method{id: 3, module: 2, start: 0x5000, size: 1, namespace: "A", name: "N"}.verbose())
		}
		return tr.read(t)
	}
	v6 := newTrace(wire.V6)
	v6.eventOf(8, 1, universal, 3, fields(1, 0x1000, 0x1fff, 0, "/usr/lib/libc.so.6", 0))
	v6.eventOf(8, 1, universal, 3, fields(2, 0x2000, 0x2fff, 0, "[vdso]", 0))
	v6.eventOf(8, 1, universal, 3, fields(3, 0x3000, 0x3fff, 0, "/memfd:doublemapper (deleted)", 0))
	v6.eventOf(8, 1, universal, 4, fields(1, 1, 0x1100, 0x11ff, "write"), 0x1100)
	mapped := v6.read(t)
	for _, c := range []struct {
		name                    string
		table                   *symbols.Table
		process                 uint64
		address, caller, callee uint64 // 0 for none
		want                    string
	}{
		{"called from a method", v5(true), 7, nothing, code, 0, "[stub called from A.B.M]"},
		{"calls a method", v5(true), 7, nothing, code, code, "[stub called from A.B.M]"},
		{"two in a row", v5(true), 7, nothing, code, nothing, "?!0x9000"},
		{"caller without a name", v5(true), 7, nothing, nothing, 0, "?!0x9000"},
		{"at the root", v5(true), 7, nothing, 0, code, "?!0x9000"},
		{"without a rundown", v5(false), 7, nothing, code, 0, "?!0x9000"},
		{"a method", v5(true), 7, code, code, 0, "A.B.M(int)"},
		{"kernel", v5(true), 7, kernel, code, 0, "[kernel]"},
		{"kernel at the root", v5(false), 7, kernel, 0, 0, "[kernel]"},
		{"symbol", mapped, 8, 0x1100, 0, 0, "write"},
		{"file", mapped, 8, 0x1200, 0x1100, 0, "[libc.so.6]"},
		{"brackets", mapped, 8, 0x2000, 0x1100, 0, "[vdso]"},
		{"memory of the runtime", mapped, 8, 0x3000, 0x1100, 0, "[jitted]"},
		{"called from native code", mapped, 8, nothing, 0x1100, 0, "[native]"},
		{"called from a file", mapped, 8, nothing, 0x1200, 0, "[native]"},
		{"called from memory of the runtime", mapped, 8, nothing, 0x3000, 0, "?!0x9000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			frame := func(address uint64) *symbols.Frame {
				if address == 0 {
					return nil
				}
				f := c.table.Lookup(symbols.Query{Process: c.process, Address: address, Ticks: 15})
				return &f
			}
			if got := frame(c.address).NameCalledBy(frame(c.caller), frame(c.callee)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
