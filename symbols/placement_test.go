package symbols_test

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	clr "github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/symbols"
)

// TestPlaceByCalls: without any event of the rundown, the return addresses give the places of
// the images, and these the names of the rundown.
func TestPlaceByCalls(t *testing.T) {
	for _, c := range []struct{ trace, path string }{{"lines-r2r-cpu.net10", "path"}, {"lines-cpu.net11", "path11"}} {
		t.Run(c.trace, func(t *testing.T) {
			root, err := exec.Command(shared.OtherReader(t), c.path).Output()
			if err != nil {
				t.Skip(err)
			}
			frameworks, _ := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), "dotnet/shared/Microsoft.NETCore.App/*"))
			opt := binFolder(t)
			opt.Folders = append(opt.Folders, frameworks...)
			complete := openLines(t, c.trace, opt)
			cut, r := clr.NewTable(clr.Options{Lines: true}), symbols.NewResolver(opt)
			for e := range codec.NewBytesReader(shared.File(t, "lines/"+c.trace+".v4.nettrace.zst"), codec.Options{}).Events() {
				if e.Provider() != "Microsoft-Windows-DotNETRuntimeRundown" {
					cut.Add(e)
				}
			}
			var returns []uint64
			for i := range complete.events {
				e := &complete.events[i]
				for _, a := range e.stack[1:] {
					if cut.Lookup(clr.Query{Process: e.process, Address: a, Ticks: e.ticks}).Symbol == nil {
						returns = append(returns, a)
					}
				}
			}
			r.PlaceByCalls(slices.Collect(cut.Modules()), returns)
			named, total := 0, 0
			for i := range complete.events {
				e := &complete.events[i]
				for _, want := range complete.frames(e) {
					if want.Symbol == nil || want.Code == nil || !want.Code.Precompiled {
						continue
					}
					total++
					got, ok := r.Precompiled(e.process, want.Address)
					if !ok {
						continue
					}
					named++
					if got.Code.Start != want.Code.Start || got.Code.Size != want.Code.Size {
						t.Fatalf("0x%x is %s, the rundown has %s", want.Address, got.Symbol.RawName(), want.Symbol.RawName())
					}
				}
			}
			t.Logf("%d of %d frames in precompiled code have a name", named, total)
			expect.AtLeast(t, "named", named, total*9/10)
		})
	}
}
