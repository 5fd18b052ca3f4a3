// Package shared gives tests their material: traces, small streams and the
// answers of another reader. It takes what it can from the folder corpora of
// the repository. The rest, which may not be part of the repository or is too
// large for it, is in a folder "shared" beside the clone; the environment
// variable NETTRACE_SHARED names another one. Without that folder the lists of
// traces and streams are shorter, and a test that asks for something that only
// the folder holds is skipped, or fails where package machine says that the machine has it.
//
// Only tests import this package.
package shared

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/internal/corpora"
	"github.com/nettrace-go/nettrace/internal/machine"
)

// Dir returns the path of the folder "shared". Where there is none, it skips
// the test.
func Dir(tb testing.TB) string {
	tb.Helper()
	dir, ok := find(tb)
	if !ok {
		missing(tb, "no shared material at "+dir+" (NETTRACE_SHARED can name another folder)")
	}
	return dir
}

// Present reports whether there is a folder "shared", for tests that can do
// without it. It fails the test where the machine should have one.
func Present(tb testing.TB) bool {
	tb.Helper()
	dir, ok := find(tb)
	if !ok && machine.Has(tb, "shared") {
		missing(tb, "no shared material at "+dir)
	}
	return ok
}

// find returns the folder's path, and whether it exists.
func find(tb testing.TB) (string, bool) {
	tb.Helper()
	dir := os.Getenv("NETTRACE_SHARED")
	if dir == "" {
		root, err := corpora.Root()
		if err != nil {
			missing(tb, err.Error())
		}
		dir = filepath.Join(root, "..", "shared")
	}
	info, err := os.Stat(dir)
	return dir, err == nil && info.IsDir()
}

// missing ends the test because material is absent. A benchmark is skipped even where the
// machine should have it: the gate runs benchmarks in a temporary checkout that has no folder
// "shared" beside it.
func missing(tb testing.TB, why string) {
	tb.Helper()
	if _, benchmark := tb.(*testing.B); benchmark {
		tb.Skip(why)
	}
	machine.Lacks(tb, "shared", why)
}

// partial adds a skipped subtest that lists the parts that the test leaves out
// without the folder, because test runners print a skipped test and its reason.
func partial(tb testing.TB, list string) {
	tb.Helper()
	if t, ok := tb.(*testing.T); ok {
		t.Run("only in shared", func(t *testing.T) {
			t.Skip("without the folder shared: only the " + list + " of the repository are read")
		})
	}
}

// read returns the contents of the first of the files that exists, decompressed
// if its name ends in .zst. Without such a file it fails the test.
func read(tb testing.TB, files ...string) []byte {
	tb.Helper()
	for _, file := range files {
		data, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && filepath.Ext(file) == ".zst" {
			data, err = corpora.Decompress(data)
		}
		if err != nil {
			tb.Fatalf("%s: %v", file, err)
		}
		return data
	}
	tb.Fatalf("no file %q", files)
	return nil
}
