package corpora

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"slices"
	"strings"
	"testing"
)

func TestPlainBytes(t *testing.T) {
	for _, e := range Entries() {
		t.Run(e.Name, func(t *testing.T) {
			plain, err := Open(e.Name)
			if err != nil {
				t.Fatal(err)
			}
			if len(plain) != e.Size {
				t.Errorf("%d plain bytes, MANIFEST says %d", len(plain), e.Size)
			}
			sum := sha256.Sum256(plain)
			if got := hex.EncodeToString(sum[:]); got != e.SHA256 {
				t.Errorf("SHA-256 %s, MANIFEST says %s", got, e.SHA256)
			}
		})
	}
}

func TestManifest(t *testing.T) {
	names := Names()
	if !slices.IsSorted(names) {
		t.Error("rows are not in alphabetical order")
	}
	if len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Error("a name stands there twice")
	}
	for _, e := range Entries() {
		if e.Events == 0 || e.Origin == "" || e.Licence != "MIT" {
			t.Errorf("%s: events %d, origin %q, licence %q", e.Name, e.Events, e.Origin, e.Licence)
		}
		if !strings.HasSuffix(e.Name, "."+e.Format) || !slices.Contains([]string{"v3", "v4", "v6"}, e.Format) {
			t.Errorf("%s: format %q", e.Name, e.Format)
		}
	}
}

// Every archive has a row, every row an archive, and together they stay small
// enough to live in a source repository.
func TestFolder(t *testing.T) {
	const limit = 10_000_000
	var want, got []string
	for _, e := range Entries() {
		want = append(want, e.File())
	}
	total := int64(0)
	for _, file := range archives(t) {
		got = append(got, file.Name())
		total += file.Size()
	}
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("archives %q\nMANIFEST %q", got, want)
	}
	if total >= limit {
		t.Errorf("%d bytes of archives, at most %d are wanted", total, limit)
	}
}

// Only what was recorded for this project may be kept, and of that only what
// is small.
func TestForbiddenNames(t *testing.T) {
	forbidden := []string{"perfview-", "dotnetdiag-", "pv-", "roslyn-", "sarif-netcore3.1", "onecollect-overflow"}
	for _, file := range archives(t) {
		for _, prefix := range forbidden {
			if strings.HasPrefix(file.Name(), prefix) {
				t.Errorf("%s must not be kept here", file.Name())
			}
		}
	}
}

func TestOpenUnknown(t *testing.T) {
	if _, err := Open("no-such-trace"); err == nil {
		t.Error("no error for a name that is not there")
	}
}

func archives(t *testing.T) []fs.FileInfo {
	entries, err := files.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var infos []fs.FileInfo
	for _, entry := range entries {
		if entry.Name() == "MANIFEST" {
			continue
		}
		info, err := entry.Info()
		if err != nil {
			t.Fatal(err)
		}
		infos = append(infos, info)
	}
	return infos
}

func TestAll(t *testing.T) {
	var names []string
	for name, open := range All() {
		names = append(names, name)
		if len(names) == 3 {
			if plain, err := open(); err != nil || len(plain) != Entries()[2].Size {
				t.Errorf("%s: %d bytes, %v", name, len(plain), err)
			}
		}
	}
	if !slices.Equal(names, Names()) {
		t.Errorf("got %q", names)
	}
}

func TestRecorded(t *testing.T) {
	recorded := Recorded()
	for _, e := range Entries() {
		if made := strings.HasPrefix(e.Origin, "made: "); made == slices.Contains(recorded, e.Name) {
			t.Errorf("%s: origin %q, recorded %v", e.Name, e.Origin, !made)
		}
	}
}
