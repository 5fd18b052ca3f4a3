//go:build linux

package collect_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// TestCollectRotate records into several files: each is complete and has names,
// no collection is missing between two files, and the oldest files are deleted.
func TestCollectRotate(t *testing.T) {
	tier.NeedsNightly(t)
	app := proctest.RunCorners(t, nil, "loop", "60", "exc", "gc")
	folder := t.TempDir()
	quit, most := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		for {
			entries, _ := os.ReadDir(folder)
			n = max(n, len(entries))
			select {
			case <-quit:
				most <- n
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	code, stderr := collected(t, "-p", app.PID(), "--providers", provider.Runtime+":0x8001:4", "--rotate", "2s", "--keep", "3", "--duration", "11s",
		"-o", filepath.Join(folder, "r.nettrace"))
	close(quit)
	expect.Equal(t, "highest number of files", <-most, 3)
	expect.Equal(t, "exit code ("+stderr+")", code, exit.Done)
	files, _ := filepath.Glob(filepath.Join(folder, "r_*.nettrace"))
	expect.Len(t, "files", files, 3)
	var last uint32
	for _, name := range files {
		collections, names := numbersOf(t, name)
		expect.AtLeast(t, name+": events of a rundown", names, 100)
		noFinding(t, name)
		for _, n := range collections {
			if last != 0 && n > last+2 { // a no-GC region has a number and no GCStart
				t.Errorf("%s: collection %d after %d", name, n, last)
			}
			last = max(last, n)
		}
		expect.AtLeast(t, name+": collections", len(collections), 1)
	}
}

// numbersOf returns the numbers of the collections in a complete trace, and the
// number of events of the rundown.
func numbersOf(t *testing.T, name string) (collections []uint32, names int) {
	t.Helper()
	data, err := os.ReadFile(name)
	expect.NoError(t, err)
	for e, err := range codec.NewBytesReader(data, codec.Options{Order: codec.ByTime, Schemas: clr.Schemas}).Events() {
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		switch {
		case e.Provider() == provider.Runtime && e.ID() == 1:
			number, _ := e.Field("Count")
			collections = append(collections, uint32(number.Uint64()))
		case e.Provider() == provider.Runtime+"Rundown":
			names++
		}
	}
	return collections, names
}
