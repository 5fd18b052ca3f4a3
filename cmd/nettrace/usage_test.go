package main

import (
	"path/filepath"
	"runtime/debug"
	"testing"
)

// TestMemoryLimitOfRun checks that a command that lowers the memory limit of the
// process restores it: with the limit of a merge, the garbage collector takes
// most of the processor time of every later run in the same process.
func TestMemoryLimitOfRun(t *testing.T) {
	want := debug.SetMemoryLimit(-1)
	a, b := archive(t, "net10-counters.v4"), archive(t, "net10-types.v4")
	if r := nettrace(t, nil, "merge", a, b, "-o", filepath.Join(t.TempDir(), "both.nettrace")); r.code != exitDone {
		t.Fatalf("exit %d, %s", r.code, r.stderr)
	}
	if got := debug.SetMemoryLimit(-1); got != want {
		t.Errorf("the memory limit is %d bytes after merge, want %d as before", got, want)
	}
}
