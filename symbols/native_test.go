package symbols_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	clr "github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/symbols"
)

// aotFolder is a folder with the separate symbols of the NativeAOT programs.
func aotFolder(t *testing.T) string {
	dir := t.TempDir()
	for _, name := range []string{"aotcpu.dbg", "aotcpu11.dbg", "aotcpu"} {
		suffix := ".zst"
		if err := os.WriteFile(filepath.Join(dir, name), shared.File(t, "lines/aot/"+name+suffix), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestNativeAOT: every frame of the samples of a NativeAOT program is in a function of the file
// with its symbols, which is found by the build id.
func TestNativeAOT(t *testing.T) {
	opt := symbols.Options{Folders: []string{aotFolder(t)}}
	traces, _ := filepath.Glob(filepath.Join(shared.Dir(t), "lines", "aot*.nettrace.zst"))
	total := 0
	names := map[string]string{}
	for _, path := range traces {
		name := strings.TrimSuffix(filepath.Base(path), ".v4.nettrace.zst")
		trace := openLines(t, name, opt)
		var program *clr.Module
		for m := range trace.table.Modules() {
			if m.BuildID != "" {
				program = m
			}
		}
		expect.Equal(t, name+": module", program.Name(), map[bool]string{true: "aotcpu11", false: "aotcpu"}[strings.Contains(program.NativePath, "11")])
		for i := range trace.events {
			for _, a := range trace.events[i].stack {
				f, text, ok := trace.lines.Native(program, a)
				if !ok {
					t.Fatalf("%s: 0x%x has no name", name, a)
				}
				if strings.HasSuffix(name, "net10") {
					names[f.Symbol.Method] = text
				}
				total++
			}
		}
	}
	t.Logf("%d frames of %d traces in %d functions", total, len(traces), len(names))
	expect.AtLeast(t, "frames", total, 10_000)
	expect.Equal(t, "name of a method", names["aotcpu_Aot_Truth_Program__LoopC"], "Aot_Truth_Program.LoopC")
}
