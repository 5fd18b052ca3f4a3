package codec

import (
	"slices"

	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Thread is a row of the thread table (v6). It is immutable and stays valid.
//
// Spec: "Thread block".
type Thread struct {
	Index uint64 // index in event rows
	// Name is the name of the thread, may be empty.
	Name      string
	ProcessID uint64 // of the operating system; see HasProcessID
	ThreadID  uint64 // of the operating system; see HasThreadID
	// HasProcessID reports that the row has ProcessID.
	HasProcessID bool
	// HasThreadID reports that the row has ThreadID.
	HasThreadID bool
	// Attributes are further pairs in the row.
	Attributes []KeyValue
}

// cost estimates the memory of the thread in addition to a small row's.
func (t *Thread) cost() int64 {
	n := int64(len(t.Name))
	for i := range t.Attributes {
		n += pairCost + int64(len(t.Attributes[i].Key)+len(t.Attributes[i].Value))
	}
	return n
}

// readThreadBlock reads the rows of a thread block.
//
// Spec: "Thread block".
func readThreadBlock(r *stream, b *raw.Block) {
	c := cursor{b: b.Body}
	for !c.done() {
		start := c.pos
		size := c.uint16(rule.THR001)
		sub := c.sub(int(size), rule.THR001)
		if c.bad == rule.None {
			r.threadRow(b, &c, &sub, start)
		}
		if r.badRow(b, &c) {
			return
		}
	}
}

// threadRow decodes one row, or finds it in the cache, and defines it.
func (r *stream) threadRow(b *raw.Block, c, sub *cursor, start int) {
	key := sub.b[sub.pos:]
	t := r.threadCache.get(key)
	if t == nil {
		t = parseThread(sub, &r.names)
		if !c.join(sub) {
			return
		}
		r.threadCache.put(key, t, t.cost())
	}
	if n := int64(r.threads.count); n >= r.limits.Threads {
		c.limit = &LimitError{Name: "Threads", Size: n + 1, Limit: r.limits.Threads}
		c.fail(rule.LIM007, start)
		return
	}
	cost, old := t.cost(), r.threads.get(t.Index)
	redefined := old != nil && old != t && !sameThread(old, t)
	if !r.mayHoldAt(c, threadSize+cost, start) || redefined && !r.beforeReplace(c, start) {
		return
	}
	if redefined {
		r.defect(rule.THR004, b.BodyOffset+int64(start))
	}
	if old != nil {
		r.threadsHeld -= old.cost()
		r.outdated += threadSize + old.cost()
	}
	r.threadsHeld += cost
	r.block.Threads = append(r.block.Threads, t)
	r.threads.set(t.Index, t)
	delete(r.removed, t.Index)
	r.block.Rows++
}

func parseThread(c *cursor, names *interner) *Thread {
	t := &Thread{Index: c.varUint64(rule.THR001)}
	for !c.done() {
		at := c.pos
		switch wire.ThreadInfo(c.byte(rule.THR003)) {
		case wire.ThreadName:
			t.Name = names.utf8(c.text(rule.THR003))
		case wire.ThreadOSProcessID:
			t.ProcessID, t.HasProcessID = c.varUint64(rule.THR003), true
		case wire.ThreadOSThreadID:
			t.ThreadID, t.HasThreadID = c.varUint64(rule.THR003), true
		case wire.ThreadKeyValue:
			key, value := c.text(rule.THR003), c.text(rule.THR003)
			t.Attributes = grow(t.Attributes, KeyValue{names.utf8(key), names.utf8(value)})
		default:
			c.fail(rule.THR002, at)
		}
	}
	return t
}

func sameThread(a, b *Thread) bool {
	return a.Index == b.Index && a.Name == b.Name && a.ProcessID == b.ProcessID && a.ThreadID == b.ThreadID &&
		a.HasProcessID == b.HasProcessID && a.HasThreadID == b.HasThreadID && slices.Equal(a.Attributes, b.Attributes)
}
