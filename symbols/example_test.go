package symbols_test

import (
	"fmt"

	clr "github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/symbols"
)

// The source line of an address in a body that a trace describes. A Table with
// Options.Lines returns such a Code.
func Example() {
	lines := symbols.NewResolver(symbols.Options{Folders: []string{"clrfile/testdata"}})
	id, _ := wire.ReadGUID([]byte("\xdf\x5e\x8e\xc7\x94\xc7\xcb\x4f\x83\xbd\xef\x88\xd6\x83\x75\x5c"), 0)
	code := &clr.Code{
		Start: 0x7f0000001000, Size: 259, Token: 0x06000016, Tier: clr.Tier0,
		Module: &clr.Module{Path: "/app/lines.dll", PDB: clr.PDB{GUID: id, Age: 1, Path: "/_/bin/lines.pdb"}},
		Map:    []clr.ILPoint{{Native: 0, IL: clr.Prolog}, {Native: 29, IL: 0}, {Native: 110, IL: 34}, {Native: 129, IL: 46}},
	}
	where := lines.Locate(code, code.Start+125)
	fmt.Println(where.File, where.Line)
	code.Module = &clr.Module{Path: "/app/other.dll"}
	fmt.Println(lines.Locate(code, code.Start+125).Missing)
	// Output:
	// /_/src/lines.cs 128
	// no pdb
}
