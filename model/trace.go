package model

import (
	"errors"
	"hash/maphash"
	"maps"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/internal/recording"
	sources "github.com/nettrace-go/nettrace/symbols"
)

// Trace is what trackers and consumers share: the trace's header, its clock, its
// processes and its stacks. Start, End, LeftOut and Frames are known after the last event.
type Trace struct {
	// Header is the content of the trace's first block.
	Header *codec.Trace
	// Start and End are the first and the last time of the recording, in ticks:
	// for a slice its bounds. The recording ends where the runtime's rundown
	// begins, if that is last, otherwise with the last event.
	Start, End uint64
	Lost       uint64 // events that the writer dropped
	Losses     []Loss // in the order of the events after them, without those at the ends of a thread's events
	// LossesLeftOut is how many are not in Losses because of Limits.Rows.
	LossesLeftOut int64
	OutOfOrder    int64   // events that are older than one before them
	LeftOut       LeftOut // what is left out because of Limits
	Truncated     bool    // the trace ends without its end mark

	limits    Limits
	process   uint64 // of the trace
	many      bool   // threads are rows of a table, with their processes
	recording recording.Recording
	processes map[uint64]*recording.Recording // if many
	last      *recording.Recording            // of the last event
	lastID    uint64
	latest    uint64
	stacks    stacks
	table     *symbols.Table
	lines     *sources.Resolver // of Options.Lines
	trackers  []Consumer        // in the order in which they were asked for
	ends      []func()          // of the trackers

	suspensions *Suspensions // nil if nobody asked for it, as the others
	spans       *Spans
	served      *Served
	chains      *Chains
}

// Loss describes events that a thread logged and that the writer dropped.
type Loss struct {
	Thread Thread // that logged the events
	From   uint64 // ticks of its event before them, or of the start of the recording
	To     uint64 // ticks of its event after them, or of the last sequence point
	Count  uint64 // of the events
}

// addLoss adds a loss. That another thread got an id is none.
func (t *Trace) addLoss(l Loss) {
	switch {
	case l.Count == 0:
	case int64(len(t.Losses)) >= t.limits.Rows:
		t.LossesLeftOut++
	default:
		t.Losses = append(t.Losses, l)
	}
}

// LeftOut counts what is not in the facts because of Limits.
type LeftOut struct {
	Stacks int64 `json:"stacks,omitzero"` // events whose stack has no frames
	Names  int64 `json:"names,omitzero"`  // events about methods and modules
}

func newTrace(header *codec.Trace, limits Limits, lines *sources.Resolver) *Trace {
	t := &Trace{Header: header, limits: limits, many: header.Format.HasThreadTable(), lines: lines}
	t.process, _ = header.ProcessID()
	t.recording = recording.New(header.SliceTime())
	t.processes = map[uint64]*recording.Recording{}
	t.table = symbols.NewTable(symbols.Options{Limit: limits.Symbols, Lines: lines != nil})
	t.stacks.init(maphash.MakeSeed())
	return t
}

// event records the time of an event.
func (t *Trace) event(ev *codec.Event, class recording.Class) {
	t.order(ev.Timestamp)
	t.recording.Add(ev.Timestamp, class)
	if t.many {
		t.recordingOf(t.Process(ev)).Add(ev.Timestamp, class)
	}
}

// order compares the time of an event with those before it.
func (t *Trace) order(ticks uint64) {
	if ticks < t.latest {
		t.OutOfOrder++
	} else {
		t.latest = ticks
	}
}

// recordingOf returns the recording of a process.
func (t *Trace) recordingOf(id uint64) *recording.Recording {
	if t.last == nil || id != t.lastID {
		t.lastID, t.last = id, t.processes[id]
		if t.last == nil {
			r := recording.New(t.Header.SliceTime())
			t.last = &r
			t.processes[id] = t.last
		}
	}
	return t.last
}

// naming handles an event that names addresses.
func (t *Trace) naming(ev *codec.Event) { t.table.Add(ev) }

// end is called after the last event, with the number of lost events and the error of the
// stream.
func (t *Trace) end(lost uint64, err error) {
	t.Start, t.End = t.recording.Bounds()
	for i := range t.Losses {
		if t.Losses[i].From == 0 {
			t.Losses[i].From = t.Start
		}
	}
	t.Lost = lost
	t.Truncated = errors.Is(err, codec.ErrTruncated)
	t.LeftOut.Names = t.table.Dropped()
	if t.lines != nil {
		for _, c := range t.table.Precompiled() {
			t.lines.Learn(c)
		}
	}
}

// Limits returns the limits, with their defaults.
func (t *Trace) Limits() Limits { return t.limits }

// Process returns the id of an event's process, 0 if it is unknown.
func (t *Trace) Process(ev *codec.Event) uint64 {
	if !t.many {
		return t.process
	}
	return symbols.Process(ev)
}

// Thread returns the thread that an event is about.
func (t *Trace) Thread(ev *codec.Event) Thread {
	if !t.many {
		return Thread{t.process, ev.ThreadIndex}
	}
	return t.row(ev, ev.Thread(), ev.ThreadIndex)
}

// CaptureThread returns the thread that logged an event.
func (t *Trace) CaptureThread(ev *codec.Event) Thread {
	if !t.many {
		return Thread{t.process, ev.CaptureThreadIndex}
	}
	return t.row(ev, ev.CaptureThread(), ev.CaptureThreadIndex)
}

// row identifies a row of the thread table.
func (t *Trace) row(ev *codec.Event, row *codec.Thread, index uint64) Thread {
	thread := t.threadOf(row, index)
	if row == nil || !row.HasProcessID {
		thread.Process = t.Process(ev)
	}
	return thread
}

// threadOf identifies a thread by its row, nil for none, and its index.
func (t *Trace) threadOf(row *codec.Thread, index uint64) Thread {
	switch {
	case !t.many:
		return Thread{t.process, index}
	case row == nil:
		return Thread{0, 1<<32 + index}
	case !row.HasThreadID:
		return Thread{row.ProcessID, 1<<32 + index}
	}
	return Thread{row.ProcessID, row.ThreadID}
}

// Processes returns the ids of the processes that have events, in ascending
// order.
func (t *Trace) Processes() []uint64 {
	if !t.many {
		return []uint64{t.process}
	}
	return slices.Sorted(maps.Keys(t.processes))
}

// Bounds returns the first and the last time of a process's recording, in
// ticks, like Start and End.
func (t *Trace) Bounds(process uint64) (start, end uint64) {
	if r := t.processes[process]; r != nil {
		return r.Bounds()
	}
	return t.Start, t.End
}

// Nanos returns the time from the trace's sync time to ticks in nanoseconds,
// negative before it. Without a clock a tick is a nanosecond.
func (t *Trace) Nanos(ticks uint64) int64 {
	if t.Header.TickFrequency == 0 {
		return int64(ticks - t.Header.SyncTicks)
	}
	return int64(t.Header.Since(ticks))
}

// Between returns the time from one timestamp to a later one in nanoseconds,
// 0 if the other one is not later.
func (t *Trace) Between(from, to uint64) int64 {
	if to <= from {
		return 0
	}
	return t.Nanos(to) - t.Nanos(from)
}
