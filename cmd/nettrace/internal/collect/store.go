package collect

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/folderlock"
)

// sidecarExtension follows the name of a trace in the name of its sidecar, and
// unfinishedExtension in that of a trace that is being written.
const (
	sidecarExtension    = ".json"
	unfinishedExtension = ".partial"
)

// store keeps the files that rules write within bounds: before a byte is written,
// it deletes the oldest files until the byte fits. The bounds are about the
// traces of one name in one folder, those of earlier runs too, and their
// sidecars. The folder is locked while a file is written: the next process then
// reads which files the folder has.
type store struct {
	maxFiles int   // 0: no bound
	maxBytes int64 // 0: no bound

	folder    string // "" or with a separator at its end
	prefix    string // of the names of the traces
	extension string // of the names of the traces

	kept  []keptFile // oldest first
	total int64      // bytes of all files, of unfinished ones too
}

// keptFile is a trace with its sidecar.
type keptFile struct {
	name string
	size int64 // of both files
}

// openStore returns the store of the traces with a sidecar whose names are a
// stem, which can have a folder, a time and an extension.
func openStore(o *options, stem, extension string) (*store, error) {
	folder, prefix := filepath.Split(stem)
	s := &store{maxFiles: o.maxFiles, maxBytes: o.maxBytes, folder: folder, prefix: prefix, extension: extension}
	release, err := s.enter()
	if err != nil {
		return nil, err
	}
	defer release()
	return s, s.trim()
}

// enter locks the folder and reads which files it has.
func (s *store) enter() (release func(), err error) {
	folder := cmp.Or(s.folder, ".")
	release, err = folderlock.Lock(folder, lockPatience)
	locked := true
	switch {
	case errors.Is(err, folderlock.ErrHeld):
		return nil, fmt.Errorf("another process has locked the folder %s for %v: end it, or use another folder (-o)", folder, lockPatience)
	case errors.Is(err, folderlock.ErrNone): // unfinished files of other processes stay
		locked, release = false, func() {}
	case err != nil:
		return nil, err
	}
	if err := s.read(locked); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// lockPatience is the max time in which another collect must have written its file.
const lockPatience = 30 * time.Second

// trim deletes the oldest files until the others are within the bounds, which
// unfinished files of other runs can exceed alone.
func (s *store) trim() error {
	for len(s.kept) > 0 && (s.maxFiles > 0 && len(s.kept) > s.maxFiles || s.maxBytes > 0 && s.total > s.maxBytes) {
		if err := s.removeOldest(); err != nil {
			return err
		}
	}
	return nil
}

// roomError: a file does not fit into --max-disk, even alone.
type roomError struct {
	size int64 // of the file, or of its part up to where it does not fit
	max  int64 // --max-disk
}

// Error has both sizes.
func (e *roomError) Error() string {
	return fmt.Sprintf("the file is larger than --max-disk (%s of %s): it was not written, and older files stay (a smaller --ring, or -o FILE.nettrace.zst)",
		display.Bytes(e.size), display.Bytes(e.max))
}

// storeError returns the error of a file for users.
func storeError(err error) error {
	var large *roomError
	if errors.As(err, &large) {
		return large // not that the rest is left out: there is no file
	}
	return err
}

// fits returns an error if a file of a size does not fit, even alone.
func (s *store) fits(size int64) error {
	if s.maxBytes > 0 && size > s.maxBytes {
		return &roomError{size, s.maxBytes}
	}
	return nil
}

// reserve makes room for n more bytes of a file that has size bytes. It deletes
// nothing for a file that is already too large.
func (s *store) reserve(size, n int64) error {
	if err := s.fits(size + n); err != nil {
		return err
	}
	for s.maxBytes > 0 && s.total+n > s.maxBytes {
		if len(s.kept) == 0 {
			return fmt.Errorf("unfinished files of other runs (%s*%s%s) leave no room in --max-disk", s.prefix, s.extension, unfinishedExtension)
		}
		if err := s.removeOldest(); err != nil {
			return err
		}
	}
	s.total += n
	return nil
}

// removeOldest deletes the oldest trace and its sidecar.
func (s *store) removeOldest() error {
	oldest := s.kept[0]
	for _, name := range []string{oldest.name, oldest.name + sidecarExtension} {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot delete the oldest file: %w", err)
		}
	}
	s.kept, s.total = s.kept[1:], s.total-oldest.size
	return nil
}
