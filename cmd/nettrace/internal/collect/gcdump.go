package collect

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/folderlock"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/eventpipe/provider"
	"github.com/nettrace-go/nettrace/internal/payload"
)

// gcdump is the name of the profile that records a heap dump.
const gcdump = "gcdump"

// collectionPatience is the max time to the collection that makes the dump.
const collectionPatience = 30 * time.Second

var (
	errDumpEnded    = errors.New("the heap dump is complete")
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
// the dump, or when no collection begins.
type dumpWatch struct {
	cease func(error)
	timer *time.Timer
	begun atomic.Bool // a collection began

	collection uint32 // number of the last collection that began
	suspended  time.Time
	ended      bool // the collection with the dump has ended
	pause      time.Duration
	objects    int64
	bytes      uint64
}

// watchDump returns a dumpWatch that waits for a collection up to patience.
func watchDump(patience time.Duration, cease func(error)) *dumpWatch {
	w := &dumpWatch{cease: cease}
	w.timer = time.AfterFunc(patience, func() {
		if !w.begun.Load() {
			cease(errNoCollection)
		}
	})
	return w
}

// dumpEvents are the handlers of events of the runtime, by id. An earlier collection may
// be running when the session starts: only the end of one that had GCBulkNode counts.
var dumpEvents = map[uint32]func(w *dumpWatch, e *codec.Event){
	1: func(w *dumpWatch, e *codec.Event) { // GCStart
		w.begun.Store(true)
		if !w.ended {
			w.collection, w.objects, w.bytes = collectionOf(e), 0, 0
		}
	},
	2: func(w *dumpWatch, e *codec.Event) { // GCEnd
		if !w.ended && w.objects > 0 && collectionOf(e) == w.collection {
			w.ended = true
			w.cease(errDumpEnded)
		}
	},
	3: func(w *dumpWatch, e *codec.Event) { // GCRestartEEEnd
		if w.ended && w.pause == 0 && !w.suspended.IsZero() {
			w.pause = e.Time().Sub(w.suspended)
		}
	},
	9: func(w *dumpWatch, e *codec.Event) { // GCSuspendEEBegin
		if !w.ended {
			w.suspended = e.Time()
		}
	},
	18: (*dumpWatch).nodes, // GCBulkNode
}

func collectionOf(e *codec.Event) uint32 {
	p := payload.New(e.Payload(), 8)
	return p.U32()
}

// nodes adds the objects of a GCBulkNode.
func (w *dumpWatch) nodes(e *codec.Event) {
	if w.ended {
		return
	}
	p := payload.New(e.Payload(), 8)
	p.Skip(4)
	count := int(p.U32())
	p.Skip(2)
	if count == 0 || p.Len()/count < 28 {
		return
	}
	pointer := p.Len()/count - 24 // the other fields of a row have 24 bytes
	w.objects += int64(count)
	for range count {
		p.Skip(pointer)
		w.bytes += p.U64()
		p.Skip(16)
	}
}

// event handles an event of the recording.
func (w *dumpWatch) event(e *codec.Event) {
	if m := e.Metadata(); m != nil && m.Provider == provider.Runtime {
		if handle := dumpEvents[m.EventID]; handle != nil {
			handle(w, e)
		}
	}
}

// printDump prints the size of the dump and how long the process was paused, and reports
// whether there is a dump.
func (r *recording) printDump() bool {
	w := r.watch
	if w == nil {
		return true
	}
	w.timer.Stop()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !w.ended {
		reason := errors.New("the recording ended before the heap dump was complete")
		if !w.begun.Load() {
			reason = errNoCollection
		}
		r.p.Complain("%s: %v", r.a.Title, reason)
		return false
	}
	text := fmt.Sprintf("dump of collection %d: %s of %s", w.collection, display.Counted(w.objects, "object"), display.Bytes(int64(w.bytes)))
	if w.pause > 0 {
		text += "; the process was paused for " + display.Milliseconds(w.pause.Seconds())
	}
	r.p.Complain("%s", text)
	return true
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
