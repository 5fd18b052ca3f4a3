package collect

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// newStore opens the store of the files t_*.nettrace in a new folder.
func newStore(t *testing.T, maxFiles int, maxBytes int64) (*store, string) {
	t.Helper()
	stem := filepath.Join(t.TempDir(), "t")
	return reopened(t, stem, maxFiles, maxBytes), stem
}

// reopened opens the store of a stem.
func reopened(t *testing.T, stem string, maxFiles int, maxBytes int64) *store {
	t.Helper()
	s, err := openStore(&options{writing: writing{maxFiles: maxFiles, maxBytes: maxBytes}}, stem, ".nettrace")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// put writes a file of a size in pieces.
func put(s *store, name string, size int) error { return putWatched(s, name, size, func() {}) }

// putWatched writes a file of a size in pieces, and calls a function after each.
func putWatched(s *store, name string, size int, after func()) error {
	f, err := s.create(name)
	if err != nil {
		return err
	}
	for size > 0 && err == nil {
		n := min(size, 1000)
		_, err = f.Write(make([]byte, n))
		size -= n
		after()
	}
	if err == nil {
		err = f.commit(sidecar{Trace: filepath.Base(f.name), Reason: reasonRule})
	}
	if err != nil {
		f.discard()
	}
	return err
}

// stamp is the time in the names of traces, but for the seconds.
const stamp = "_20261123_1200"

// traces returns the seconds in the names of the traces in the folder of a stem.
func traces(t *testing.T, stem string) (names []string) {
	t.Helper()
	found, err := filepath.Glob(stem + stamp + "*.nettrace")
	expect.NoError(t, err)
	for _, name := range found {
		names = append(names, strings.TrimSuffix(strings.TrimPrefix(name, stem+stamp), ".nettrace"))
	}
	return names
}

// TestStoreBytes checks after each write that the files are within the bound.
func TestStoreBytes(t *testing.T) {
	const bound = 10_000
	s, stem := newStore(t, 0, bound)
	var most int64
	for i := range 50 {
		expect.NoError(t, putWatched(s, fmt.Sprintf("%s%s%02d.nettrace", stem, stamp, i), 3000, func() {
			most = max(most, proctest.UsedBytes(filepath.Dir(stem)))
		}))
	}
	expect.AtMost(t, "highest number of bytes", most, bound)
	expect.AtLeast(t, "highest number of bytes", most, bound-1000)
	expect.Slices(t, "files", traces(t, stem), []string{"47", "48", "49"})
	expect.Equal(t, "counted bytes", s.total, proctest.UsedBytes(filepath.Dir(stem)))
}

// TestStoreFiles checks that the oldest files are deleted, with their sidecars.
func TestStoreFiles(t *testing.T) {
	s, stem := newStore(t, 2, 0)
	for _, name := range []string{"01", "02", "03"} {
		expect.NoError(t, put(s, stem+stamp+name+".nettrace", 10))
	}
	expect.Slices(t, "files", traces(t, stem), []string{"02", "03"})
	sidecars, _ := filepath.Glob(stem + "_*.json")
	expect.Len(t, "sidecars", sidecars, 2)
}

// TestStoreReopened counts the files of earlier runs, and leaves others alone.
func TestStoreReopened(t *testing.T) {
	s, stem := newStore(t, 0, 0)
	for _, name := range []string{"01", "02", "03"} {
		expect.NoError(t, put(s, stem+stamp+name+".nettrace", 1000))
	}
	other := stem + stamp + "00.nettrace"
	expect.NoError(t, os.WriteFile(other, bytes.Repeat([]byte{1}, 5000), 0o666))
	s = reopened(t, stem, 2, 0)
	expect.Slices(t, "files", traces(t, stem), []string{"00", "02", "03"})
	expect.NoError(t, put(s, stem+stamp+"04.nettrace", 10))
	expect.Slices(t, "files", traces(t, stem), []string{"00", "03", "04"})
}

// TestStoreOthers leaves the files of other programs alone.
func TestStoreOthers(t *testing.T) {
	s, stem := newStore(t, 0, 0)
	names := []string{stem + "_api" + stamp + "00.nettrace", stem + "_2" + stamp + "00.nettrace", stem + "_x.nettrace", stem + stamp + "00_x.nettrace"}
	for _, name := range append(names, stem+stamp+"01_2.nettrace", stem+stamp+"02.nettrace") {
		expect.NoError(t, put(s, name, 10))
	}
	others := []string{stem + "_api" + stamp + "00.nettrace.partial", stem + stamp + "00.nettrace.json"}
	for _, name := range others {
		expect.NoError(t, os.WriteFile(name, make([]byte, 10), 0o666))
	}
	s = reopened(t, stem, 1, 0)
	expect.Len(t, "kept files", s.kept, 1)
	for _, name := range append(names, others...) {
		_, err := os.Stat(name)
		expect.NoError(t, err)
	}
}

// leave writes the files that a process has left which was killed while it wrote the
// trace of a name, and one that was killed while it deleted another one.
func leave(t *testing.T, stem string) {
	t.Helper()
	content := sidecar{Trace: filepath.Base(stem) + stamp + "01.nettrace"}
	data, err := content.json()
	expect.NoError(t, err)
	expect.NoError(t, os.WriteFile(stem+stamp+"00.nettrace.partial", make([]byte, 4000), 0o666))
	expect.NoError(t, os.WriteFile(stem+stamp+"01.nettrace.json", data, 0o666))
}

// TestStoreKilled deletes what killed processes have left, also while it is open.
func TestStoreKilled(t *testing.T) {
	_, stem := newStore(t, 0, 0)
	leave(t, stem)
	s := reopened(t, stem, 0, 5000)
	expect.Equal(t, "bytes at the start", proctest.UsedBytes(filepath.Dir(stem)), 0)
	leave(t, stem)
	expect.NoError(t, put(s, stem+stamp+"02.nettrace", 4000))
	expect.Slices(t, "files", traces(t, stem), []string{"02"})
	expect.Equal(t, "counted bytes", s.total, proctest.UsedBytes(filepath.Dir(stem)))
}

// TestStoreUnlocked counts unfinished files where the folder cannot be locked: another
// process may be writing them.
func TestStoreUnlocked(t *testing.T) {
	s, stem := newStore(t, 0, 5000)
	leave(t, stem)
	expect.NoError(t, s.read(false))
	expect.Equal(t, "counted bytes", s.total, proctest.UsedBytes(filepath.Dir(stem)))
	expect.Contains(t, "error", fmt.Sprint(s.reserve(0, 2000)), "unfinished files of other runs")
	s.maxBytes = 3000 // less than the unfinished file
	expect.NoError(t, s.trim())
}

// TestStoreTwo: two processes that write files of one name are within the bound together.
func TestStoreTwo(t *testing.T) {
	const bound = 10_000
	_, stem := newStore(t, 0, bound)
	highest := proctest.WatchBytes(filepath.Dir(stem))
	var both sync.WaitGroup
	for range 2 {
		s := reopened(t, stem, 0, bound)
		both.Go(func() {
			for i := range 50 {
				expect.NoError(t, put(s, fmt.Sprintf("%s%s%02d.nettrace", stem, stamp, i), 3000))
			}
		})
	}
	both.Wait()
	expect.AtMost(t, "highest number of bytes", highest(), bound)
	expect.Len(t, "files", traces(t, stem), 3)
}

// TestStoreTooLarge leaves no part of a file that does not fit.
func TestStoreTooLarge(t *testing.T) {
	s, stem := newStore(t, 0, 5000)
	expect.Contains(t, "error", fmt.Sprint(put(s, stem+stamp+"01.nettrace", 6000)), "larger than --max-disk (")
	expect.Equal(t, "bytes", proctest.UsedBytes(filepath.Dir(stem)), 0)
	expect.Equal(t, "counted bytes", s.total, 0)
	expect.NoError(t, put(s, stem+stamp+"02.nettrace", 4000))
}

// TestStoreNoRoom deletes no trace for bytes that do not fit in any case.
func TestStoreNoRoom(t *testing.T) {
	s, stem := newStore(t, 0, 5000)
	expect.NoError(t, put(s, stem+stamp+"01.nettrace", 4000))
	f, err := s.create(stem + stamp + "02.nettrace")
	expect.NoError(t, err)
	_, err = f.Write(make([]byte, 6000))
	expect.Contains(t, "error", fmt.Sprint(err), "larger than --max-disk")
	f.discard()
	expect.Slices(t, "files", traces(t, stem), []string{"01"})
}

// TestFreeName numbers the files of one second.
func TestFreeName(t *testing.T) {
	_, stem := newStore(t, 0, 0)
	for _, name := range []string{"t.nettrace.zst", "t_2.nettrace.zst.partial"} {
		expect.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(stem), name), nil, 0o666))
	}
	name, err := freeName(stem + ".nettrace.zst")
	expect.NoError(t, err)
	expect.Equal(t, "name", name, stem+"_3.nettrace.zst")
	_, err = freeName(filepath.Join(stem, "\x00"))
	expect.Equal(t, "an error", err != nil && !errors.Is(err, os.ErrNotExist), true)
}
