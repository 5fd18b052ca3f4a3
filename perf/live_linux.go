package perf

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nettrace-go/nettrace/internal/timens"
)

// Process returns what is known of a process at the start of its recording: its mappings and the
// names of its threads.
func Process(pid int) (*Recording, error) {
	rec := &Recording{PID: pid, Processors: len(onlineProcessors()), Threads: map[uint32]string{}}
	f, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if rec.Maps, err = ReadMaps(f); err != nil {
		return nil, err
	}
	threads, err := threadsOf(pid)
	if err != nil {
		return nil, err
	}
	for _, tid := range threads {
		if name, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/comm", pid, tid)); err == nil {
			rec.Threads[uint32(tid)] = strings.TrimSuffix(string(name), "\n")
		}
	}
	rec.Name = rec.Threads[uint32(pid)]
	return rec, nil
}

// Kernel returns the functions of the running kernel, nil if the system hides their addresses.
func Kernel() []KernelSymbol {
	f, err := os.Open("/proc/kallsyms")
	if err != nil {
		return nil
	}
	defer f.Close()
	list, err := ReadKernelSymbols(bufio.NewReader(f))
	if err != nil {
		return nil
	}
	return list
}

// Files opens the files of a process where it has them, also in a container. It keeps those
// open that Keep was called for, so that they can be read when the process has ended.
type Files struct {
	root string
	kept map[string]*os.File
}

// FilesOf returns the files of a process.
func FilesOf(pid int) *Files {
	f := &Files{root: fmt.Sprintf("/proc/%d/root", pid), kept: map[string]*os.File{}}
	if same(f.root, "/") {
		f.root = "/"
	}
	return f
}

// same reports whether two folders are one.
func same(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// maxKept bounds the files that are kept open.
const maxKept = 512

// Keep opens the file of a mapping, and keeps it open. It does nothing where the file system
// of the process is ours: files stay there.
func (f *Files) Keep(m *Mapping) {
	if f.root == "/" || !m.IsFile() || len(f.kept) >= maxKept || f.kept[m.Path] != nil {
		return
	}
	if file, err := os.Open(filepath.Join(f.root, m.Path)); err == nil {
		f.kept[m.Path] = file
	}
}

// Open opens a file by the path that the process has for it.
func (f *Files) Open(path string) (io.ReadCloser, error) {
	if path == vdso {
		return openVDSO()
	}
	if file := f.kept[path]; file != nil {
		if about, err := file.Stat(); err == nil {
			return io.NopCloser(io.NewSectionReader(file, 0, about.Size())), nil
		}
	}
	file, err := os.Open(filepath.Join(f.root, path))
	if err != nil {
		return nil, err
	}
	if about, err := file.Stat(); err != nil || !about.Mode().IsRegular() {
		file.Close()
		return nil, fmt.Errorf("perf: %s is not a regular file", path)
	}
	return file, nil
}

// Close closes the files.
func (f *Files) Close() {
	for _, file := range f.kept {
		file.Close()
	}
}

// openVDSO returns the code of the kernel that it maps into every process: that of this one.
func openVDSO() (io.ReadCloser, error) {
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := ReadMaps(f)
	if err != nil {
		return nil, err
	}
	for _, m := range list {
		if m.Path != vdso {
			continue
		}
		memory, err := os.Open("/proc/self/mem")
		if err != nil {
			return nil, err
		}
		defer memory.Close()
		b := make([]byte, m.End-m.Start)
		if _, err := memory.ReadAt(b, int64(m.Start)); err != nil {
			return nil, err
		}
		return io.NopCloser(strings.NewReader(string(b))), nil
	}
	return nil, os.ErrNotExist
}

// Clock is the CLOCK_MONOTONIC of a process. In a time namespace it differs from ours and from
// that of the kernel, which the records have.
type Clock struct {
	ours   time.Duration // by which ours is ahead of the kernel's
	theirs time.Duration // by which that of the process is
}

// ClockOf returns the clock of a process. Its error reports that the process's time namespace
// is not known.
func ClockOf(pid int) (Clock, error) {
	ours, err := timens.Of("/proc/self")
	if err != nil {
		return Clock{}, fmt.Errorf("perf: %w", err)
	}
	theirs, err := timens.Of(fmt.Sprintf("/proc/%d", pid))
	if err != nil {
		return Clock{}, fmt.Errorf("perf: %w", err)
	}
	return Clock{ours.Monotonic, theirs.Monotonic}, nil
}

// Now returns the time of the clock and that since 1970, in nanoseconds.
func (c Clock) Now() (monotonic, real uint64) {
	return now() + uint64(c.theirs-c.ours), uint64(time.Now().UnixNano())
}

// ofKernel returns the time of the clock at a time of the kernel's.
func (c Clock) ofKernel(t uint64) uint64 { return t + uint64(c.theirs) }
