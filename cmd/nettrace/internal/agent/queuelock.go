package agent

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/folderlock"
)

// queueLock keeps the folder of the queues for this agent: two agents with the same one
// would replace and delete each other's profiles.
type queueLock struct {
	path    string // "" for queues in memory
	release func()
}

// queuePatience is the max time in which another agent must have left the folder: the one
// before a restart still sends.
const queuePatience = 3 * drainTime

// lockQueue returns the lock in use if it is that of the path, or locks the folder.
func (d *daemon) lockQueue(path string) (*queueLock, error) {
	if path != "" {
		path = filepath.Clean(path)
	}
	if d.lock.path == path {
		return d.lock, nil
	}
	lock := &queueLock{path, func() {}}
	if path == "" {
		return lock, nil
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	release, err := folderlock.Lock(path, 0)
	if errors.Is(err, folderlock.ErrHeld) {
		d.say("waiting for another agent that uses the folder %s", path)
		release, err = folderlock.Lock(path, d.patience)
	}
	switch {
	case errors.Is(err, folderlock.ErrHeld):
		return nil, fmt.Errorf("queue.path: another agent uses the folder %s: end it, or use another folder", path)
	case errors.Is(err, folderlock.ErrNone):
		return lock, nil
	case err != nil:
		return nil, err
	}
	lock.release = release
	return lock, nil
}
