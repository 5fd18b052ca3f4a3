package collect

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// storedPart matches what the names of traces have between stem and extension:
// _yyyyMMdd_HHmmss, and a number if several files have the same time.
var storedPart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^_\d{8}_\d{6}(_\d+)?$`) })

// owns reports whether a name can be that of a trace of the store.
func (s *store) owns(name string) bool {
	part, hasPrefix := strings.CutPrefix(name, s.prefix)
	part, hasExtension := strings.CutSuffix(part, s.extension)
	return hasPrefix && hasExtension && storedPart().MatchString(part)
}

// read reads which files the folder has. locked reports that no other process is
// writing one: it deletes what a process that was killed has left.
func (s *store) read(locked bool) error {
	entries, err := os.ReadDir(cmp.Or(s.folder, "."))
	if err != nil {
		return err
	}
	s.kept, s.total = nil, 0
	var found []fs.FileInfo
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		name := info.Name()
		unfinished, isUnfinished := strings.CutSuffix(name, unfinishedExtension)
		described, isSidecar := strings.CutSuffix(name, sidecarExtension)
		switch {
		case s.owns(name) && s.hasSidecar(name):
			found = append(found, info)
		case isUnfinished && s.owns(unfinished):
			s.leftover(info, locked)
		case isSidecar && s.owns(described) && s.isAlone(described) && s.hasSidecar(described):
			s.leftover(info, locked)
		}
	}
	slices.SortStableFunc(found, func(a, b fs.FileInfo) int { return a.ModTime().Compare(b.ModTime()) })
	for _, info := range found {
		name := s.folder + info.Name()
		size := info.Size()
		if sidecar, err := os.Stat(name + sidecarExtension); err == nil {
			size += sidecar.Size()
		}
		s.kept, s.total = append(s.kept, keptFile{name, size}), s.total+size
	}
	return nil
}

// hasSidecar reports whether a trace has a sidecar that names it: another file is
// not deleted.
func (s *store) hasSidecar(name string) bool {
	data, err := os.ReadFile(s.folder + name + sidecarExtension)
	var content sidecar
	return err == nil && json.Unmarshal(data, &content) == nil && content.Trace == name
}

// isAlone reports whether there is no trace of a name.
func (s *store) isAlone(name string) bool {
	_, err := os.Lstat(s.folder + name)
	return errors.Is(err, fs.ErrNotExist)
}

// leftover deletes a file of a process that was killed. It counts the file if another
// process may be writing it.
func (s *store) leftover(info fs.FileInfo, locked bool) {
	if locked && os.Remove(s.folder+info.Name()) == nil {
		return
	}
	s.total += info.Size()
}
