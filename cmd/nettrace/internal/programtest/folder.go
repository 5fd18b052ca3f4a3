package programtest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// CheckFolder checks the files in the folder of an output.
func CheckFolder(t *testing.T, what, dir, out string, exists bool, kept []byte) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	if exists || kept != nil {
		want = 1
	}
	if len(files) != want {
		t.Errorf("%s: %d files are left, want %d", what, len(files), want)
		return
	}
	if want == 0 {
		return
	}
	path := filepath.Join(dir, out)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if kept == nil {
		if string(data) != "old" {
			t.Errorf("%s: the old file was changed", what)
		}
		return
	}
	if exists {
		info, err := os.Stat(path)
		expect.NoError(t, err)
		expect.Equal(t, "permissions", info.Mode().Perm(), 0o640)
	}
	if packed := filepath.Ext(out) != ".nettrace"; packed == bytes.Equal(data, kept) {
		t.Errorf("%s: compressed: %v, but the name is %s", what, !packed, out)
	}
	in, err := input.Open(&run.Program{}, path, input.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var got bytes.Buffer
	if _, err := got.ReadFrom(in); err != nil || !bytes.Equal(got.Bytes(), kept) {
		t.Errorf("%s: other bytes, %v", what, err)
	}
}
