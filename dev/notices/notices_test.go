package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write writes files below a folder.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFormat: the licences of a part's packages and of the folders above them are listed,
// each text once with all parts that have it. A part without a licence is an error.
func TestFormat(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"LICENSE":               "outside",
		"a/LICENSE":             "one\n",
		"a/NOTICE":              "notice of a\n",
		"a/license.go":          "package a",
		"a/used/COPYING.txt":    "two\n",
		"a/used/deep/doc.go":    "package deep",
		"a/unused/LICENSE":      "three\n",
		"b/LICENCE.md":          "\r\none\r\n",
		"c/UNLICENSE":           "four\n",
		"d/licensed/LICENSE.go": "package licensed",
	})
	of := func(name string, folders ...string) part {
		p := part{name: name, root: filepath.Join(dir, name)}
		for _, folder := range folders {
			p.folders = append(p.folders, filepath.Join(p.root, folder))
		}
		return p
	}
	got, err := format([]part{of("a", "used/deep", "used"), of("b", "."), of("c", "")})
	if err != nil {
		t.Fatal(err)
	}
	equal, dashes := "\n"+strings.Repeat("=", 80)+"\n", strings.Repeat("-", 80)+"\n"
	want := equal + "a\nb\n" + dashes + "one\n" + equal + "a\n" + dashes + "notice of a\n" + equal + "a\n" + dashes + "two\n" + equal + "c\n" + dashes + "four\n"
	if !strings.HasSuffix(got, "this file.\n"+want) {
		t.Errorf("got %q, want the end %q", got, want)
	}
	if _, err := format([]part{of("d", "licensed")}); err == nil || !strings.Contains(err.Error(), "d has no file with a licence") {
		t.Errorf("got error %v for a part without a licence", err)
	}
}

// TestBundled: the page's npm packages are those of its folder npm.
func TestBundled(t *testing.T) {
	dir := t.TempDir()
	if _, err := bundled(dir); err == nil {
		t.Error("no error without packages")
	}
	write(t, dir, map[string]string{"view/page/npm/preact/package.json": `{"name": "preact", "version": "11.2.0", "main": "x.js"}`})
	if all, err := bundled(dir); err != nil || len(all) != 1 || all[0].name != "npm preact 11.2.0" {
		t.Errorf("got %v, %v; want one package npm preact 11.2.0", all, err)
	}
}

// TestContained: the file has the standard library, the modules of the program on Windows
// too, and the image's certificates with the address of their source.
func TestContained(t *testing.T) {
	all, err := contained("../..")
	if err != nil {
		t.Fatal(err)
	}
	var names strings.Builder
	for _, p := range all {
		names.WriteString(p.name + "\n")
	}
	for _, want := range []string{
		"Go standard library\n", "github.com/Microsoft/go-winio v", "npm preact ", "golang.org/x/crypto/x509roots/fallback v", "(in the container image only), made of\n" + certificatesSource,
	} {
		if !strings.Contains(names.String(), want) {
			t.Errorf("got %q, want %q in it", names.String(), want)
		}
	}
	if strings.Contains(names.String(), "nettrace-go") {
		t.Errorf("got %q, want none of this repository", names.String())
	}
}
