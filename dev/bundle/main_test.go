package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// maxSizes are the largest sizes of the files, in bytes.
var maxSizes = map[string]int{"view.js": 180_000, "view.css": 20_000}

// TestCurrent builds the bundle and compares it with the committed one.
func TestCurrent(t *testing.T) {
	files, err := build(page)
	if err != nil {
		t.Fatal(err)
	}
	for name, most := range maxSizes {
		t.Run(name, func(t *testing.T) {
			packed, err := os.Open(filepath.Join(page, "dist", name+".gz"))
			if err != nil {
				t.Fatal(err)
			}
			defer packed.Close()
			z, err := gzip.NewReader(packed)
			if err != nil {
				t.Fatal(err)
			}
			committed, err := io.ReadAll(z)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(committed, files[name]) {
				t.Errorf("view/page/dist/%s.gz is not what its sources make: run go generate ./view/page", name)
			}
			if len(committed) > most {
				t.Errorf("got %d bytes, want at most %d", len(committed), most)
			}
		})
	}
}
