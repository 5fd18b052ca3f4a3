package top_test

import (
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestByLine: --by line has a row for each source line of a method.
func TestByLine(t *testing.T) {
	lines := filepath.Join(shared.Dir(t), "lines")
	trace := filepath.Join(lines, "lines-cpu.net10.v4.nettrace.zst")
	r := programtest.Run(t, nil, "top", "--by", "line", "--limit", "0", "--pdb", filepath.Join(lines, "bin"), trace)
	r.Exits(t, exit.Done)
	expect.Contains(t, "rows", r.Out, "Lines.Calls(int)  lines.cs:128", "Lines.Calls(int)  lines.cs:129", "Lines.Cpu()  lines.cs:")
	expect.Contains(t, "head", r.Out, "no line: ", " methods (no pdb)", "samples may be in a catch block: the line is that of the call that threw")
	r = programtest.Run(t, nil, "top", "--by", "line", "--limit", "0", "--json", "--pdb", filepath.Join(lines, "bin"), trace)
	expect.Contains(t, "rows", r.Out, `"file":"/_/src/lines.cs","line":128,`)
}
