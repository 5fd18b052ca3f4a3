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

// folder is what the folder of the cases has: files by name.
type folder struct {
	texts  map[string][]byte // files of the folder
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

// readFolder reads a folder of cases.
func readFolder(dir string) (*folder, error) {
	texts, err := readTexts(dir)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(dir, archiveName))
	if err != nil {
		return nil, err
	}
	packed, err := archive.Unpack(data)
	return &folder{texts, packed}, err
}

// readTexts reads the texts below a folder. Any other file than Go source and the
// archive counts as a text: it is one too many.
func readTexts(dir string) (map[string][]byte, error) {
	texts := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) == ".go" || entry.Name() == archiveName {
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
// that differ from those of a folder.
func (want *folder) compare(dir string) error {
	got, err := readFolder(dir)
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

// write makes the contents of a folder equal to want. It does not touch a file with
// equal contents: the archive of another version of the compressor stays.
func (want *folder) write(dir string) error {
	texts, err := readTexts(dir)
	if err != nil {
		return err
	}
	for name := range texts {
		if _, made := want.texts[name]; !made {
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	for name, data := range want.texts {
		if have, kept := texts[name]; kept && bytes.Equal(have, data) {
			continue
		}
		if err := writeFile(filepath.Join(dir, name), data); err != nil {
			return err
		}
	}
	if got, err := readFolder(dir); err == nil && compareFiles(archiveName, got.packed, want.packed) == nil {
		return nil
	}
	packed, err := archive.Pack(want.packed)
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, archiveName), packed)
}

// writeFile writes a file and makes its folder.
func writeFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}
