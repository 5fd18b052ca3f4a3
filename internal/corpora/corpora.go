// Package corpora reads the traces of the folder corpora: recordings and
// generated traces of every format version, for tests, fuzz seeds, benchmarks
// and the tools that maintain them. It finds the folder by path, from the
// working directory upwards, so that no binary contains the traces. Package
// shared is the API for tests: it also knows the traces outside of the
// repository, and skips a test that lacks its trace.
package corpora

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Entry is one row of MANIFEST.
type Entry struct {
	Name    string // file name without extensions, such as "net10-deep.v4"
	SHA256  string // of the plain bytes, lower-case hex
	Size    int    // of the plain bytes
	Format  string // "v3", "v4" or "v6"
	Events  int    // complete event rows, metadata rows not counted
	Origin  string // the program that was recorded, and how
	Licence string // SPDX identifier
}

// File is the name of the entry's archive in the folder.
func (e Entry) File() string {
	if e.Format == "v3" {
		return e.Name + ".netperf.zst"
	}
	return e.Name + ".nettrace.zst"
}

// Recorded reports whether a program other than package gen wrote the trace.
func (e Entry) Recorded() bool { return !strings.HasPrefix(e.Name, "gen-") }

// Dir returns the path of the folder. The error is fs.ErrNotExist where there is
// none, as in the module cache.
func Dir() (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, "corpora")
	_, err = os.Stat(filepath.Join(dir, "MANIFEST"))
	return dir, err
}

// Entries returns the rows of MANIFEST, in its order, which is alphabetical.
func Entries() ([]Entry, error) {
	dir, err := Dir()
	if err != nil {
		return nil, err
	}
	manifest, err := os.ReadFile(filepath.Join(dir, "MANIFEST"))
	if err != nil {
		return nil, err
	}
	var entries []Entry
	for line := range strings.Lines(string(manifest)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		e, err := parseEntry(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return nil, fmt.Errorf("corpora: MANIFEST: %w: %q", err, line)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// Open returns the plain bytes of one trace. Each call decompresses it again, so
// the caller may change the bytes.
func Open(name string) ([]byte, error) {
	entries, err := Entries()
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.Name == name {
			return read(e.File())
		}
	}
	return nil, fmt.Errorf("corpora: no trace named %q", name)
}

func read(file string) ([]byte, error) {
	dir, err := Dir()
	if err != nil {
		return nil, err
	}
	packed, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		return nil, err
	}
	plain, err := Decompress(packed)
	if err != nil {
		return nil, fmt.Errorf("corpora: %s: %w", file, err)
	}
	return plain, nil
}

// Decompress returns the plain bytes of a Zstandard archive.
func Decompress(packed []byte) ([]byte, error) {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	return dec.DecodeAll(packed, nil)
}

func parseEntry(line string) (Entry, error) {
	col := strings.Split(line, "\t")
	if len(col) != 7 {
		return Entry{}, fmt.Errorf("%d columns, want 7", len(col))
	}
	size, err := strconv.Atoi(col[2])
	if err != nil {
		return Entry{}, err
	}
	events, err := strconv.Atoi(col[4])
	if err != nil {
		return Entry{}, err
	}
	return Entry{
		Name: col[0], SHA256: col[1], Size: size, Format: col[3],
		Events: events, Origin: col[5], Licence: col[6],
	}, nil
}
