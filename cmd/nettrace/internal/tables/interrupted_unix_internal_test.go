//go:build unix

package tables

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestInterrupted: an interrupted run leaves the tables of an older one and no file of its own.
func TestInterrupted(t *testing.T) {
	ended := make(chan int, 1)
	dir := t.TempDir()
	w := &writer{o: &Options{Dir: dir, Force: true, Interrupts: run.HearInterrupts(io.Discard, func(code int) { ended <- code })}}
	defer w.o.Interrupts.TakeOver()
	path := filepath.Join(dir, "events.parquet")
	expect.NoError(t, os.WriteFile(path, nil, 0o666))
	for _, name := range []string{path, filepath.Join(dir, "gcs.parquet")} {
		f, err := w.create(name)
		expect.NoError(t, err)
		expect.NoError(t, f.Close())
	}
	expect.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
	expect.Equal(t, "exit code", <-ended, 128+int(syscall.SIGTERM))
	files, err := os.ReadDir(dir)
	expect.NoError(t, err)
	expect.Len(t, "files", files, 1)
	expect.Equal(t, "name of the file", files[0].Name(), "events.parquet")
}
