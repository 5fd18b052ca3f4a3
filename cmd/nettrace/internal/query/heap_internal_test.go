package query

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestHeap: a statement about larger files may use more memory.
func TestHeap(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, size int64) string {
		path := filepath.Join(dir, name)
		expect.NoError(t, os.WriteFile(path, nil, 0o666))
		expect.NoError(t, os.Truncate(path, size))
		return path
	}
	small, large := file("small", 1<<20), file("large", 1<<30)
	for _, tc := range []struct {
		name  string
		files []string
		want  int64
	}{
		{"no file", nil, 128 << 20},
		{"standard input", []string{"-"}, 128 << 20},
		{"a small file", []string{small}, 128<<20 + 256<<10},
		{"two files", []string{small, large}, 384<<20 + 256<<10},
	} {
		t.Run(tc.name, func(t *testing.T) { expect.Equal(t, "bytes", heapFor(tc.files), tc.want) })
	}
}
