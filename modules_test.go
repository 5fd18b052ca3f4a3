package nettrace_test

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// released are the folders of the modules that users require. dev is for developers; docs has no
// packages and no requirements, and keeps the pages out of the root module.
var released = []string{".", "cmd/nettrace", "codec", "corpora", "integrations", "integrations/nettracereceiver"}

// moduleFiles returns the folder of each go.mod file with its text. Files of testdata count
// too.
func moduleFiles(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	expect.NoError(t, filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (path == "bin" || path != "." && strings.HasPrefix(entry.Name(), ".")):
			return fs.SkipDir
		case filepath.Ext(path) != ".mod":
			return nil
		}
		text, err := os.ReadFile(path)
		found[filepath.ToSlash(filepath.Dir(path))] = string(text)
		return err
	}))
	return found
}

// TestModules: no other file has versions of modules, and Go 1.25 builds each of them.
func TestModules(t *testing.T) {
	files := moduleFiles(t)
	expect.Slices(t, "modules", slices.Sorted(maps.Keys(files)), slices.Sorted(slices.Values(append([]string{"dev", "docs"}, released...))))
	for folder, text := range files {
		if !regexp.MustCompile(`(?m)^go 1\.25(\.0)?$`).MatchString(text) || strings.Contains(text, "\ntoolchain ") {
			t.Errorf("%s/go.mod: the line go is not that of Go 1.25", folder)
		}
		if slices.Contains(released, folder) && strings.Contains(text, "\nreplace ") {
			t.Errorf("%s/go.mod has a replacement, which go install refuses", folder)
		}
	}
}

// requirement matches the path and the version of a line of a go.mod file.
var requirement = regexp.MustCompile(`(?m)^(?:require )?\s*([\w.~/-]+\.[\w.~/-]+) (v\S+)`)

// TestOneVersion: all modules require a library in one version, so that users get what the
// workspace tests.
func TestOneVersion(t *testing.T) {
	versions := map[string]map[string][]string{} // folders by library and version
	for folder, text := range moduleFiles(t) {
		for _, found := range requirement.FindAllStringSubmatch(text, -1) {
			path, version := found[1], found[2]
			if versions[path] == nil {
				versions[path] = map[string][]string{}
			}
			versions[path][version] = append(versions[path][version], folder)
		}
	}
	expect.AtLeast(t, "libraries", len(versions), 100)
	for path, of := range versions {
		if len(of) > 1 {
			t.Errorf("%s has %d versions: %v", path, len(of), of)
		}
	}
}

// TestLicence checks that each released module has the licence of the root: a module is
// published without the files of the folders above it.
func TestLicence(t *testing.T) {
	want, err := os.ReadFile("LICENSE")
	expect.NoError(t, err)
	for _, folder := range released {
		if got, err := os.ReadFile(filepath.Join(folder, "LICENSE")); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: got %d bytes and error %v, want the file of the root", folder, len(got), err)
		}
	}
}
