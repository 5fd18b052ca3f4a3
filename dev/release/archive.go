package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// archived returns the files that each archive must contain, below its only folder.
func archived() []string {
	return []string{
		"LICENSE", noticesFile, "README.md", "CHANGELOG.md", "man/nettrace.1.gz", "man/nettrace-collect.1.gz",
		"completions/nettrace.bash", "completions/nettrace.zsh", "completions/nettrace.fish", "completions/nettrace.ps1",
	}
}

// checkArchives checks the archive of each platform and prints its size.
func (d *distribution) checkArchives() error {
	var failed []error
	for _, a := range d.of(typeArchive) {
		name := filepath.Join(d.dir, a.Path)
		files, err := archiveFiles(name)
		if err != nil {
			return err
		}
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(d.check.out, "  %-45s %9d bytes %5d files\n", a.Name, info.Size(), len(files))
		program := "nettrace"
		if a.OS == "windows" {
			program += ".exe"
		}
		for _, want := range append(archived(), program) {
			if !slices.Contains(files, want) {
				failed = append(failed, fmt.Errorf("%s has no file %s", a.Name, want))
			}
		}
	}
	return errors.Join(failed...)
}

// archiveFiles returns the names of the files in an archive without its only folder.
func archiveFiles(name string) ([]string, error) {
	read := tarFiles
	if strings.HasSuffix(name, ".zip") {
		read = zipFiles
	}
	files, err := read(name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	folder := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(name), ".zip"), ".tar.gz")
	for i, file := range files {
		rest, ok := strings.CutPrefix(path.Clean(file), folder+"/")
		if !ok {
			return nil, fmt.Errorf("%s: the file %s is not in the folder %s", name, file, folder)
		}
		files[i] = rest
	}
	return files, nil
}

// tarFiles returns the names of the files in an archive .tar.gz.
func tarFiles(name string) ([]string, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	var files []string
	for r := tar.NewReader(data); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		if header.Typeflag == tar.TypeReg {
			files = append(files, header.Name)
		}
	}
}

// zipFiles returns the names of the files in an archive .zip.
func zipFiles(name string) ([]string, error) {
	r, err := zip.OpenReader(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var files []string
	for _, f := range r.File {
		if !strings.HasSuffix(f.Name, "/") {
			files = append(files, f.Name)
		}
	}
	return files, nil
}
