package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestAddNotices: the licences of a module's packages and of the folders above them are
// listed, each text with all modules that have it.
func TestAddNotices(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
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
	} {
		writeFile(t, filepath.Join(dir, name), text)
	}
	module := func(name string, folders ...string) *dependency {
		m := &dependency{name: name, root: filepath.Join(dir, name)}
		for _, folder := range folders {
			m.folders = append(m.folders, filepath.Join(m.root, folder))
		}
		return m
	}
	var all []notice
	for _, m := range []*dependency{module("a", "used/deep", "used"), module("b", "."), module("c", "")} {
		var err error
		if all, err = m.addTo(all); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, n := range all {
		got = append(got, n.text+": "+strings.Join(n.names, " "))
	}
	want := "one: a b, notice of a: a, two: a, four: c"
	if text := strings.Join(got, ", "); text != want {
		t.Errorf("got %q, want %q", text, want)
	}
	if _, err := module("d", "licensed").addTo(nil); err == nil {
		t.Error("no error for a module without a licence")
	}
	for _, want := range []string{"\na\nb\n----", "----\none\n\n====", "----\nfour\n"} {
		if text := format(all); !strings.Contains(text, want) {
			t.Errorf("got %q, want %q in it", text, want)
		}
	}
}

// TestParsePackage parses lines of go list.
func TestParsePackage(t *testing.T) {
	for _, c := range []struct{ name, line, want string }{
		{"module", "example.com/a\tv1.0.0\t/mod/a\t/mod/a/b", "example.com/a v1.0.0 in /mod/a: /mod/a/b"},
		{"standard library", "\t/go/src/fmt", ""},
		{"root", root + "\t\t/repo\t/repo/codec", ""},
		{"program", root + "/cmd/nettrace\t\t/repo/cmd/nettrace\t/repo/cmd/nettrace", ""},
		{"similar name", root + "2\tv1.0.0\t/mod/n\t/mod/n", root + "2 v1.0.0 in /mod/n: /mod/n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			if m, ok := parsePackage(c.line); ok {
				got = m.name + " in " + m.root + ": " + strings.Join(m.folders, " ")
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestBundled: the page's npm packages are those of its folder npm.
func TestBundled(t *testing.T) {
	dir := t.TempDir()
	if _, err := bundled(dir); err == nil {
		t.Error("no error without packages")
	}
	writeFile(t, filepath.Join(dir, "view/page/npm/preact/package.json"), `{"name": "preact", "version": "11.2.0", "main": "x.js"}`)
	all, err := bundled(dir)
	if err != nil || len(all) != 1 || all[0].name != "npm preact 11.2.0" {
		t.Errorf("got %v, %v; want one package npm preact 11.2.0", all, err)
	}
}

// TestCertificates: the notices of the image's certificates have the licence of Mozilla and
// that of the Go module, and the address of the source.
func TestCertificates(t *testing.T) {
	modules, err := certificates("../..")
	if err != nil {
		t.Fatal(err)
	}
	var all []notice
	for _, m := range modules {
		if all, err = m.addTo(all); err != nil {
			t.Fatal(err)
		}
	}
	text := format(all)
	for _, want := range []string{
		"golang.org/x/crypto/x509roots/fallback v", "Copyright 2009 The Go Authors", certificatesSource, "\nMozilla Public License Version 2.0\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("got %q, want %q in it", text, want)
		}
	}
}
