package program_test

import (
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
)

// TestMemoryLimitOfRun checks that a command that lowers the memory limit of the
// process restores it: with the limit of a merge, the garbage collector takes
// most of the processor time of every later run in the same process.
func TestMemoryLimitOfRun(t *testing.T) {
	want := debug.SetMemoryLimit(-1)
	a, b := testfile.Archive(t, "net10-counters.v4"), testfile.Archive(t, "net10-types.v4")
	if r := programtest.Run(t, nil, "merge", a, b, "-o", filepath.Join(t.TempDir(), "both.nettrace")); r.Code != exit.Done {
		t.Fatalf("exit %d, %s", r.Code, r.Stderr)
	}
	if got := debug.SetMemoryLimit(-1); got != want {
		t.Errorf("the memory limit is %d bytes after merge, want %d as before", got, want)
	}
}
