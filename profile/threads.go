package profile

import (
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
)

// Thread is a thread in a trace. Threads of different processes are different
// threads, even with the same ID.
type Thread struct {
	ID        uint64 // of the operating system; for a v6 thread without one, 1<<32 plus its index
	ProcessID uint64 // of the operating system; 0 if the trace does not have it
	Name      string // from the trace, or derived from its events; "" if unknown
}

// Label returns the thread's name, or a text with its ID if it has none.
func (t *Thread) Label() string {
	if strings.TrimSpace(t.Name) != "" {
		return t.Name
	}
	return "Managed thread (name unknown) [#" + strconv.FormatUint(t.ID, 10) + "]"
}

// threadKey identifies a thread.
type threadKey struct {
	process, thread uint64
	indexed         bool // thread is an index of v6, because the row has no ID
}

// threadTable holds the threads.
type threadTable struct {
	rows    []Thread
	known   map[threadKey]uint32
	process uint64 // of the trace's header
	last    threadKey
	at      uint32
	heaps   map[uint32]uint32 // by thread: the heap that it marks in garbage collections
}

func (t *threadTable) init(process uint64) {
	t.process, t.known, t.heaps = process, map[threadKey]uint32{}, map[uint32]uint32{}
}

// of returns the position of the thread that an event is about.
func (t *threadTable) of(ev *codec.Event) uint32 {
	row := ev.Thread()
	at := t.find(keyOf(t.process, ev, row))
	t.rename(at, row)
	return at
}

// keyOf returns the key of the thread that an event of a process is about, which has a
// row in v6.
func keyOf(process uint64, ev *codec.Event, row *codec.Thread) threadKey {
	key := threadKey{process: process}
	if row == nil {
		id, ok := ev.ThreadID()
		if key.thread, key.indexed = id, !ok; !ok {
			key.thread = ev.ThreadIndex
		}
		return key
	}
	if row.HasProcessID {
		key.process = row.ProcessID
	}
	if key.thread, key.indexed = row.ThreadID, !row.HasThreadID; key.indexed {
		key.thread = row.Index
	}
	return key
}

// rename gives a thread the name in its row, which may be nil.
func (t *threadTable) rename(at uint32, row *codec.Thread) {
	if row != nil && row.Name != "" && t.rows[at].Name != row.Name {
		t.rows[at].Name = row.Name
	}
}

// startupThread is the name of the thread that a process begins with, which has
// the ID of its process on Linux.
const startupThread = "Startup Thread"

// find returns the position of a thread, which it adds if it is new.
func (t *threadTable) find(key threadKey) uint32 {
	if key == t.last && len(t.rows) > 0 {
		return t.at
	}
	at, ok := t.known[key]
	if !ok {
		row := Thread{ID: key.thread, ProcessID: key.process}
		switch {
		case key.indexed:
			row.ID += 1 << 32
		case key.thread == key.process && key.process > 0:
			row.Name = startupThread
		}
		at = uint32(len(t.rows))
		t.rows = append(t.rows, row)
		t.known[key] = at
	}
	t.last, t.at = key, at
	return at
}

// name names a thread that has no name yet.
func (t *threadTable) name(at uint32, name string) {
	if row := &t.rows[at]; row.Name == "" {
		row.Name = name
	}
}
