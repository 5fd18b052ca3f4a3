package shared

import (
	"path/filepath"
	"testing"
)

// TruthFile returns the plain bytes of a file in the subfolder truth of the folder
// "shared", such as "gc-truth.v4.nettrace.zst" or "gc-truth.truth.ndjson": traces
// of programs, and what the programs print of what they did.
func TruthFile(tb testing.TB, file string) []byte {
	tb.Helper()
	return read(tb, filepath.Join(Dir(tb), "truth", file))
}
