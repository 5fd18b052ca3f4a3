// Package testfile gives tests the files that they read, and golden files.
//
// Only tests import this package.
package testfile

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// Update reports whether the flag -update is given, so that golden files are
// written.
var Update = flag.Bool("update", false, "write the golden files anew")

// Archive returns the path of a trace of the folder corpora.
func Archive(t *testing.T, name string) string {
	t.Helper()
	for _, e := range shared.Corpora(t) {
		if e.Name == name {
			return filepath.Join("..", "..", "..", "..", "corpora", e.File())
		}
	}
	t.Fatalf("no trace %s", name)
	return ""
}

// Fault returns the path of a trace of version 6 with a fault of package gen.
func Fault(t *testing.T, name string) string {
	t.Helper()
	for _, c := range gen.Faults() {
		if c.Name == name {
			return New(t, name+".nettrace", c.Inject(wire.V6, 1).Faulty)
		}
	}
	t.Fatalf("no fault %s", name)
	return ""
}

// Plain returns the uncompressed bytes of a trace of the folder corpora.
func Plain(t *testing.T, name string) []byte {
	t.Helper()
	data := shared.Trace(t, name)
	return data
}

// New writes bytes to a temporary file and returns its path.
func New(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// CaseName names a case by its arguments, and a path by its last element.
func CaseName(args ...string) string {
	names := make([]string, len(args))
	for i, a := range args {
		names[i] = a
		if filepath.IsAbs(a) {
			names[i] = filepath.Base(a)
		}
	}
	return fmt.Sprint(names)
}

// Golden compares text with a file, which -update writes.
func Golden(t *testing.T, path, got string) {
	t.Helper()
	if *Update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (-update rewrites it): %s", path, Difference(string(want), got))
	}
}
