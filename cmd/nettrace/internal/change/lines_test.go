package change_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestConvertLines: the locations of a pprof profile have source lines by the PDB, and the
// frames of speedscope.
func TestConvertLines(t *testing.T) {
	lines, out := filepath.Join(shared.Dir(t), "lines"), t.TempDir()
	convert := func(to string) []byte {
		to = filepath.Join(out, to)
		r := programtest.Run(t, nil, "convert", "--lines", "--pdb", filepath.Join(lines, "bin"), "-o", to, filepath.Join(lines, "lines-cpu.net10.v4.nettrace.zst"))
		r.Exits(t, exit.Done)
		data, err := os.ReadFile(to)
		expect.NoError(t, err)
		return data
	}
	p, err := profile.Parse(bytes.NewReader(convert("lines.pb.gz")))
	expect.NoError(t, err)
	expect.Stop(t)
	found := 0
	for _, l := range p.Location {
		line := l.Line[len(l.Line)-1]
		if line.Function.Name != "Lines.Calls(int)" || line.Line == 0 {
			continue
		}
		found++
		expect.Equal(t, "file", line.Function.Filename, "/_/src/lines.cs")
		expect.Equal(t, "first line of the method", line.Function.StartLine, 127)
		if line.Line < 127 || line.Line > 132 {
			t.Errorf("line %d", line.Line)
		}
	}
	expect.AtLeast(t, "locations of Calls", found, 3)
	expect.Contains(t, "speedscope", string(convert("lines.speedscope.json")), `{"name":"Lines.Calls(int)","file":"/_/src/lines.cs","line":128}`)
}
