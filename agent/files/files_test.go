package files_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

// TestLongName: a long name of a service is shortened, and stays valid UTF-8.
func TestLongName(t *testing.T) {
	long := item(1, 1)
	long.Labels["service_name"] = "a" + strings.Repeat("é", 200)
	expect.Equal(t, "name", files.Name(long), "a"+strings.Repeat("é", 49)+strings.TrimPrefix(files.Name(item(1, 1)), "a_b"))
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

// TestLeft: what a killed program left is removed.
func TestLeft(t *testing.T) {
	dir := t.TempDir()
	expect.NoError(t, os.WriteFile(filepath.Join(dir, "a.pb.gz.part"), nil, 0o600))
	expect.NoError(t, os.WriteFile(filepath.Join(dir, "other"), nil, 0o600))
	_, err := files.Open(dir, files.Options{})
	expect.NoError(t, err)
	expect.Slices(t, "files", names(t, dir), []string{"other"})
}
