// Package shared finds the project's reference material for tests: traces,
// small streams and another reader's answers. It lies in a folder "shared"
// beside the clone, or where the environment variable NETTRACE_SHARED says,
// and is no part of the repository. Tests that ask for it are skipped where
// it is absent.
//
// Only tests import this package.
package shared

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

const module = "github.com/nettrace-go/nettrace"

// Dir is the folder with the shared material. The test is skipped if there is
// none.
func Dir(tb testing.TB) string {
	tb.Helper()
	dir, ok := find(tb)
	if !ok {
		tb.Skipf("no shared material at %s (NETTRACE_SHARED can name another folder)", dir)
	}
	return dir
}

// Present says whether the folder is there, for tests that can do without.
func Present(tb testing.TB) bool {
	tb.Helper()
	_, ok := find(tb)
	return ok
}

// find is the folder's path, and whether it is there.
func find(tb testing.TB) (string, bool) {
	tb.Helper()
	dir := os.Getenv("NETTRACE_SHARED")
	if dir == "" {
		dir = filepath.Join(root(tb), "..", "shared")
	}
	info, err := os.Stat(dir)
	return dir, err == nil && info.IsDir()
}

// Traces lists the names of the real traces in alphabetical order, without
// extensions: "net10-deep.v4".
func Traces(tb testing.TB) []string {
	tb.Helper()
	return names(tb, filepath.Join(Dir(tb), "traces"), ".nettrace.zst", ".netperf.zst")
}

// Small lists those of Traces that a test reads which takes long for each byte:
// all, but with -short, as under the race detector, only those whose archive is
// at most 64 kB.
func Small(tb testing.TB) []string {
	tb.Helper()
	all := Traces(tb)
	if !testing.Short() {
		return all
	}
	const most = 64 << 10
	small := slices.DeleteFunc(slices.Clone(all), func(name string) bool {
		path := filepath.Join(Dir(tb), "traces", name)
		for _, ext := range []string{".nettrace.zst", ".netperf.zst"} {
			if info, err := os.Stat(path + ext); err == nil {
				return info.Size() > most
			}
		}
		return false
	})
	tb.Logf("-short: %d of %d traces are read", len(small), len(all))
	return small
}

// Trace returns the plain bytes of one of [Traces].
func Trace(tb testing.TB, name string) []byte {
	tb.Helper()
	return read(tb, filepath.Join(Dir(tb), "traces", name), ".nettrace.zst", ".netperf.zst")
}

// Streams lists the names of the small streams in alphabetical order, without
// extensions: "probe-02c-v4-datetime-systemtime-16-bytes".
func Streams(tb testing.TB) []string {
	tb.Helper()
	return names(tb, filepath.Join(Dir(tb), "streams"), ".nettrace", ".nettrace.zst")
}

// Stream returns the plain bytes of one of [Streams].
func Stream(tb testing.TB, name string) []byte {
	tb.Helper()
	return read(tb, filepath.Join(Dir(tb), "streams", name), ".nettrace", ".nettrace.zst")
}

// Oracle returns the plain bytes of a file of the other reader's answers,
// such as "net10-deep.v4.events.tsv.zst" or "summary.ndjson".
func Oracle(tb testing.TB, file string) []byte {
	tb.Helper()
	return read(tb, filepath.Join(Dir(tb), "oracle", file), "")
}

// root is the folder of the go.mod that declares our module, at or above the
// working directory. Modules nested in the repository are passed over.
func root(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for !declaresModule(filepath.Join(dir, "go.mod")) {
		parent := filepath.Dir(dir)
		if parent == dir {
			tb.Fatalf("no go.mod of %s at or above the working directory", module)
		}
		dir = parent
	}
	return dir
}

func declaresModule(gomod string) bool {
	text, err := os.ReadFile(gomod)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		if strings.TrimSpace(line) == "module "+module {
			return true
		}
	}
	return false
}

// names lists the files of dir that end in one of the extensions, which are
// cut off.
func names(tb testing.TB, dir string, extensions ...string) []string {
	tb.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		tb.Fatal(err)
	}
	var found []string
	for _, file := range files {
		for _, ext := range extensions {
			if name, ok := strings.CutSuffix(file.Name(), ext); ok {
				found = append(found, name)
			}
		}
	}
	slices.Sort(found)
	return found
}

// read returns the contents of the file called path and one of the
// extensions, decompressed if its name ends in .zst.
func read(tb testing.TB, path string, extensions ...string) []byte {
	tb.Helper()
	for _, ext := range extensions {
		data, err := os.ReadFile(path + ext)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err == nil && strings.HasSuffix(path+ext, ".zst") {
			data, err = decompress(data)
		}
		if err != nil {
			tb.Fatalf("%s: %v", path+ext, err)
		}
		return data
	}
	tb.Fatalf("no file %s with extension %q", path, extensions)
	return nil
}

func decompress(packed []byte) ([]byte, error) {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	return dec.DecodeAll(packed, nil)
}
