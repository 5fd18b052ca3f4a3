// Package traces reads the traces and small streams in codec/testdata, for the tests
// of the packages of module codec.
package traces

import (
	"archive/tar"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Names lists the traces in alphabetical order, without extensions:
// "net10-types.v4".
func Names(tb testing.TB) []string {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(folder(tb), "*.v[3-6].gz"))
	if err != nil {
		tb.Fatal(err)
	}
	for i, file := range files {
		files[i] = strings.TrimSuffix(filepath.Base(file), ".gz")
	}
	if len(files) == 0 {
		tb.Fatalf("no traces in %s", folder(tb))
	}
	return files
}

// Read returns the plain bytes of one of [Names].
func Read(tb testing.TB, name string) []byte {
	tb.Helper()
	b, err := io.ReadAll(open(tb, name+".gz"))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// A Stream is a small stream that shows one situation.
type Stream struct {
	Name string // such as "probe-02c-v4-datetime-systemtime-16-bytes"
	Data []byte
}

// Streams returns the small streams in alphabetical order. Those named probe- are
// what readers get wrong; those named random- are the first that gen.Random makes.
func Streams(tb testing.TB) (list []Stream) {
	tb.Helper()
	for archive := tar.NewReader(open(tb, "streams.tar.gz")); ; {
		head, err := archive.Next()
		if err == io.EOF {
			return list
		}
		if err != nil {
			tb.Fatal(err)
		}
		data, err := io.ReadAll(archive)
		if err != nil {
			tb.Fatal(err)
		}
		list = append(list, Stream{head.Name, data})
	}
}

// open returns the plain bytes of a file of the folder until the test ends.
func open(tb testing.TB, file string) io.Reader {
	tb.Helper()
	f, err := os.Open(filepath.Join(folder(tb), file))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { f.Close() })
	r, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// folder is the module's testdata, in the working directory of the test or above.
func folder(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	if err != nil {
		tb.Fatal(err)
	}
	for {
		found := filepath.Join(dir, "testdata")
		if _, err := os.Stat(filepath.Join(found, "streams.tar.gz")); err == nil {
			return found
		}
		if filepath.Dir(dir) == dir {
			tb.Fatal("no testdata/streams.tar.gz at or above the working directory")
		}
		dir = filepath.Dir(dir)
	}
}
