package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPage renders small pages.
func TestPage(t *testing.T) {
	for _, c := range []struct{ name, markdown, want string }{
		{"title", "# The `codec` API", "<title>The codec API - nettrace</title>"},
		{"name of a heading", "## Wall, running, CPU?", `<h2 id="wall-running-cpu">`},
		{"name of code", "### `blocks --fields`", `<h3 id="blocks---fields">`},
		{"name of a link", "## [The codec](../codec/doc.go)", `<h2 id="the-codec">`},
		{"second heading with this text", "# A\n\n# A", `<h1 id="a-1">`},
		{"page", "[x](faq.md)", `<a href="faq.html">`},
		{"heading of a page", "[x](faq.md#a-b)", `<a href="faq.html#a-b">`},
		{"heading of this page", "[x](#a-b)", `<a href="#a-b">`},
		{"first page", "[x](README.md)", `<a href="index.html">`},
		{"file outside of docs", "[x](../codec/doc.go)", `<a href="https://github.com/nettrace-go/nettrace/blob/main/codec/doc.go">`},
		{"page outside of docs", "[x](../conformance/PROTOCOL.md#a)", `<a href="https://github.com/nettrace-go/nettrace/blob/main/conformance/PROTOCOL.md#a">`},
		{"other site", "[x](https://example.org/a.md)", `<a href="https://example.org/a.md">`},
		{"picture", "![x](pictures/a.webp)", `<img src="pictures/a.webp" alt="x">`},
		{"table", "|a|\n|-|\n|b|", "<td>b</td>"},
		{"console", "```console\n$ a <b>\n```", "$ a &lt;b&gt;"},
	} {
		t.Run(c.name, func(t *testing.T) {
			html, err := page([]byte(c.markdown))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(html), c.want) {
				t.Errorf("got %s, want %s in it", html, c.want)
			}
		})
	}
}

// local is a link to a page or picture of the site.
var local = regexp.MustCompile(`(?:href|src)="([^":#]+)(?:#([^"]*))?"`)

// TestSite writes the pages of docs, and checks the links between them and that index.html has a
// link to each.
func TestSite(t *testing.T) {
	out := t.TempDir()
	n, err := write("../../docs", out)
	if err != nil {
		t.Fatal(err)
	}
	if n < 4 {
		t.Errorf("got %d pages, want at least 4", n)
	}
	pages, err := filepath.Glob(filepath.Join(out, "*.html"))
	if err != nil {
		t.Fatal(err)
	}
	contents, err := os.ReadFile(filepath.Join(out, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range pages {
		if base := filepath.Base(name); base != "index.html" && !strings.Contains(string(contents), `href="`+base) {
			t.Errorf("index.html has no link to %s", base)
		}
		html, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range local.FindAllSubmatch(html, -1) {
			other, err := os.ReadFile(filepath.Join(out, string(found[1])))
			if err != nil {
				t.Errorf("%s: %v", filepath.Base(name), err)
			} else if anchor := string(found[2]); anchor != "" && !strings.Contains(string(other), `id="`+anchor+`"`) {
				t.Errorf("%s: %s has no heading %s", filepath.Base(name), found[1], anchor)
			}
		}
	}
}
