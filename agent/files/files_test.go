package files_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/nettrace-go/nettrace/agent/delivery"
	"github.com/nettrace-go/nettrace/agent/files"
	"github.com/nettrace-go/nettrace/internal/expect"
)

func item(n int, size int) *delivery.Item {
	return &delivery.Item{
		ID: fmt.Sprintf("%08d-x", n), Kind: "wall", Start: time.Unix(int64(10*n), 0), Body: make([]byte, size),
		Labels: map[string]string{"service_name": "a/b", "pid": "7"},
	}
}

// names returns the files of a folder.
func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	expect.NoError(t, err)
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// TestBounds: the oldest files are removed, also those of an earlier program.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		name string
		opt  files.Options
		kept int
	}{
		{"none", files.Options{}, 6},
		{"files", files.Options{MaxFiles: 2}, 2},
		{"bytes", files.Options{MaxBytes: 350}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "profiles")
			send := func(first int) int64 {
				f, err := files.Open(dir, c.opt)
				expect.NoError(t, err)
				for n := first; n < first+3; n++ {
					expect.NoError(t, f.Send(t.Context(), item(n, 100)))
				}
				return f.Removed()
			}
			removed := send(1) + send(4)
			list := names(t, dir)
			expect.Len(t, "files", list, c.kept)
			expect.Equal(t, "removed", removed, int64(6-c.kept))
			expect.Equal(t, "newest", list[len(list)-1], "a_b-7-wall-19700101T000100-00000006.pb.gz")
		})
	}
}

// TestTwice: an item that is sent a second time is the same file.
func TestTwice(t *testing.T) {
	dir := t.TempDir()
	f, err := files.Open(dir, files.Options{MaxFiles: 1})
	expect.NoError(t, err)
	expect.NoError(t, f.Send(t.Context(), item(1, 10)))
	expect.NoError(t, f.Send(t.Context(), item(1, 10)))
	expect.Len(t, "files", names(t, dir), 1)
	expect.Equal(t, "removed", f.Removed(), 0)
}

// TestTooLarge: no repetition can write an item that is larger than the folder.
func TestTooLarge(t *testing.T) {
	f, err := files.Open(t.TempDir(), files.Options{MaxBytes: 50})
	expect.NoError(t, err)
	if err := f.Send(t.Context(), item(1, 100)); !errors.Is(err, delivery.ErrFinal) {
		t.Errorf("error: got %v, want one that wraps ErrFinal", err)
	}
}

// TestLeft: what a killed program left is removed, and files of others are not.
func TestLeft(t *testing.T) {
	dir := t.TempDir()
	others := []string{"a.pb.gz", "a.pb.gz.part", "other"}
	for _, name := range append(others, "a-7-wall-19700101T000100-00000006.pb.gz.part") {
		expect.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("text"), 0o600))
	}
	f, err := files.Open(dir, files.Options{MaxFiles: 1})
	expect.NoError(t, err)
	expect.Slices(t, "files", names(t, dir), others)
	expect.NoError(t, f.Send(t.Context(), item(1, 10)))
	expect.NoError(t, f.Send(t.Context(), item(2, 10)))
	expect.Slices(t, "files after two profiles", names(t, dir), []string{"a.pb.gz", "a.pb.gz.part", "a_b-7-wall-19700101T000020-00000002.pb.gz", "other"})
}

// TestWith: two Folders of the same profiles have one count, and each has its bounds.
func TestWith(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a")
	first, err := files.Open(dir, files.Options{MaxFiles: 3})
	expect.NoError(t, err)
	second := first.With(files.Options{MaxFiles: 2})
	for n := range 4 {
		expect.NoError(t, first.Send(t.Context(), item(n, 10)))
	}
	expect.Len(t, "files with the bound of the first", names(t, dir), 3)
	expect.NoError(t, second.Send(t.Context(), item(4, 10)))
	expect.Len(t, "files with the bound of the second", names(t, dir), 2)
	expect.Equal(t, "removed", first.Removed(), 3)
}

// TestIsAt: a folder has several paths.
func TestIsAt(t *testing.T) {
	parent := t.TempDir()
	dir, link := filepath.Join(parent, "a"), filepath.Join(parent, "link")
	f, err := files.Open(dir, files.Options{})
	expect.NoError(t, err)
	expect.NoError(t, os.Symlink(dir, link))
	for path, want := range map[string]bool{dir: true, link: true, parent: false, filepath.Join(parent, "missing"): false} {
		expect.Equal(t, "is at "+path, f.IsAt(path), want)
	}
}

// TestLongName: the name of a service does not make that of a file too long.
func TestLongName(t *testing.T) {
	dir := t.TempDir()
	f, err := files.Open(dir, files.Options{})
	expect.NoError(t, err)
	for n, service := range []string{strings.Repeat("a", 60_000), strings.Repeat("\u00e4", 300), strings.Repeat("\u65e5", 300)} {
		one := item(n, 10)
		one.Kind, one.Labels["service_name"], one.Labels["pid"] = "process_cpu", service, "4194304"
		expect.NoError(t, f.Send(t.Context(), one))
	}
	list := names(t, dir)
	expect.Len(t, "files", list, 3)
	for _, name := range list {
		expect.Equal(t, "is UTF-8", utf8.ValidString(name), true)
	}
}

// TestRemovedFolder: a folder that was removed is created again.
func TestRemovedFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "profiles")
	f, err := files.Open(dir, files.Options{MaxFiles: 1})
	expect.NoError(t, err)
	expect.NoError(t, f.Send(t.Context(), item(1, 10)))
	expect.NoError(t, os.RemoveAll(dir))
	expect.NoError(t, f.Send(t.Context(), item(2, 10)))
	expect.Len(t, "files", names(t, dir), 1)
}
