//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package folderlock_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/folderlock"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestLock: a folder is locked once, and again after its release, for which the second one
// waits.
func TestLock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		release, err := folderlock.Lock(dir, 0)
		expect.NoError(t, err)
		begun := time.Now()
		_, err = folderlock.Lock(dir, time.Second)
		expect.ErrorIs(t, err, folderlock.ErrHeld)
		expect.AtLeast(t, "time of waiting", time.Since(begun), time.Second)
		go func() {
			time.Sleep(time.Minute)
			release()
		}()
		releaseSecond, err := folderlock.Lock(dir, time.Hour)
		expect.NoError(t, err)
		expect.AtLeast(t, "time of both", time.Since(begun), time.Minute)
		releaseSecond()
	})
}

// TestMissing: a folder that does not exist.
func TestMissing(t *testing.T) {
	_, err := folderlock.Lock(filepath.Join(t.TempDir(), "missing"), time.Hour)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error: got %v, want %v", err, fs.ErrNotExist)
	}
}
