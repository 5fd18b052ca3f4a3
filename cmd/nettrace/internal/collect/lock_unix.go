//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package collect

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// lockPatience is the max time in which another collect must have written its file.
const lockPatience = 30 * time.Second

// lockFolder waits until no other process has locked a folder, and locks it. locked
// is false if the file system has no locks.
func lockFolder(folder string) (locked bool, release func(), err error) {
	f, err := os.Open(folder)
	if err != nil {
		return false, nil, err
	}
	for begun := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return true, func() { f.Close() }, nil
		case errors.Is(err, syscall.EINTR):
		case !errors.Is(err, syscall.EWOULDBLOCK):
			f.Close()
			return false, func() {}, nil
		case time.Since(begun) > lockPatience:
			f.Close()
			return false, nil, fmt.Errorf("another process has locked the folder %s for %v: end it, or use another folder (-o)", folder, lockPatience)
		}
	}
}
