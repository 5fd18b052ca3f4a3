// Package folderlock keeps a folder for one process at a time. The system ends a lock with
// its process, even one that is killed.
package folderlock

import (
	"errors"
	"time"
)

// ErrHeld: another process has locked the folder all the time.
var ErrHeld = errors.New("another process has locked the folder")

// ErrNone: the file system or the operating system has no locks of folders.
var ErrNone = errors.New("folders cannot be locked here")

// retryTime is the time between two attempts.
const retryTime = 5 * time.Millisecond

// Lock locks a folder. It waits for patience until another process leaves it; release ends
// the lock. The error is ErrHeld, ErrNone, or that of opening the folder.
func Lock(folder string, patience time.Duration) (release func(), err error) {
	for begun := time.Now(); ; time.Sleep(retryTime) {
		release, err = try(folder)
		if !errors.Is(err, ErrHeld) || time.Since(begun) >= patience {
			return release, err
		}
	}
}
