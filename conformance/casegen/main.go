// Casegen makes the cases of conformance/cases and compares them with those that
// are kept: a byte that differs is an error. With -write it keeps them instead:
// "make cases".
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

func main() {
	write := flag.Bool("write", false, "keep the cases in the folder conformance/cases, which the current folder holds")
	flag.Parse()
	if err := run("conformance/cases", *write); err != nil {
		fmt.Fprintln(os.Stderr, "casegen:", err)
		os.Exit(1)
	}
}

func run(dir string, write bool) error {
	files, err := makeFiles()
	if err != nil {
		return err
	}
	kept, err := keptFiles(dir)
	if err != nil {
		return err
	}
	for name := range kept {
		if _, made := files[name]; made {
			continue
		}
		if !write {
			return fmt.Errorf("%s is kept, but not made: run \"make cases\"", name)
		}
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	for name, data := range files {
		if bytes.Equal(kept[name], data) && kept[name] != nil {
			continue
		}
		if !write {
			return fmt.Errorf("%s is not as kept: run \"make cases\"", name)
		}
		if err := keep(filepath.Join(dir, name), data); err != nil {
			return err
		}
	}
	return nil
}

func keep(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}

// keptFiles reads what is there: the folders of the grades and versions.json.
func keptFiles(dir string) (map[string][]byte, error) {
	kept := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) == ".go" {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err == nil {
			kept[filepath.ToSlash(name)], err = os.ReadFile(path)
		}
		return err
	})
	return kept, err
}
