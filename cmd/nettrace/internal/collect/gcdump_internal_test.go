package collect

import (
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// watched gives the events of a trace to a dumpWatch. It returns the reasons for which
// the recording was ended.
func watched(t *testing.T, trace string, skip ...uint32) (w *dumpWatch, reasons func() []error) {
	var mu sync.Mutex
	var list []error
	w = watchDump(time.Hour, func(err error) {
		mu.Lock()
		defer mu.Unlock()
		list = append(list, err)
	})
	t.Cleanup(func() { w.timer.Stop() })
	opt := input.ReaderOptions(false)
	opt.Order = codec.ByTime
	for e, err := range codec.NewBytesReader(testfile.Plain(t, trace), opt).Events() {
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(skip, e.ID()) {
			w.event(e)
		}
	}
	return w, func() []error {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(list)
	}
}

// TestDumpWatch follows the collection of a recorded dump.
func TestDumpWatch(t *testing.T) {
	w, reasons := watched(t, "net10-mix-gcheap.v4")
	expect.Slices(t, "reasons", reasons(), []error{errDumpEnded})
	expect.Equal(t, "collection", w.dump.Collection, 11)
	expect.Equal(t, "objects", w.dump.Objects, 980)
	expect.Equal(t, "bytes", w.dump.Bytes, 103706)
	expect.AtLeast(t, "pause", w.pause, time.Millisecond)
	expect.AtMost(t, "pause", w.pause, 10*time.Millisecond)
}

// TestDumpWatchOtherCollections: collections without a dump do not end the recording.
func TestDumpWatchOtherCollections(t *testing.T) {
	w, reasons := watched(t, "net10-mix-gc.v4")
	expect.Len(t, "reasons", reasons(), 0)
	expect.Equal(t, "begun", w.begun.Load(), true)
	_, reasons = watched(t, "net10-mix-gcheap.v4", 1) // the collection began before the session
	expect.Len(t, "reasons without GCStart", reasons(), 0)
}

// TestDumpPatience: a process that begins no collection ends the recording.
func TestDumpPatience(t *testing.T) {
	reasons := make(chan error)
	watchDump(time.Nanosecond, func(err error) { reasons <- err })
	expect.ErrorIs(t, <-reasons, errNoCollection)
}

// TestProcessMemory: what is left is the least of the machine and of the cgroups above the
// process, in both versions; the cache of files is free.
func TestProcessMemory(t *testing.T) {
	const mb = 1 << 20
	for name, c := range map[string]struct {
		files map[string]string
		want  memoryLeft
		known bool
	}{
		"no limit":  {map[string]string{"proc/7/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n", "sys/fs/cgroup/a/memory.current": "5"}, memoryLeft{100 * mb, 4000 * mb, "on the machine"}, true},
		"version 2": {map[string]string{"proc/7/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/memory.max": "524288000\n", "sys/fs/cgroup/a/memory.current": "209715200\n", "sys/fs/cgroup/a/memory.stat": "anon 1\ninactive_file 104857600\n", "sys/fs/cgroup/a/b/memory.max": "max"}, memoryLeft{100 * mb, 400 * mb, "in its memory cgroup"}, true},
		"version 1": {map[string]string{"proc/7/cgroup": "9:cpu:/x\n4:memory:/a\n0::/\n", "sys/fs/cgroup/memory/a/memory.limit_in_bytes": "524288000", "sys/fs/cgroup/memory/a/memory.usage_in_bytes": "524288001"}, memoryLeft{100 * mb, 0, "in its memory cgroup"}, true},
		"unknown":   {map[string]string{"proc/7/status": "Name: x\n"}, memoryLeft{}, false},
	} {
		root := t.TempDir()
		files := map[string]string{"proc/meminfo": "MemTotal: 9 kB\nMemAvailable: 4096000 kB\n", "proc/7/status": "VmRSS: 1 kB\nRssAnon:\t  102400 kB\n"}
		maps.Copy(files, c.files)
		for file, text := range files {
			file = filepath.Join(root, file)
			expect.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
			expect.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		}
		got, known := processMemory(root, 7)
		expect.Equal(t, name+": known", known, c.known)
		if known {
			expect.Equal(t, name, got, c.want)
		}
	}
}

// TestDumpStuck: a dump of which the end is lost ends the recording after 10 s without an event.
func TestDumpStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		w, reasons := watched(t, "net10-mix-gcheap.v4", 2)
		w.timer.Reset(time.Second)
		time.Sleep(time.Minute)
		expect.Slices(t, "reasons", reasons(), []error{errDumpStuck})
		expect.AtMost(t, "time", time.Since(begun), time.Minute)
		w.end()
		expect.Equal(t, "ended", w.ended, false)
	})
}

// TestBlockedDump: with a buffer that blocks, a second signal does not close the session before
// the dump has ended.
func TestBlockedDump(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &recording{collecting: &collecting{p: &run.Program{Stderr: io.Discard}, o: &options{dump: true}}, a: &attach.Process{}, read: make(chan struct{})}
		r.awaitBlocked() // a buffer that drops
		r.o.session.BlockWhenFull = true
		r.watch = watchDump(time.Hour, func(error) {})
		begun := time.Now()
		time.AfterFunc(time.Minute, func() { close(r.watch.over) })
		r.awaitBlocked()
		expect.Equal(t, "time", time.Since(begun), time.Minute)
		r.watch.timer.Stop()
	})
}
