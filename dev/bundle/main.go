// Command bundle makes the script and the style sheet of the viewer's page from
// the sources in view/page/src and the libraries in view/page/npm. Run it by
// "go generate ./view/page".
package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// output has the names of the files that build returns.
var outputs = map[string]string{"main.js": "view.js", "main.css": "view.css"}

// page is the folder of the page.
const page = "../../view/page"

func main() {
	log.SetFlags(0)
	files, err := build(page)
	if err != nil {
		log.Fatalf("bundle: %v", err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(page, "dist", name+".gz"), pack(text), 0o666); err != nil {
			log.Fatalf("bundle: %v", err)
		}
	}
}

// pack compresses a text.
func pack(text []byte) []byte {
	var packed bytes.Buffer
	z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // the level is valid, and the buffer returns no error
	z.Write(text)
	z.Close()
	return packed.Bytes()
}

// build returns the contents of the files of dist by name.
func build(page string) (map[string][]byte, error) {
	root, err := filepath.Abs(page)
	if err != nil {
		return nil, err
	}
	licence, err := os.ReadFile(filepath.Join(root, "npm", "preact", "LICENSE"))
	if err != nil {
		return nil, err
	}
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{filepath.Join(root, "src", "main.tsx")}, Outdir: filepath.Join(root, "dist"), AbsWorkingDir: root,
		Bundle: true, Format: api.FormatIIFE, Target: api.ES2020, Charset: api.CharsetUTF8,
		MinifyWhitespace: true, MinifyIdentifiers: true, MinifySyntax: true, LegalComments: api.LegalCommentsNone,
		JSX: api.JSXTransform, JSXFactory: "h", JSXFragment: "Fragment",
		Alias:  map[string]string{"preact/hooks": "./npm/preact/hooks/dist/hooks.mjs", "preact": "./npm/preact/dist/preact.mjs"},
		Banner: map[string]string{"js": "/*! preact\n" + strings.TrimSpace(string(licence)) + "\n*/"},
	})
	if len(result.Errors) > 0 {
		return nil, errors.New(strings.Join(api.FormatMessages(result.Errors, api.FormatMessagesOptions{}), ""))
	}
	files := map[string][]byte{}
	for _, f := range result.OutputFiles {
		files[outputs[filepath.Base(f.Path)]] = f.Contents
	}
	return files, nil
}
