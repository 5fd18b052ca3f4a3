package shared

import (
	"path/filepath"
	"testing"
)

// File returns the plain bytes of a file of the folder "shared", such as
// "lines/bin/lines.pdb" or "lines/lines-cpu.net10.v4.nettrace.zst"; ".zst" can be left
// out. It skips the test where the folder is missing.
func File(tb testing.TB, path string) []byte {
	tb.Helper()
	name := filepath.Join(Dir(tb), filepath.FromSlash(path))
	return read(tb, name, name+".zst")
}
