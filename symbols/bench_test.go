package symbols_test

import (
	"os"
	"testing"

	clr "github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/symbols"
	"github.com/nettrace-go/nettrace/symbols/clrfile"
)

// BenchmarkFind looks for methods in ready-to-run code.
func BenchmarkFind(b *testing.B) {
	code := precompiledCode(b)
	first, last := code.Method(0), code.Method(code.Methods()-1)
	step := (last.Address - first.Address) / 1000
	for i := uint32(0); b.Loop(); i++ {
		code.Find(first.Address + i%1000*step)
	}
}

// BenchmarkReadyToRun makes the tables of 200 images.
func BenchmarkReadyToRun(b *testing.B) {
	for b.Loop() {
		for range 200 {
			precompiledCode(b)
		}
	}
}

// BenchmarkLocate finds the line of an address of a body whose map is known.
func BenchmarkLocate(b *testing.B) {
	trace := openLines(b, "lines-cpu.net10", binFolder(b))
	var own *clr.Frame
	for i := 0; own == nil; i++ {
		for _, f := range trace.frames(&trace.events[i]) {
			if isOwn(&f) {
				own = &f
			}
		}
	}
	where := symbols.Location{}
	for b.Loop() {
		where = trace.lines.Locate(own.Code, own.Address)
	}
	expect.NotZero(b, "line", where.Line)
}

func precompiledCode(b *testing.B) *clrfile.ReadyToRun {
	data, err := os.ReadFile("clrfile/testdata/lines-r2r.dll")
	expect.NoError(b, err)
	image, err := clrfile.ReadImage(data)
	expect.NoError(b, err)
	code, err := image.ReadyToRun()
	expect.NoError(b, err)
	return code
}
