package logical

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/nettrace-go/nettrace/codec/clr/async"
)

// Buffer is an event of the async profiler.
type Buffer struct {
	Ticks   uint64 // time of the event
	Payload []byte // is not kept
	Writer  uint64 // the operating system's id of the thread that wrote the event
	Losses  int    // places so far where events of Writer are lost
}

// ListID identifies a list of frames of a Log, from 0. The list 0 is empty.
type ListID int32

// Log collects the records of one process. The zero value is empty.
type Log struct {
	// Buffers, Records and Faults are the numbers of what was added; Faults is that of
	// buffers with a part that cannot be read.
	Buffers, Records, Faults int64
	// First is the first error of a buffer with a fault, an *async.Error, or nil.
	First error

	reader  async.Reader
	threads map[uint64]*threadLog
	lists   [][]async.Frame
	ids     map[string]ListID
	key     []byte
	waiting []Buffer  // with ids that a later metadata may have
	seen    [256]bool // ids of records
}

// threadLog has the buffers of one thread.
type threadLog struct {
	buffers []buffer
	entries []entry
	losses  int  // of the thread as a writer, at the last buffer that it wrote itself
	wrote   bool // it wrote one
	own     int  // buffers from this one on were added after it
}

// buffer has the entries of a buffer.
type buffer struct {
	start, end uint64 // of the records
	written    uint64 // when it was written
	context    uint32
	from, to   int  // in threadLog.entries
	lost       bool // buffers before it may be lost
	broken     bool // its end cannot be read
}

// entry is a record that a replay needs.
type entry struct {
	ticks, dispatcher uint64
	other             uint64 // the parent; or the number of frames that were left
	list              ListID
	first             uint8 // number of the wrapper of the first frame
	id                async.ID
}

// Add adds an event. It returns false if the buffer has a fault.
func (l *Log) Add(b Buffer) bool {
	if l.threads == nil {
		l.threads, l.ids, l.lists = map[uint64]*threadLog{}, map[string]ListID{}, [][]async.Frame{nil}
	}
	described := l.reader.Metadata.Wrappers > 0
	l.Buffers++
	err := l.add(b, false)
	if err != nil && !described && isUnknown(err) {
		b.Payload = bytes.Clone(b.Payload)
		l.waiting = append(l.waiting, b)
		return true
	}
	if !described && l.reader.Metadata.Wrappers > 0 {
		for _, w := range l.waiting {
			l.fault(l.add(w, true))
		}
		l.waiting = nil
	}
	l.fault(err)
	return err == nil
}

// fault counts a buffer with an error.
func (l *Log) fault(err error) {
	if err == nil {
		return
	}
	l.Faults++
	if l.First == nil {
		l.First = err
	}
}

// isUnknown reports whether an error may be due to an id that a metadata has.
func isUnknown(err error) bool {
	var e *async.Error
	return errors.As(err, &e) && e.Unknown
}

// add reads a buffer. The first reading of one with an unknown id keeps nothing, until
// last is set.
func (l *Log) add(b Buffer, last bool) error {
	if err := l.reader.Reset(b.Payload); err != nil {
		return err
	}
	h := &l.reader.Header
	t := l.threads[h.Thread]
	if t == nil {
		t = &threadLog{}
		l.threads[h.Thread] = t
	}
	from := len(t.entries)
	for l.reader.Next() {
		l.Records++
		l.seen[l.reader.Record.ID] = true
		if e, ok := l.entry(&l.reader.Record); ok {
			t.entries = append(t.entries, e)
		}
	}
	err := l.reader.Err()
	if err != nil && !last && l.reader.Metadata.Wrappers == 0 && isUnknown(err) {
		t.entries = t.entries[:from]
		return err
	}
	one := buffer{
		start: h.Start, end: max(h.Start, l.reader.Record.Ticks), written: b.Ticks, context: h.Context, from: from, to: len(t.entries), broken: err != nil,
	}
	if b.Writer == h.Thread {
		if t.wrote && t.losses != b.Losses {
			one.lost = true
			for i := t.own; i < len(t.buffers); i++ {
				t.buffers[i].lost = true
			}
		}
		t.wrote, t.losses, t.own = true, b.Losses, len(t.buffers)+1
	}
	t.buffers = append(t.buffers, one)
	return err
}

// entry returns what a replay needs of a record.
func (l *Log) entry(r *async.Record) (entry, bool) {
	e := entry{ticks: r.Ticks, dispatcher: r.Dispatcher, other: r.Parent, id: r.ID}
	switch r.ID {
	case async.ResumeRuntimeMethod, async.WriteMetadata, async.SyncClock:
		return e, false
	case async.UnwindRuntimeException, async.UnwindMachineException:
		e.other = min(r.Unwound, math.MaxInt32)
	case async.CompleteRuntimeMethod, async.CompleteMachineMethod:
		e.other = 1
	case async.CreateRuntimeCallstack, async.ResumeRuntimeCallstack, async.SuspendRuntimeCallstack, async.ResumeMachineCallstack, async.AppendMachineCallstack:
		e.list, e.first = l.list(&r.Frames, r.ID.Kind()), uint8(r.Frames.FirstWrapper())
	default:
		if r.ID > async.SyncClock {
			return e, false
		}
	}
	return e, true
}

// list interns a list of frames.
func (l *Log) list(f *async.Frames, kind async.Kind) ListID {
	if f.Len() == 0 {
		return 0
	}
	l.key = append(append(l.key[:0], byte(kind)), f.Encoded()...)
	id, ok := l.ids[string(l.key)]
	if !ok {
		frames := make([]async.Frame, 0, f.Len())
		for frame, ok := f.Next(); ok; frame, ok = f.Next() {
			frames = append(frames, frame)
		}
		id = l.keep(frames)
		l.ids[string(l.key)] = id
	}
	return id
}

// keep adds a list of frames.
func (l *Log) keep(frames []async.Frame) ListID {
	l.lists = append(l.lists, frames)
	return ListID(len(l.lists) - 1)
}

// Lists returns all lists of frames so far, by ListID. The caller must not change them.
func (l *Log) Lists() [][]async.Frame { return l.lists }

// sorted returns the buffers of a thread in order of time.
func (t *threadLog) sorted() []buffer {
	list := slices.Clone(t.buffers)
	slices.SortStableFunc(list, func(a, b buffer) int { return cmp.Compare(a.start, b.start) })
	return list
}
