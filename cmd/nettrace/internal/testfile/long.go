package testfile

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/longtrace"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// Long writes a trace of at least size bytes with samples and stacks, and returns its name.
func Long(t *testing.T, size int64) string {
	t.Helper()
	long, err := longtrace.New(shared.Trace(t, "azmcp-net10-cpu.v4"), size)
	expect.NoError(t, err)
	f, err := os.Create(filepath.Join(t.TempDir(), "long.nettrace"))
	expect.NoError(t, err)
	_, err = io.Copy(f, io.NewSectionReader(long, 0, long.Size()))
	expect.NoError(t, err)
	expect.NoError(t, f.Close())
	return f.Name()
}
