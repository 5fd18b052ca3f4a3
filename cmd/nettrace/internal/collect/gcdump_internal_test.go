package collect

import (
	"slices"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/input"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// watched gives the events of a trace to a dumpWatch. It returns the reasons for which
// the recording was ended.
func watched(t *testing.T, trace string, skip ...uint32) (w *dumpWatch, reasons []error) {
	w = watchDump(time.Hour, func(err error) { reasons = append(reasons, err) })
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
	return w, reasons
}

// TestDumpWatch follows the collection of a recorded dump.
func TestDumpWatch(t *testing.T) {
	w, reasons := watched(t, "net10-mix-gcheap.v4")
	expect.Slices(t, "reasons", reasons, []error{errDumpEnded})
	expect.Equal(t, "collection", w.collection, 11)
	expect.Equal(t, "objects", w.objects, 980)
	expect.Equal(t, "bytes", w.bytes, 103706)
	expect.AtLeast(t, "pause", w.pause, time.Millisecond)
	expect.AtMost(t, "pause", w.pause, 10*time.Millisecond)
}

// TestDumpWatchOtherCollections: collections without a dump do not end the recording.
func TestDumpWatchOtherCollections(t *testing.T) {
	w, reasons := watched(t, "net10-mix-gc.v4")
	expect.Len(t, "reasons", reasons, 0)
	expect.Equal(t, "begun", w.begun.Load(), true)
	_, reasons = watched(t, "net10-mix-gcheap.v4", 1) // the collection began before the session
	expect.Len(t, "reasons without GCStart", reasons, 0)
}

// TestDumpPatience: a process that begins no collection ends the recording.
func TestDumpPatience(t *testing.T) {
	reasons := make(chan error)
	watchDump(time.Nanosecond, func(err error) { reasons <- err })
	expect.ErrorIs(t, <-reasons, errNoCollection)
}
