package report_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestLines: the rows about methods of a program have the source line of the throw or of the
// allocation, by the PDB.
func TestLines(t *testing.T) {
	lines := filepath.Join(shared.Dir(t), "lines")
	for _, c := range []struct {
		part, trace, method string
		line                int64
	}{
		{"exceptions", "lines-throw.net10", "Throws.Plain()", 22},
		{"exceptions", "lines-throw.net11", "Throws.Deep3()", 27},
		{"alloc", "lines-alloc.net10", "Allocs.Two(int)", 234},
	} {
		t.Run(c.part+" "+c.trace, func(t *testing.T) {
			r := programtest.Run(t, nil, "report", c.part, "--json", "--pdb", filepath.Join(lines, "bin"), filepath.Join(lines, c.trace+".v4.nettrace.zst"))
			r.Exits(t, exit.Done)
			var report struct {
				Rows []struct {
					Thrower, Site, File string
					Line                int64
				}
			}
			if err := json.Unmarshal([]byte(r.Out), &report); err != nil {
				t.Fatal(err)
			}
			found := false
			for _, row := range report.Rows {
				found = found || row.Thrower+row.Site == c.method && row.File == "/_/src/lines2.cs" && row.Line == c.line
			}
			if !found {
				t.Errorf("no row of %s at line %d: %+v", c.method, c.line, report.Rows)
			}
		})
	}
}
