package shared

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Recording is a recording of a program that wrote down what it did, with what it wrote.
type Recording struct {
	Name    string // such as "deadlock-net8", for the name of a test
	Version int    // of the runtime, such as 8; 3 for .NET Core 3.1
	folder  string
}

// recordingNames are the names of the recordings of a program by version of the runtime, in the
// folder "shared". The asterisk is the program.
var recordingNames = []struct {
	version      int
	folder, name string
}{
	{3, "replay/truth", "*-net31"}, {8, "old", "*-net8"}, {8, "replay/truth", "*-net8"}, {9, "old", "*-net9"}, {9, "replay/truth", "*-net9"},
	{10, "truth", "*"}, {11, "net11/truth", "net11-*"},
}

// Recordings returns the recordings of programs on all versions of the runtime, in ascending
// order for each program. It fails the test for a program without one.
func Recordings(tb testing.TB, programs ...string) []Recording {
	tb.Helper()
	dir := Dir(tb)
	var list []Recording
	for _, program := range programs {
		before := len(list)
		for _, one := range recordingNames {
			name := strings.Replace(one.name, "*", program, 1)
			r := Recording{Name: name, Version: one.version, folder: filepath.Join(dir, filepath.FromSlash(one.folder))}
			if _, err := os.Stat(r.path(".v4.nettrace.zst")); err == nil {
				list = append(list, r)
			}
		}
		if len(list) == before {
			tb.Fatalf("%s has no recording of %s", dir, program)
		}
	}
	return list
}

func (r *Recording) path(end string) string { return filepath.Join(r.folder, r.Name+end) }

// Trace returns the plain bytes of the recording.
func (r *Recording) Trace(tb testing.TB) []byte {
	tb.Helper()
	return read(tb, r.path(".v4.nettrace.zst"))
}

// Truth returns what the program wrote.
func (r *Recording) Truth(tb testing.TB) []byte {
	tb.Helper()
	return read(tb, r.path(".truth.ndjson"))
}

// Truths returns the names of all recordings of the folder "shared" beside which the program, or the client that
// drove it, wrote down what it did.
func Truths(tb testing.TB) []string {
	tb.Helper()
	var list []string
	for _, end := range []string{".truth.ndjson", ".truth.ndjson.zst"} {
		files, err := filepath.Glob(filepath.Join(Dir(tb), "*", "*"+end))
		deeper, _ := filepath.Glob(filepath.Join(Dir(tb), "*", "*", "*"+end))
		if err != nil {
			tb.Fatal(err)
		}
		for _, file := range append(files, deeper...) {
			list = append(list, strings.TrimSuffix(filepath.Base(file), end))
		}
	}
	slices.Sort(list)
	return list
}
