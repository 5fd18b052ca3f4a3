//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package folderlock

import (
	"errors"
	"os"
	"syscall"
)

// try locks a folder that no other process has locked.
func try(folder string) (release func(), err error) {
	f, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return func() { f.Close() }, nil
		case errors.Is(err, syscall.EINTR):
			continue
		}
		f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, ErrHeld
		}
		return nil, ErrNone
	}
}
