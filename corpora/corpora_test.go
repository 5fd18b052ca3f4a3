// Package corpora_test checks the files of this folder against MANIFEST.
package corpora_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// The columns of MANIFEST.
const (
	name = iota
	sum
	size
	format
	events
	origin
	licence
	columns
)

// rows returns the rows of MANIFEST.
func rows(t *testing.T) [][]string {
	t.Helper()
	manifest, err := os.ReadFile("MANIFEST")
	if err != nil {
		t.Fatal(err)
	}
	var list [][]string
	for line := range strings.Lines(string(manifest)) {
		row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(row) != columns {
			t.Fatalf("%d columns, want %d: %q", len(row), columns, line)
		}
		list = append(list, row)
	}
	return list[1:] // without the names of the columns
}

// file returns the name of a row's archive.
func file(row []string) string {
	if row[format] == "v3" {
		return row[name] + ".netperf.zst"
	}
	return row[name] + ".nettrace.zst"
}

func TestPlainBytes(t *testing.T) {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer dec.Close()
	for _, row := range rows(t) {
		t.Run(row[name], func(t *testing.T) {
			packed, err := os.ReadFile(file(row))
			if err != nil {
				t.Fatal(err)
			}
			plain, err := dec.DecodeAll(packed, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := strconv.Itoa(len(plain)); got != row[size] {
				t.Errorf("%s plain bytes, in MANIFEST %s", got, row[size])
			}
			hash := sha256.Sum256(plain)
			if got := hex.EncodeToString(hash[:]); got != row[sum] {
				t.Errorf("SHA-256 %s, in MANIFEST %s", got, row[sum])
			}
		})
	}
}

func TestManifest(t *testing.T) {
	before := ""
	for _, row := range rows(t) {
		t.Run(row[name], func(t *testing.T) {
			if row[name] <= before {
				t.Errorf("the row is after that of %s", before)
			}
			if n, err := strconv.Atoi(row[events]); err != nil || n == 0 {
				t.Errorf("%q events", row[events])
			}
			if row[licence] != "MIT" {
				t.Errorf("licence %q", row[licence])
			}
			if !strings.HasSuffix(row[name], "."+row[format]) || !slices.Contains([]string{"v3", "v4", "v6"}, row[format]) {
				t.Errorf("format %q", row[format])
			}
			if made := strings.HasPrefix(row[name], "gen-"); row[origin] == "" || made != strings.HasPrefix(row[origin], "made: ") {
				t.Errorf("origin %q", row[origin])
			}
		})
		before = row[name]
	}
}

// TestFolder checks that MANIFEST lists exactly the archives of traces, that each
// truth file belongs to one, and that all together are small.
func TestFolder(t *testing.T) {
	const limit = 10_000_000
	files, err := filepath.Glob("*.zst")
	if err != nil {
		t.Fatal(err)
	}
	var traces []string
	total := int64(0)
	for _, path := range files {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
		recorded, truth := strings.CutSuffix(path, ".truth.ndjson.zst")
		switch {
		case truth && !slices.ContainsFunc(files, func(f string) bool { return strings.HasPrefix(f, recorded+".v") }):
			t.Errorf("%s belongs to no trace", path)
		case !truth:
			traces = append(traces, path)
		}
	}
	var want []string
	for _, row := range rows(t) {
		want = append(want, file(row))
	}
	slices.Sort(want)
	if !slices.Equal(traces, want) {
		t.Errorf("archives %q\nMANIFEST %q", traces, want)
	}
	if total > limit {
		t.Errorf("%d bytes of archives, want at most %d", total, limit)
	}
}

// TestForbiddenNames: the folder has only small traces that were recorded or made
// for this project.
func TestForbiddenNames(t *testing.T) {
	for _, prefix := range []string{"perfview-", "dotnetdiag-", "pv-", "roslyn-", "sarif-netcore3.1", "onecollect-overflow"} {
		t.Run(prefix, func(t *testing.T) {
			if files, err := filepath.Glob(prefix + "*"); err != nil || len(files) > 0 {
				t.Errorf("must not be here: %q %v", files, err)
			}
		})
	}
}
