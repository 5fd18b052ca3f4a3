// Package files writes profiles to a folder, and bounds its size: it removes the
// oldest profiles first.
package files

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/nettrace-go/nettrace/agent/config"
	"github.com/nettrace-go/nettrace/agent/delivery"
	"github.com/nettrace-go/nettrace/agent/internal/partfile"
)

// Options bound a folder.
type Options struct {
	// MaxBytes bounds the size of all profiles. 0 means no bound.
	MaxBytes int64
	// MaxFiles bounds their number. 0 means no bound.
	MaxFiles int
}

// Folder is a target that writes each item to a file. Use Open to create one. Several
// goroutines may call its methods.
type Folder struct {
	opt Options
	*content
}

// content are the profiles in a folder.
type content struct {
	dir string

	mu      sync.Mutex
	written []file // the oldest first
	bytes   int64
	removed int64
}

type file struct {
	name string
	size int64
}

const suffix, partSuffix = ".pb.gz", ".pb.gz.part"

// own matches the names that Name makes, and those of files that are not complete.
// Files with other names are not the agent's.
var own = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`-(` + strings.Join(config.ProfileKinds(), "|") + `)-\d{8}T\d{6}-[0-9a-f]{8}\.pb\.gz(\.part)?$`)
})

// Open creates the folder if it does not exist, and counts the profiles in it. Files
// whose names are not in the form of Name are neither counted nor removed.
func Open(dir string, opt Options) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	f := &Folder{opt, &content{dir: dir}}
	times := map[string]int64{}
	for _, e := range entries {
		if !own().MatchString(e.Name()) {
			continue
		}
		if strings.HasSuffix(e.Name(), partSuffix) {
			_ = os.Remove(filepath.Join(dir, e.Name())) // of a program that was killed
		}
		info, err := e.Info()
		if err != nil || !strings.HasSuffix(e.Name(), suffix) {
			continue
		}
		times[e.Name()] = info.ModTime().UnixNano()
		f.written = append(f.written, file{e.Name(), info.Size()})
		f.bytes += info.Size()
	}
	slices.SortStableFunc(f.written, func(a, b file) int { return cmp.Compare(times[a.name], times[b.name]) })
	return f, nil
}

// With returns a Folder with other bounds for the same profiles. Both count and remove
// what the other one writes: two Folders of Open would not.
func (f *Folder) With(opt Options) *Folder { return &Folder{opt, f.content} }

// IsAt reports whether dir is the folder, also by another path.
func (f *Folder) IsAt(dir string) bool {
	ours, err := os.Stat(f.dir)
	theirs, err2 := os.Stat(dir)
	return err == nil && err2 == nil && os.SameFile(ours, theirs)
}

// Name returns the name of the file of an item: the service, the PID, the kind and
// the beginning of the window in UTC, with the start of the ID.
func Name(item *delivery.Item) string {
	id, _, _ := strings.Cut(item.ID, "-")
	return fmt.Sprintf("%s-%s-%s-%s-%s%s", clean(item.Labels["service_name"]), item.Labels["pid"], item.Kind,
		item.Start.UTC().Format("20060102T150405"), id, suffix)
}

// clean replaces what does not belong into the name of a file, and shortens a text that
// would make the name longer than file systems allow: a process chooses its own name.
func clean(text string) string {
	const longest = 150
	text = strings.Map(func(r rune) rune {
		if r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) {
			return '_'
		}
		return r
	}, text)
	return strings.ToValidUTF8(text[:min(longest, len(text))], "")
}

// Send writes an item, after it has removed the oldest files. The file appears
// when it is complete. An item that is larger than the bound is an error that
// wraps delivery.ErrFinal.
func (f *Folder) Send(_ context.Context, item *delivery.Item) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	name, size := Name(item), int64(len(item.Body))
	if f.opt.MaxBytes > 0 && size > f.opt.MaxBytes {
		return fmt.Errorf("%w: %s: %d bytes are more than the folder may have, %d", delivery.ErrFinal, name, size, f.opt.MaxBytes)
	}
	if i := slices.IndexFunc(f.written, func(w file) bool { return w.name == name }); i >= 0 { // sent a second time
		return nil
	}
	if err := f.makeRoom(size); err != nil {
		return err
	}
	path := filepath.Join(f.dir, name)
	if err := os.MkdirAll(f.dir, 0o755); err != nil { // it may have been removed
		return err
	}
	if err := partfile.Write(path, strings.TrimSuffix(path, suffix)+partSuffix, item.Body, 0o644); err != nil {
		return err
	}
	f.written = append(f.written, file{name, size})
	f.bytes += size
	return nil
}

// makeRoom removes the oldest files until size fits.
func (f *Folder) makeRoom(size int64) error {
	for len(f.written) > 0 && f.isFull(size) {
		oldest := f.written[0]
		if err := os.Remove(filepath.Join(f.dir, oldest.name)); err != nil && !os.IsNotExist(err) {
			return err
		}
		f.written = f.written[1:]
		f.bytes -= oldest.size
		f.removed++
	}
	return nil
}

func (f *Folder) isFull(size int64) bool {
	return f.opt.MaxBytes > 0 && f.bytes+size > f.opt.MaxBytes || f.opt.MaxFiles > 0 && len(f.written) >= f.opt.MaxFiles
}

// Removed returns the number of files that were removed because of the bounds.
func (f *Folder) Removed() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.removed
}
