package program_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// stacksOf prints all that is known of the stacks of a file.
func stacksOf(t *testing.T, file string, flags ...string) []byte {
	t.Helper()
	r := programtest.Run(t, nil, append([]string{"stacks", "--format", "ndjson", "--details", file}, flags...)...)
	r.Exits(t, exit.Done)
	return []byte(r.Out)
}

// linesFile returns the path of a recording in the folder lines.
func linesFile(t *testing.T, name string) string {
	t.Helper()
	return filepath.Join(shared.Dir(t), "lines", name+".v4.nettrace.zst")
}

// nativeSymbols returns a folder with the symbols of the NativeAOT programs.
func nativeSymbols(t *testing.T) string {
	t.Helper()
	to := t.TempDir()
	for _, name := range []string{"aotcpu.dbg", "aotcpu11.dbg"} {
		expect.NoError(t, os.WriteFile(filepath.Join(to, name), shared.File(t, "lines/aot/"+name+".zst"), 0o644))
	}
	expect.Stop(t)
	return to
}

// TestSymbolize: a symbolized file has without any file what the recording has with PDBs, images
// and symbols: lines, ranges, inlined methods, marks of catch blocks and names. Check finds nothing
// in it, also in format 6.
func TestSymbolize(t *testing.T) {
	pdb := []string{"--pdb", filepath.Join(shared.Dir(t), "lines", "bin")}
	native := []string{"--symbols", nativeSymbols(t)}
	v6 := filepath.Join(t.TempDir(), "v6.nettrace")
	programtest.Run(t, nil, "convert", "--format", "v6", linesFile(t, "lines-r2r-cpu.net10"), "-o", v6).Exits(t, exit.Done)
	for _, of := range []struct {
		file  string
		flags []string
	}{
		{linesFile(t, "lines-cpu.net10"), pdb},
		{linesFile(t, "lines-r2r-cpu.net10"), pdb},
		{linesFile(t, "lines-rich.net11"), pdb},
		{linesFile(t, "lines-emb-throw.net10"), pdb},
		{linesFile(t, "lines-async-throw.net11"), pdb},
		{linesFile(t, "aot.net10"), native},
		{v6, pdb},
	} {
		out := filepath.Join(t.TempDir(), "out.nettrace")
		programtest.Run(t, nil, append([]string{"symbolize", of.file, "-o", out}, of.flags...)...).Exits(t, exit.Done)
		if !bytes.Equal(stacksOf(t, of.file, of.flags...), stacksOf(t, out)) {
			t.Errorf("%s: the stacks of the symbolized file differ", filepath.Base(of.file))
		}
		programtest.Run(t, nil, "check", out).Exits(t, exit.Done)
	}
}

// TestSymbolizeNames: the frames of a symbolized NativeAOT file have names in all commands,
// without a flag.
func TestSymbolizeNames(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.nettrace")
	programtest.Run(t, nil, "symbolize", linesFile(t, "aot.net10"), "--symbols", nativeSymbols(t), "-o", out).Exits(t, exit.Done)
	r := programtest.Run(t, nil, "top", out)
	r.Exits(t, exit.Done)
	expect.Contains(t, "top", r.Out, "Aot_Truth_Program.LoopC")
	if strings.Contains(r.Out, "?!0x") {
		t.Errorf("top prints addresses:\n%s", r.Out)
	}
}

// TestSymbolizeNothing: PDBs of another build store nothing, and the exit status says so.
func TestSymbolizeNothing(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.nettrace")
	r := programtest.Run(t, nil, "symbolize", linesFile(t, "lines-cpu.net10"), "--pdb", filepath.Join(shared.Dir(t), "lines", "bin", "wrong"), "-o", out)
	r.Exits(t, exit.Broken)
	expect.Contains(t, "stderr", r.Stderr, "nothing to store", "pdb of another build")
	if _, err := os.Stat(out); err == nil {
		t.Error("there is a file")
	}
}

// TestSymbolizedSlice: a slice of a symbolized file has the lines of its stacks, and a redacted
// one no folders of source files.
func TestSymbolizedSlice(t *testing.T) {
	whole, part := filepath.Join(t.TempDir(), "whole.nettrace"), filepath.Join(t.TempDir(), "part.nettrace")
	programtest.Run(t, nil, "symbolize", linesFile(t, "lines-r2r-cpu.net10"), "--pdb", filepath.Join(shared.Dir(t), "lines", "bin"), "-o", whole).Exits(t, exit.Done)
	file := []byte(`"file":"/_/src/lines.cs"`)
	in := bytes.Count(stacksOf(t, whole, "--to", "600ms"), file)
	programtest.Run(t, nil, "slice", "--to", "600ms", whole, "-o", part).Exits(t, exit.Done)
	expect.AtLeast(t, "frames with lines", in, 100)
	expect.Equal(t, "frames of the slice with lines", bytes.Count(stacksOf(t, part), file), in)
	for _, mode := range []string{"--redact", "--redact=paths"} {
		programtest.Run(t, nil, "slice", "--force", mode, "--to", "600ms", whole, "-o", part).Exits(t, exit.Done)
		text := stacksOf(t, part)
		expect.Equal(t, mode+": frames with the name of the file only", bytes.Count(text, []byte(`"file":"/*/***/lines.cs"`)), in)
		if bytes.Contains(text, []byte("/_/src")) {
			t.Errorf("%s: the folder of a source file is there", mode)
		}
	}
}
