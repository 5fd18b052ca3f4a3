// Package corpora keeps traces of every format version, for tests, fuzz seeds
// and benchmarks. Most were recorded for this project; those named gen-* were
// made by package gen. MANIFEST says what each one holds.
//
// The archives are part of the binary that imports this package (about
// 9 MB). Nothing is decompressed before [Open] asks for it.
package corpora

import (
	"embed"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
)

//go:embed MANIFEST *.zst
var files embed.FS

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

// File is the name of the entry's archive in this folder.
func (e Entry) File() string {
	if e.Format == "v3" {
		return e.Name + ".netperf.zst"
	}
	return e.Name + ".nettrace.zst"
}

// Names lists the traces in the order of MANIFEST, which is alphabetical.
func Names() []string {
	var names []string
	for _, e := range Entries() {
		names = append(names, e.Name)
	}
	return names
}

// Recorded lists those of Names that a real writer wrote: all but gen-*.
func Recorded() []string {
	return slices.DeleteFunc(Names(), func(name string) bool { return strings.HasPrefix(name, "gen-") })
}

// Entries lists the rows of MANIFEST, in its order. It panics if MANIFEST is
// malformed: that is a mistake in this folder, never in the caller.
func Entries() []Entry {
	manifest, err := files.ReadFile("MANIFEST")
	if err != nil {
		panic(err)
	}
	var entries []Entry
	for line := range strings.Lines(string(manifest)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		e, err := parseEntry(strings.TrimSuffix(line, "\n"))
		if err != nil {
			panic(fmt.Sprintf("corpora: MANIFEST: %v: %q", err, line))
		}
		entries = append(entries, e)
	}
	return entries
}

// All iterates over the names and the plain bytes of all traces, in the order of
// MANIFEST. Each is decompressed when its turn comes; the error is that of Open.
func All() iter.Seq2[string, func() ([]byte, error)] {
	return func(yield func(string, func() ([]byte, error)) bool) {
		for _, e := range Entries() {
			if !yield(e.Name, e.open) {
				return
			}
		}
	}
}

// Open returns the plain bytes of one trace. Each call decompresses anew, so
// the bytes are the caller's to change. The error says when no trace has that
// name, or that its archive is damaged.
func Open(name string) ([]byte, error) {
	for _, e := range Entries() {
		if e.Name == name {
			return e.open()
		}
	}
	return nil, fmt.Errorf("corpora: no trace named %q", name)
}

func (e Entry) open() ([]byte, error) {
	packed, err := files.ReadFile(e.File())
	if err != nil {
		return nil, fmt.Errorf("corpora: %w", err)
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("corpora: %w", err)
	}
	defer dec.Close()
	plain, err := dec.DecodeAll(packed, make([]byte, 0, e.Size))
	if err != nil {
		return nil, fmt.Errorf("corpora: %s: %w", e.File(), err)
	}
	return plain, nil
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
