package record

import (
	"iter"
	"slices"
	"sync"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// CollectorProvider is the provider of the events that the program that records
// adds to a recording. Their metadata describes their fields.
const CollectorProvider = clr.CollectorProvider

// threadTimeEvent is the description of a ThreadTime: the processor time that a
// thread used between two readings. Times are ticks of a clock of nanoseconds
// since the start of the system (CLOCK_MONOTONIC), which is that of the events of
// runtimes on Linux.
var threadTimeEvent = &codec.Metadata{
	Provider: clr.CollectorProvider, EventID: clr.KindThreadTime.ID(), Version: 1, Level: 4, Name: "ThreadTime",
	Fields: []codec.Field{
		{Name: "From", Type: codec.Type{Code: wire.UInt64}},
		{Name: "To", Type: codec.Type{Code: wire.UInt64}},
		{Name: "ThreadID", Type: codec.Type{Code: wire.UInt64}},
		{Name: "UserNanoseconds", Type: codec.Type{Code: wire.UInt64}},
		{Name: "SystemNanoseconds", Type: codec.Type{Code: wire.UInt64}},
		{Name: "Name", Type: codec.Type{Code: wire.NullTerminatedUTF16String}},
	},
}

// ThreadTimes reads the processor time of the threads of a process and keeps it
// in memory. Read reads once; [ThreadTimes.All] returns the differences between
// the readings as events for the end of a recording. Only Linux has the times.
//
// Several goroutines may call its methods. Use NewThreadTimes to create one.
type ThreadTimes struct {
	dir   string // of the process in /proc
	ahead uint64 // of our clock, that of the process's time namespace

	mu      sync.Mutex
	text    []byte // of a file, reused
	threads map[int]*threadReading
	rows    []threadTime
	last    uint64 // time of the last reading; 0 before it
	process uint64 // nanoseconds that the process had used at the first reading, with ended threads
	given   uint64 // nanoseconds since then, of all rows
	dropped uint64
}

// threadReading has the values of a thread at the last reading, in nanoseconds
// since its start.
type threadReading struct {
	id                  int // in the namespace of the process
	total, user, system uint64
	name                string
	reading             int // number of the last reading that met the thread
}

// threadTime is the time that a thread used between two readings.
type threadTime struct {
	from, to     uint64
	id           int // in the namespace of the process
	user, system uint64
	name         string
}

// maxThreadTimes bounds the rows in memory, to about 64 MiB. Of more, the older
// half is dropped.
const maxThreadTimes = 1 << 20

// add adds a row. The caller holds mu.
func (t *ThreadTimes) add(row threadTime) {
	used := row.user + row.system
	if used == 0 {
		return
	}
	t.given += used
	if len(t.rows) >= maxThreadTimes {
		half := len(t.rows) / 2
		t.dropped += uint64(half)
		t.rows = append(t.rows[:0], t.rows[half:]...)
	}
	t.rows = append(t.rows, row)
}

// Threads is the number of threads at the last reading.
func (t *ThreadTimes) Threads() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.threads)
}

// Dropped is the number of events that were dropped because there were too many:
// the oldest.
func (t *ThreadTimes) Dropped() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.dropped
}

// All returns the events to write at the end of a recording, the oldest first.
func (t *ThreadTimes) All() iter.Seq[Addition] {
	t.mu.Lock()
	rows := slices.Clone(t.rows)
	t.mu.Unlock()
	return func(yield func(Addition) bool) {
		for i := range rows {
			if !yield(Addition{threadTimeEvent, rows[i].payload(), rows[i].to}) {
				return
			}
		}
	}
}

func (r *threadTime) payload() []byte {
	fields := clr.ThreadTimeFields{
		From: r.from, To: r.to, ThreadID: uint64(r.id), UserNanoseconds: r.user, SystemNanoseconds: r.system, Name: r.name,
	}
	return fields.Append(make([]byte, 0, 64), threadTimeEvent.Version, 0) // no field is a pointer
}
