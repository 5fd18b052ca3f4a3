package partfile

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestWrite: a file that cannot get its name does not stay under another one.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "item")
	expect.NoError(t, Write(path, path+".part", []byte("x"), 0o600))
	got, err := os.ReadFile(path)
	expect.NoError(t, err)
	expect.Equal(t, "content", string(got), "x")

	folder := filepath.Join(dir, "folder")
	expect.NoError(t, os.MkdirAll(filepath.Join(folder, "x"), 0o700))
	expect.NotZero(t, "error for the name of a folder", Write(folder, folder+".part", []byte("x"), 0o600))
	files, err := os.ReadDir(dir)
	expect.NoError(t, err)
	expect.Len(t, "files and folders", files, 2)
}
