package symbols_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	clr "github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/symbols"
)

// TestPrecompiledNames: with one method of each module instead of the rundown, the images give
// the same names and lines to methods that were compiled ahead of time.
func TestPrecompiledNames(t *testing.T) {
	root, err := exec.Command(shared.OtherReader(t), "path").Output()
	if err != nil {
		t.Skip(err)
	}
	frameworks, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), "dotnet/shared/Microsoft.NETCore.App/*"))
	opt := binFolder(t)
	opt.Folders = append(opt.Folders, frameworks...)
	const name = "lines-r2r-cpu.net10"
	complete := openLines(t, name, opt)
	cut, r := clr.NewTable(clr.Options{Lines: true}), symbols.NewResolver(opt)
	known := map[uint64]bool{} // modules of which one method is known
	for e := range codec.NewBytesReader(shared.File(t, "lines/"+name+".v4.nettrace.zst"), codec.Options{}).Events() {
		if e.Provider() == "Microsoft-Windows-DotNETRuntimeRundown" {
			module, _ := wire.Uint64(e.Payload(), 8)
			flags, _ := wire.Uint32(e.Payload(), 32)
			if e.ID() != 144 || flags&(1<<3|1<<4|1) != 0 || known[module] {
				continue
			}
			known[module] = true
		}
		cut.Add(e)
		for _, a := range e.Stack() {
			cut.AddWanted(clr.Process(e), a)
		}
	}
	before, after, total := 0, 0, 0
	for _, c := range cut.Precompiled() {
		r.Learn(c)
	}
	for i := range complete.events {
		e := &complete.events[i]
		for _, want := range complete.frames(e) {
			if want.Symbol == nil || want.Code == nil || !want.Code.Precompiled {
				continue
			}
			total++
			got := cut.Lookup(clr.Query{Process: e.process, Address: want.Address, Ticks: e.ticks})
			if got.Symbol != nil {
				before++
			}
			image, ok := r.Precompiled(e.process, want.Address)
			if !ok {
				continue
			}
			after++
			if image.Code.Start != want.Code.Start || image.Code.Size != want.Code.Size || want.Code.Token != image.Code.Token && image.Code.Token != 0 {
				t.Fatalf("%+v, the rundown has %+v", image.Code, want.Code)
			}
			if image.Code.Token != 0 && image.Symbol.RawName() != want.Symbol.RawName() && !strings.Contains(want.Symbol.Namespace, "[") {
				t.Fatalf("%s, the rundown has %s", image.Symbol.RawName(), want.Symbol.RawName())
			}
			if a, b := r.Locate(image.Code, want.Address), complete.lines.Locate(want.Code, want.Address); a.Line != b.Line || a.Missing != b.Missing {
				t.Fatalf("%s: line %d %v, the rundown has %d %v", image.Symbol.RawName(), a.Line, a.Missing, b.Line, b.Missing)
			}
		}
	}
	t.Logf("of %d frames in precompiled code %d have a name by events alone, %d by images", total, before, after)
	expect.AtLeast(t, "frames named by images", after, total*99/100)
}
