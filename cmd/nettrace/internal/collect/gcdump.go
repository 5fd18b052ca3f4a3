package collect

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/folderlock"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/heap"
)

// gcdump is the name of the profile that records a heap dump.
const gcdump = "gcdump"

// collectionPatience is the max time to the collection that makes the dump.
const collectionPatience = 30 * time.Second

var (
	errDumpEnded    = errors.New("the heap dump is complete")
	errDumpStuck    = fmt.Errorf("the heap dump did not go on for %v", dumpSilence)
	errNoCollection = fmt.Errorf("no collection began within %v after the session: the process did not answer the request for a heap dump", collectionPatience)
)

// isDump reports whether profiles have the one that records a heap dump.
func isDump(profiles []string) bool {
	return slices.ContainsFunc(profiles, func(name string) bool { return strings.EqualFold(name, gcdump) })
}

// checkDump refuses what does not go with a heap dump.
func (o *options) checkDump() error {
	switch {
	case o.dump && (o.ring != "" || o.rotates() || len(o.Command) > 0):
		return errors.New("--profile gcdump records a running process, once: -p, -n or --port, and no --ring or --rotate")
	case o.dump && o.names == "early":
		return errors.New("--names early reads the names of methods, which --profile gcdump does not need")
	}
	return nil
}

// dumpWatch follows the collection that makes a heap dump. It ends the recording after
// the dump, or when no collection begins, or when the dump goes on no more.
type dumpWatch struct {
	cease func(error)
	timer *time.Timer
	begun atomic.Bool   // a collection began
	last  atomic.Int64  // time of the last event of the dump, since the Unix epoch in ns; 0: none
	over  chan struct{} // closed at the end of the dump

	survey    *heap.Survey
	suspended time.Time
	ended     bool // the collection with the dump has ended
	pause     time.Duration
	dump      heap.Dump // that has ended
}

// dumpSilence is the max time between two events of a dump. The last one of a dump that
// exceeded the buffer of the process may be lost.
const dumpSilence = 10 * time.Second

// watchDump returns a dumpWatch that waits for a collection up to patience.
func watchDump(patience time.Duration, cease func(error)) *dumpWatch {
	w := &dumpWatch{cease: cease, survey: heap.NewSurvey(), over: make(chan struct{})}
	w.timer = time.AfterFunc(patience, func() {
		if !w.begun.Load() {
			cease(errNoCollection)
			return
		}
		w.expectMore()
	})
	return w
}

// expectMore ends the recording when the dump goes on no more.
func (w *dumpWatch) expectMore() {
	silent := time.Duration(0)
	if last := w.last.Load(); last != 0 {
		silent = time.Since(time.Unix(0, last))
	}
	if silent >= dumpSilence {
		w.cease(errDumpStuck)
		return
	}
	w.timer.Reset(dumpSilence - silent)
}

// dumpEvents are the handlers of events. An earlier collection may
// be running when the session starts: only the end of one that had GCBulkNode counts.
var dumpEvents = map[clr.Kind]func(w *dumpWatch, e *codec.Event){
	clr.KindGCStart: func(w *dumpWatch, _ *codec.Event) { // a dump whose GCEnd is lost ends too
		w.end()
		w.begun.Store(true)
	},
	clr.KindGCEnd: func(w *dumpWatch, _ *codec.Event) { w.end() },
	clr.KindGCRestartEEEnd: func(w *dumpWatch, e *codec.Event) {
		if w.ended && w.pause == 0 && !w.suspended.IsZero() {
			w.pause = e.Time().Sub(w.suspended)
		}
	},
	clr.KindGCSuspendEEBegin: func(w *dumpWatch, e *codec.Event) {
		if !w.ended {
			w.suspended = e.Time()
		}
	},
	clr.KindGCBulkNode: func(w *dumpWatch, _ *codec.Event) { w.last.Store(time.Now().UnixNano()) },
	clr.KindGCBulkEdge: func(w *dumpWatch, _ *codec.Event) { w.last.Store(time.Now().UnixNano()) },
}

// end ends the recording if a dump has ended. One that was under way when the session began is
// another client's.
func (w *dumpWatch) end() {
	list := w.survey.Ended()
	if w.ended || !w.begun.Load() || len(list) == 0 || list[len(list)-1].Objects == 0 {
		return
	}
	w.ended, w.dump = true, list[len(list)-1]
	close(w.over)
	w.cease(errDumpEnded)
}

// event handles an event of the recording.
func (w *dumpWatch) event(e *codec.Event) {
	if !w.ended {
		w.survey.Event(e)
	}
	if handle := dumpEvents[clr.KindOf(e.Metadata())]; handle != nil {
		handle(w, e)
	}
}

// point handles a sequence point of the recording.
func (w *dumpWatch) point(p *codec.SequencePoint) {
	if !w.ended {
		w.survey.Point(p)
	}
}

// printDump prints the size of the dump and how long the process was paused, and reports
// whether there is a complete dump.
func (r *recording) printDump() bool {
	w := r.watch
	if w == nil {
		return true
	}
	w.timer.Stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	dump := w.dump
	if open, is := w.survey.Open(); !w.ended && is {
		dump = open
	}
	if dump.Objects == 0 {
		reason := errors.New("the recording ended before the heap dump was complete")
		if !w.begun.Load() {
			reason = errNoCollection
		}
		r.p.Complain("%s: %v", r.a.Title, reason)
		return false
	}
	text := fmt.Sprintf("dump of collection %d: %s of %s", dump.Collection, display.Counted(dump.Objects, "object"), display.Bytes(int64(min(dump.Bytes, math.MaxInt64))))
	if w.pause > 0 {
		text += "; the process was paused for " + display.Milliseconds(w.pause.Seconds())
	}
	r.p.Complain("%s", text)
	if dump.Complete() {
		return true
	}
	text = exit.Text(&heap.IncompleteError{Dump: dump})
	if dump.Dropped > 0 || len(dump.Gaps) > 0 || dump.Declared != uint64(dump.Edges) {
		text += fmt.Sprintf(": the buffer of %s in the process did not hold it (--buffersize sets the limit in MB)", display.Bytes(int64(r.o.session.BufferMB)<<20))
	}
	r.p.Complain("%s: %s", r.a.Title, text)
	return false
}

// lockDump makes sure that no other nettrace makes a heap dump of a process at this time:
// each dump suspends it. release ends that. The lock ends with its nettrace, even one that is
// killed; where folders cannot be locked, several may make a dump.
func lockDump(dir string, a *attach.Process) (release func(), err error) {
	name := filepath.Join(dir, fmt.Sprintf("nettrace-gcdump-%x.lock", a.Info.Cookie))
	for {
		if err := os.Mkdir(name, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
			return nil, err
		}
		unlock, err := folderlock.Lock(name, 0)
		switch {
		case errors.Is(err, folderlock.ErrNone):
			return func() { os.Remove(name) }, nil
		case errors.Is(err, folderlock.ErrHeld):
			return nil, fmt.Errorf("%s: another nettrace makes a heap dump of it (%s)", a.Title, name)
		case errors.Is(err, os.ErrNotExist):
			continue // it was just released
		case err != nil:
			return nil, err
		}
		if _, err := os.Stat(name); err == nil {
			return func() {
				os.Remove(name)
				unlock()
			}, nil
		}
		unlock() // it was released after it was opened
	}
}
