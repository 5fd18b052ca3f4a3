package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/nettrace-go/nettrace/internal/archive"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// madeOnce has the generated cases, made once for all tests.
var madeOnce = sync.OnceValues(makeFiles)

func wanted(t *testing.T) *folder {
	t.Helper()
	tier.NeedsCheck(t) // to make all cases takes a minute under the race detector
	files, err := madeOnce()
	if err != nil {
		t.Fatal(err)
	}
	return divide(files)
}

// TestKept checks that the cases in the repository are those that casegen makes, to
// the byte: the texts, and the files of the archive.
func TestKept(t *testing.T) {
	if err := wanted(t).compare(places{"../cases", "../../docs/cases"}); err != nil {
		t.Error(err)
	}
}

// TestDifferences: compare reports a text or a file of the archive that is
// changed, missing or additional, and write corrects it.
func TestDifferences(t *testing.T) {
	want, at := wanted(t), places{t.TempDir(), t.TempDir()}
	if err := want.write(at); err != nil {
		t.Fatal(err)
	}
	const name = "valid/trace/nothing-wrong.v6"
	const group = "valid/trace"
	text := filepath.Join(at.texts, filepath.FromSlash(group+textSuffix))
	for _, c := range []struct {
		name    string
		corrupt func() error
	}{
		{"text changed", func() error { return os.WriteFile(text, []byte("another"), 0o600) }},
		{"text missing", func() error { return os.Remove(text) }},
		{"text too many", func() error { return os.WriteFile(text+".txt", nil, 0o600) }},
		{"trace not packed", func() error { return os.WriteFile(strings.TrimSuffix(text, textSuffix)+".nettrace", nil, 0o600) }},
		{"packed changed", repack(at.archive, func(files map[string][]byte) { files[name+".nettrace"] = []byte("another") })},
		{"packed missing", repack(at.archive, func(files map[string][]byte) { delete(files, name+".nettrace") })},
		{"packed too many", repack(at.archive, func(files map[string][]byte) { files[name+".rule"] = nil })},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := c.corrupt(); err != nil {
				t.Fatal(err)
			}
			if err := want.compare(at); err == nil || !strings.Contains(err.Error(), group) {
				t.Errorf("got error %v, want one with %s", err, group)
			}
			if err := want.write(at); err != nil {
				t.Error(err)
			}
			if err := want.compare(at); err != nil {
				t.Errorf("after write: %v", err)
			}
		})
	}
}

// TestDamagedArchive checks that compare reports an archive that cannot be unpacked, and
// that write replaces it.
func TestDamagedArchive(t *testing.T) {
	want, at := wanted(t), places{t.TempDir(), t.TempDir()}
	if err := want.write(at); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(at.archive, archiveName)
	intact, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, intact[:len(intact)/2], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := want.compare(at); err == nil {
		t.Error("got no error for a truncated archive")
	}
	if err := want.write(at); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, intact) {
		t.Errorf("got %d bytes and error %v, want the first %d bytes again", len(got), err, len(intact))
	}
}

// repack returns a function that changes the files of a folder's archive.
func repack(dir string, change func(map[string][]byte)) func() error {
	path := filepath.Join(dir, archiveName)
	return func() error {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files, err := archive.Unpack(data)
		if err != nil {
			return err
		}
		change(files)
		if data, err = archive.Pack(files); err != nil {
			return err
		}
		return os.WriteFile(path, data, 0o600)
	}
}
