package nettrace_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLicence checks that each released module has the licence of the root: a module is
// published without the files of the folders above it.
func TestLicence(t *testing.T) {
	want, err := os.ReadFile("LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && path != "." && strings.HasPrefix(entry.Name(), ".") {
			return fs.SkipDir
		}
		if err != nil || entry.Name() != "go.mod" {
			return err
		}
		folder := filepath.Dir(path)
		if folder == "dev" || folder == filepath.Join("view", "browser") {
			return nil // not released
		}
		t.Run(folder, func(t *testing.T) {
			if got, err := os.ReadFile(filepath.Join(folder, "LICENSE")); err != nil || !bytes.Equal(got, want) {
				t.Errorf("got %d bytes and error %v, want the file of the root", len(got), err)
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
