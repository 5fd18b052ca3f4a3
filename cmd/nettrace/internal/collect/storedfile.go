package collect

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/output"
)

// storedFile is a trace of a store that is being written.
type storedFile struct {
	store   *store
	name    string
	below   *os.File
	size    int64
	release func() // of the folder
}

// create begins a trace with a name, or with a number after it if another file has
// the name. Its file has another name until it is complete. commit or discard must
// follow.
func (s *store) create(wanted string) (*storedFile, error) {
	release, err := s.enter()
	if err != nil {
		return nil, err
	}
	f := &storedFile{store: s, release: release}
	if f.name, err = freeName(wanted); err == nil {
		f.below, err = os.OpenFile(f.name+unfinishedExtension, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	}
	if err != nil {
		release()
		return nil, err
	}
	return f, nil
}

// Write makes room for the bytes and writes them.
func (f *storedFile) Write(b []byte) (int, error) {
	if err := f.store.reserve(f.size, int64(len(b))); err != nil {
		return 0, err
	}
	f.size += int64(len(b))
	return f.below.Write(b)
}

// commit gives the trace its name, after its sidecar was written. After an error
// the trace must be discarded.
func (f *storedFile) commit(content sidecar) error {
	s := f.store
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
	f.release()
	return nil
}

// discard deletes a trace that was not committed.
func (f *storedFile) discard() {
	f.below.Close()
	os.Remove(f.name + unfinishedExtension)
	os.Remove(f.name + sidecarExtension)
	f.store.total -= f.size
	f.release()
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
