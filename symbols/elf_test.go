package symbols

import (
	"debug/elf"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestBestSymbol: of several symbols at one address one rule chooses.
func TestBestSymbol(t *testing.T) {
	function := func(name string, binding elf.SymBind) elf.Symbol {
		return elf.Symbol{Name: name, Info: elf.ST_INFO(binding, elf.STT_FUNC), Section: 1, Value: 0x100, Size: 8}
	}
	other := elf.Symbol{Name: "x", Info: elf.ST_INFO(elf.STB_GLOBAL, elf.STT_NOTYPE), Section: 1, Value: 0x100, Size: 8}
	for _, c := range []struct {
		want    string
		symbols []elf.Symbol
	}{
		{"read", []elf.Symbol{function("__read", elf.STB_GLOBAL), function("read", elf.STB_WEAK), function("__GI___read", elf.STB_LOCAL)}},
		{"long_name", []elf.Symbol{other, function("long_name", elf.STB_LOCAL)}},
		{"burn_deep", []elf.Symbol{function("burn_deep.localalias", elf.STB_LOCAL), function("burn_deep", elf.STB_LOCAL)}},
		{"start", []elf.Symbol{function("f.cold", elf.STB_LOCAL), function("start", elf.STB_GLOBAL)}},
		{"global", []elf.Symbol{function("weak", elf.STB_WEAK), function("global", elf.STB_GLOBAL)}},
		{"ab", []elf.Symbol{function("abc", elf.STB_GLOBAL), function("ab", elf.STB_GLOBAL)}},
	} {
		t.Run(c.want, func(t *testing.T) {
			var f ELF
			f.add(c.symbols)
			s, ok := f.Find(0x104)
			expect.Equal(t, "found", ok, true)
			expect.Equal(t, "name", s.Name, c.want)
			_, ok = f.Find(0x108)
			expect.Equal(t, "found after the end", ok, false)
		})
	}
}

// TestReadableAOT: names of NativeAOT are split into type and method.
func TestReadableAOT(t *testing.T) {
	for _, c := range [][2]string{
		{"app_Ns_Type__Method", "Ns_Type.Method"},
		{"S_P_CoreLib_System_Threading_Thread__StartThread", "System_Threading_Thread.StartThread"},
		{"app_A_Nested<Int64__Int64>__Deep<Int16>", "A_Nested<Int64__Int64>.Deep<Int16>"},
		{"RhpNewFast", "RhpNewFast"},
		{"__libc_start_main", "__libc_start_main"},
	} {
		t.Run(c[0], func(t *testing.T) { expect.Equal(t, "name", readableAOT(c[0], "app"), c[1]) })
	}
}
