package shared

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/corpora"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// traceExtensions are those of the archives of traces.
var traceExtensions = []string{".nettrace.zst", ".netperf.zst"}

// Corpora returns the MANIFEST of the traces in the repository: recorded ones
// and those that package gen made.
func Corpora(tb testing.TB) []corpora.Entry {
	tb.Helper()
	entries, err := corpora.Entries()
	if errors.Is(err, fs.ErrNotExist) {
		missing(tb, "no traces: "+err.Error())
	} else if err != nil {
		tb.Fatal(err)
	}
	return entries
}

// Traces lists the names of the recorded traces in alphabetical order, without
// extensions: "net10-deep.v4". It lists those of the repository and those of the
// folder "shared". Under the race detector, which makes all ten times slower, it
// lists those whose archive has at most 150 kB, but in make nightly.
func Traces(tb testing.TB) []string {
	tb.Helper()
	var list []string
	for _, e := range Corpora(tb) {
		if e.Recorded() {
			list = append(list, e.Name)
		}
	}
	if Present(tb) {
		list = append(list, names(tb, filepath.Join(Dir(tb), "traces"), traceExtensions)...)
	} else {
		partial(tb, "traces")
	}
	slices.Sort(list)
	list = slices.Compact(list)
	if Race && !tier.Nightly {
		all := len(list)
		list = slices.DeleteFunc(list, func(name string) bool { return archiveSize(tb, name) > 150<<10 })
		tb.Logf("%d of %d traces are read under the race detector: make nightly reads all", len(list), all)
	}
	return list
}

// SkipRace skips a test under the race detector, but in make nightly: one that takes long
// there, and that starts no goroutine.
func SkipRace(tb testing.TB) {
	tb.Helper()
	if Race && !tier.Nightly {
		tb.Skip("it takes long under the race detector and starts no goroutine: make nightly runs it")
	}
}

// Small lists the traces for a test that takes long per byte: those of Traces
// whose archive has at most 64 kB, under the race detector 16 kB; in make check, all.
func Small(tb testing.TB) []string {
	tb.Helper()
	all := Traces(tb)
	small := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return archiveSize(tb, name) > largest() })
	if len(small) < len(all) {
		tb.Logf("%d of %d traces are read: make check reads all", len(small), len(all))
	}
	return small
}

// SmallCorpora lists the traces of the repository, those that package gen made
// too, with the limits of Small.
func SmallCorpora(tb testing.TB) []corpora.Entry {
	tb.Helper()
	return slices.DeleteFunc(Corpora(tb), func(e corpora.Entry) bool { return archiveSize(tb, e.Name) > largest() })
}

// largest returns the size of the largest archive that Small lists, in bytes. What takes
// long per byte takes ten times as long under the race detector.
func largest() int64 {
	switch {
	case Race && !tier.Nightly:
		return 16 << 10
	case tier.Check:
		return math.MaxInt64
	}
	return 64 << 10
}

// Trace returns the plain bytes of a trace of the repository or of the folder
// "shared". It skips the test where the trace can only be in that folder and
// there is no such folder.
func Trace(tb testing.TB, name string) []byte {
	tb.Helper()
	return read(tb, traceFiles(tb, name)...)
}

// Truth returns the JSON lines in which a recorded program says what it did while
// it was recorded. The name is that of the trace without the version:
// "net10-deep".
func Truth(tb testing.TB, name string) []byte {
	tb.Helper()
	return read(tb, places(tb, name+".truth.ndjson.zst")...)
}

// archiveSize returns the size of the compressed trace, in bytes.
func archiveSize(tb testing.TB, name string) int64 {
	tb.Helper()
	for _, file := range traceFiles(tb, name) {
		if info, err := os.Stat(file); err == nil {
			return info.Size()
		}
	}
	tb.Fatalf("no trace %s", name)
	return 0
}

// traceFiles returns the paths at which the archive of a trace can be.
func traceFiles(tb testing.TB, name string) []string {
	tb.Helper()
	return places(tb, name+traceExtensions[0], name+traceExtensions[1])
}

// places returns the path of each file in the repository if one is there, or
// else in the folder "shared".
func places(tb testing.TB, files ...string) []string {
	tb.Helper()
	if dir, err := corpora.Dir(); err == nil {
		for _, file := range files {
			if path := filepath.Join(dir, file); exists(path) {
				return []string{path}
			}
		}
	}
	var paths []string
	for _, file := range files {
		paths = append(paths, filepath.Join(Dir(tb), "traces", file))
	}
	return paths
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// names lists the files of dir that end in one of the extensions, without the
// extension.
func names(tb testing.TB, dir string, extensions []string) []string {
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
	return found
}
