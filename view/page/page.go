// Package page has the viewer's page: a script, a style sheet, and the policy
// that allows these two only. The page shows a document of package view, which it
// gets from its server, or which is in it.
package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed" // the script and the style sheet
	"encoding/base64"
	"io"
	"strings"
	"sync"
)

//go:generate env GOWORK=off go run -C ../../dev/bundle .

// The files are compressed: the program, which contains them, is 100 kB smaller.
var (
	//go:embed dist/view.js.gz
	packedScript []byte
	//go:embed dist/view.css.gz
	packedStyle []byte

	script = sync.OnceValue(func() string { return unpack(packedScript) })
	style  = sync.OnceValue(func() string { return unpack(packedStyle) })
)

// unpack returns the text of a file that is part of the program.
func unpack(packed []byte) string {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		panic(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// policy allows the page's own script and style sheet and, where it is served, its
// server. Nothing can make a script of a text.
func policy(connect string) string {
	return strings.Join([]string{
		"default-src 'none'", "script-src '" + hash(script()) + "'", "style-src '" + hash(style()) + "'", "img-src data:",
		"connect-src " + connect, "base-uri 'none'", "form-action 'none'",
		"require-trusted-types-for 'script'", "trusted-types 'none'",
	}, "; ")
}

// hash returns the hash of a text as a policy has it.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// Policy returns the Content-Security-Policy of the served page.
func Policy() string { return policy("'self'") + "; frame-ancestors 'none'" }

// Parts of the page. The place of the document is after the first two.
const (
	start = `<!doctype html><html lang="en"><head><meta charset="utf-8">` +
		`<meta name="viewport" content="width=device-width"><meta name="referrer" content="no-referrer"><title>nettrace</title><link rel="icon" href="data:,">`
	begin = `</head><body><div id="root"></div>`
	end   = `</body></html>`
)

// WriteServed writes the page that gets its document from its server.
func WriteServed(w io.Writer) error {
	return write(w, start, "<style>", style(), "</style>", begin, "<script>", script(), "</script>", end)
}

// Fragment returns the part of the page's address that begins with #. name is that of a
// page, query has flags of the filter, such as "from=3s&to=4s".
func Fragment(name, query string) string {
	if query != "" {
		query = "?" + query
	}
	return "#/" + name + query
}

// Part is compressed data that a report has besides its document.
type Part struct {
	Name string // "events", "stacks", "heap" or "other"
	Data []byte // compressed with gzip
}

// WriteReport writes the page with a document and further parts, which needs no
// server and no network.
func WriteReport(w io.Writer, document []byte, more ...Part) error {
	meta := `<meta http-equiv="Content-Security-Policy" content="` + policy("'none'") + `">`
	if err := write(w, start, meta, "<style>", style(), "</style>", begin); err != nil {
		return err
	}
	for _, part := range append([]Part{{"data", document}}, more...) {
		if err := writePart(w, &part); err != nil {
			return err
		}
	}
	return write(w, "<script>", script(), "</script>", end)
}

// writePart writes data that no browser runs.
func writePart(w io.Writer, part *Part) error {
	if err := write(w, `<script type="application/octet-stream" id="`, part.Name, `">`); err != nil {
		return err
	}
	data := base64.NewEncoder(base64.StdEncoding, w)
	if _, err := data.Write(part.Data); err != nil {
		return err
	}
	if err := data.Close(); err != nil {
		return err
	}
	return write(w, "</script>")
}

// write writes texts.
func write(w io.Writer, texts ...string) error {
	for _, text := range texts {
		if _, err := io.WriteString(w, text); err != nil {
			return err
		}
	}
	return nil
}
