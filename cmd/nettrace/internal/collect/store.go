package collect

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/output"
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
// sidecars.
type store struct {
	maxFiles int   // 0: no bound
	maxBytes int64 // 0: no bound

	mu    sync.Mutex
	kept  []keptFile // oldest first
	total int64      // bytes of all files, of unfinished ones too
}

// keptFile is a trace with its sidecar.
type keptFile struct {
	name string
	size int64 // of both files
}

// storedPart matches what the names of traces have between stem and extension:
// _yyyyMMdd_HHmmss, and a number if several files have the same time.
var storedPart = regexp.MustCompile(`^_\d{8}_\d{6}(_\d+)?$`)

// openStore returns the store of the traces with a sidecar whose names are a
// stem, which can have a folder, a time and an extension. It leaves unfinished
// traces alone: another collect can be writing them.
func openStore(o *options, stem, extension string) (*store, error) {
	s := &store{maxFiles: o.maxFiles, maxBytes: o.maxBytes}
	folder, prefix := filepath.Split(stem)
	entries, err := os.ReadDir(cmp.Or(folder, "."))
	if err != nil {
		return nil, err
	}
	var found []fs.FileInfo
	for _, entry := range entries {
		name := entry.Name()
		part, hasStem := strings.CutPrefix(name, prefix)
		part, hasExtension := strings.CutSuffix(part, extension)
		if !entry.Type().IsRegular() || !hasStem || !hasExtension || !storedPart.MatchString(part) {
			continue
		}
		if info, err := entry.Info(); err == nil && hasSidecar(folder, name) {
			found = append(found, info)
		}
	}
	slices.SortStableFunc(found, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range found {
		name := folder + info.Name()
		size := info.Size()
		if sidecar, err := os.Stat(name + sidecarExtension); err == nil {
			size += sidecar.Size()
		}
		s.kept, s.total = append(s.kept, keptFile{name, size}), s.total+size
	}
	return s, s.trim()
}

// hasSidecar reports whether a trace has a sidecar that names it: another file is
// not deleted.
func hasSidecar(folder, name string) bool {
	data, err := os.ReadFile(folder + name + sidecarExtension)
	var content sidecar
	return err == nil && json.Unmarshal(data, &content) == nil && content.Trace == name
}

// trim deletes the oldest files until the others are within the bounds.
func (s *store) trim() error {
	for s.maxFiles > 0 && len(s.kept) > s.maxFiles || s.maxBytes > 0 && s.total > s.maxBytes {
		if err := s.removeOldest(); err != nil {
			return err
		}
	}
	return nil
}

// errNoRoom: a file does not fit into --max-disk, even alone.
var errNoRoom = errors.New("the file is larger than --max-disk: it was not written (a smaller --ring, or -o FILE.nettrace.zst)")

// storeError returns the error of a file for users.
func storeError(err error) error {
	if errors.Is(err, errNoRoom) {
		return errNoRoom // not that the rest is left out: there is no file
	}
	return err
}

// reserve makes room for n more bytes of a file that has size bytes. It deletes
// nothing for a file that is already too large.
func (s *store) reserve(size, n int64) error {
	if s.maxBytes > 0 && size+n > s.maxBytes {
		return errNoRoom
	}
	for s.maxBytes > 0 && s.total+n > s.maxBytes {
		if len(s.kept) == 0 {
			return errNoRoom
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

// storedFile is a trace of a store that is being written.
type storedFile struct {
	store *store
	name  string
	below *os.File
	size  int64
}

// create begins a trace. Its file has another name until it is complete.
func (s *store) create(name string) (*storedFile, error) {
	f, err := os.OpenFile(name+unfinishedExtension, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	return &storedFile{store: s, name: name, below: f}, nil
}

// Write makes room for the bytes and writes them.
func (f *storedFile) Write(b []byte) (int, error) {
	f.store.mu.Lock()
	defer f.store.mu.Unlock()
	if err := f.store.reserve(f.size, int64(len(b))); err != nil {
		return 0, err
	}
	f.size += int64(len(b))
	return f.below.Write(b)
}

// commit gives the trace its name, after its sidecar was written.
func (f *storedFile) commit(content sidecar) error {
	s := f.store
	s.mu.Lock()
	defer s.mu.Unlock()
	data, err := content.json()
	if err != nil {
		return err
	}
	if err := s.reserve(f.size, int64(len(data))); err != nil {
		return err
	}
	f.size += int64(len(data))
	for s.maxFiles > 0 && len(s.kept) >= s.maxFiles {
		if err := s.removeOldest(); err != nil {
			return err
		}
	}
	if err := f.below.Close(); err != nil {
		return err
	}
	if err := os.WriteFile(f.name+sidecarExtension, data, 0o666); err != nil {
		return err
	}
	if err := os.Rename(f.name+unfinishedExtension, f.name); err != nil {
		return err
	}
	s.kept = append(s.kept, keptFile{f.name, f.size})
	return nil
}

// discard deletes a trace that was not committed.
func (f *storedFile) discard() {
	f.store.mu.Lock()
	defer f.store.mu.Unlock()
	f.below.Close()
	os.Remove(f.name + unfinishedExtension)
	os.Remove(f.name + sidecarExtension)
	f.store.total -= f.size
}

// freeName returns the first of the names STEM.EXT, STEM_2.EXT, ... that no file
// has.
func freeName(name string) (string, error) {
	stem, extension, _ := splitName(name)
	for n := 2; ; n++ {
		_, err := os.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			_, err = os.Lstat(name + unfinishedExtension)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return name, nil
		case err != nil:
			return "", err
		case n > 1000:
			return "", output.ExistsError(name)
		}
		name = fmt.Sprintf("%s_%d%s", stem, n, extension)
	}
}
