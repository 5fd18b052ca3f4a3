package profile

import (
	"strconv"

	"github.com/nettrace-go/nettrace/codec"
)

// Thread is a thread of which something was met.
type Thread struct {
	ID        uint64 // of the operating system
	ProcessID uint64 // 0 when the trace does not tell
	Name      string // as the trace has it or as its events tell; "" unknown
}

// Label is the thread's name, or one made of its id.
func (t *Thread) Label() string {
	if t.Name != "" {
		return t.Name
	}
	return "Managed thread (name unknown) [#" + strconv.FormatUint(t.ID, 10) + "]"
}

// threadKey is what tells threads apart.
type threadKey struct{ process, thread uint64 }

// threadTable holds the threads.
type threadTable struct {
	rows  []Thread
	known map[threadKey]uint32
	last  threadKey
	at    uint32
}

func (t *threadTable) init() { t.known = map[threadKey]uint32{} }

// of returns the position of the thread that an event is about.
func (t *threadTable) of(ev *codec.Event) uint32 {
	row := ev.Thread()
	if row == nil {
		id, _ := ev.ThreadID()
		return t.find(threadKey{0, id}, "", ev)
	}
	return t.find(threadKey{row.ProcessID, row.ThreadID}, row.Name, ev)
}

func (t *threadTable) find(key threadKey, name string, ev *codec.Event) uint32 {
	if key == t.last && len(t.rows) > 0 {
		return t.at
	}
	at, ok := t.known[key]
	if !ok {
		process, _ := ev.ProcessID()
		if row := ev.Thread(); row == nil && name == "" && process == key.thread && process > 0 {
			name = "Startup Thread"
		}
		at = uint32(len(t.rows))
		t.rows = append(t.rows, Thread{ID: key.thread, ProcessID: process, Name: name})
		t.known[key] = at
	}
	t.last, t.at = key, at
	return at
}
