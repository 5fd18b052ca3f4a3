package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/nettrace-go/nettrace/internal/archive"
)

const (
	archiveName = "cases.tar.zst"
	textSuffix  = ".txt"
)

// places are the folders of the cases: of the archive, which other modules import, and of the
// texts for review.
type places struct{ archive, texts string }

// folder is what the cases are kept in: files by name.
type folder struct {
	texts  map[string][]byte // files of the folder of texts
	packed map[string][]byte // files of the archive
}

// divide separates the texts from the files that are packed.
func divide(files map[string][]byte) *folder {
	f := &folder{texts: map[string][]byte{}, packed: map[string][]byte{}}
	for name, data := range files {
		if filepath.Ext(name) == textSuffix {
			f.texts[name] = data
		} else {
			f.packed[name] = data
		}
	}
	return f
}

// readFolder reads the cases that are kept.
func readFolder(at places) (*folder, error) {
	texts, err := readTexts(at.texts)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(at.archive, archiveName))
	if err != nil {
		return nil, err
	}
	packed, err := archive.Unpack(data)
	return &folder{texts, packed}, err
}

// readTexts reads the texts below a folder. Any other file counts as a text: it is one too many.
func readTexts(dir string) (map[string][]byte, error) {
	texts := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err == nil {
			texts[filepath.ToSlash(name)], err = os.ReadFile(path)
		}
		return err
	})
	return texts, err
}

// compare returns an error for the first text and for the first file of the archive
// that differ from those that are kept.
func (want *folder) compare(at places) error {
	got, err := readFolder(at)
	if err != nil {
		return err
	}
	return errors.Join(compareFiles("the folder", got.texts, want.texts), compareFiles(archiveName, got.packed, want.packed))
}

// compareFiles returns an error for the first file by name that is missing in
// got, additional in got, or different.
func compareFiles(place string, got, want map[string][]byte) error {
	names := slices.Concat(slices.Collect(maps.Keys(got)), slices.Collect(maps.Keys(want)))
	slices.Sort(names)
	for _, name := range names {
		have, kept := got[name]
		data, made := want[name]
		switch {
		case !kept:
			return fmt.Errorf("%s is not in %s: run \"make cases\"", name, place)
		case !made:
			return fmt.Errorf("%s is in %s, but casegen does not make it: run \"make cases\"", name, place)
		case !bytes.Equal(have, data):
			return fmt.Errorf("%s in %s differs from what casegen makes: run \"make cases\"", name, place)
		}
	}
	return nil
}

// write makes what is kept equal to want. It does not touch a file with
// equal contents: the archive of another version of the compressor stays.
func (want *folder) write(at places) error {
	if err := os.MkdirAll(at.texts, 0o755); err != nil {
		return err
	}
	texts, err := readTexts(at.texts)
	if err != nil {
		return err
	}
	for name := range texts {
		if _, made := want.texts[name]; !made {
			if err := os.Remove(filepath.Join(at.texts, name)); err != nil {
				return err
			}
		}
	}
	for name, data := range want.texts {
		if have, kept := texts[name]; kept && bytes.Equal(have, data) {
			continue
		}
		if err := writeFile(filepath.Join(at.texts, name), data); err != nil {
			return err
		}
	}
	if got, err := readFolder(at); err == nil && compareFiles(archiveName, got.packed, want.packed) == nil {
		return nil
	}
	packed, err := archive.Pack(want.packed)
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(at.archive, archiveName), packed)
}

// writeFile writes a file and makes its folder.
func writeFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}
