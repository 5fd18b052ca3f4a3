//go:build unix

package collect

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestLockDump: two dumps of a process at a time are refused, and the lock of a program
// that was killed does not count.
func TestLockDump(t *testing.T) {
	dir := t.TempDir()
	process := &attach.Process{Title: "process 7 (app)", Info: &eventpipe.ProcessInfo{Cookie: [16]byte{1, 2}}}
	release, err := lockDump(dir, process)
	expect.NoError(t, err)
	expect.Stop(t)
	_, err = lockDump(dir, process)
	expect.Contains(t, "error of the second", err.Error(), "process 7 (app): another nettrace makes a heap dump of it")
	other := &attach.Process{Info: &eventpipe.ProcessInfo{Cookie: [16]byte{3}}}
	releaseOther, err := lockDump(dir, other)
	expect.NoError(t, err)
	releaseOther()
	release()
	release, err = lockDump(dir, process)
	expect.NoError(t, err)
	release()

	name := filepath.Join(dir, "nettrace-gcdump-01020000000000000000000000000000.lock")
	expect.NoError(t, os.Mkdir(name, 0o755)) // as a nettrace that was killed leaves it
	release, err = lockDump(dir, process)
	expect.NoError(t, err)
	expect.Stop(t)
	release()
	expect.NoError(t, os.WriteFile(name, []byte(strconv.Itoa(os.Getpid())), 0o644)) // an earlier release left it; the PID is used again
	release, err = lockDump(dir, process)
	expect.NoError(t, err)
	expect.Stop(t)
	release()
	left, err := os.ReadDir(dir)
	expect.NoError(t, err)
	expect.Len(t, "files left", left, 0)
}

// TestLockDumpFails: a lock that cannot be made is an error that names its path.
func TestLockDumpFails(t *testing.T) {
	_, err := lockDump(filepath.Join(t.TempDir(), "missing"), &attach.Process{Info: &eventpipe.ProcessInfo{}})
	expect.ErrorIs(t, err, os.ErrNotExist)
}
