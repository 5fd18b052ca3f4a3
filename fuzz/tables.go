package fuzz

import (
	"fmt"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// tables are what rows refer to, kept by a second reading of the blocks that
// define it: byte by byte, with maps.
type tables struct {
	version
	stacks   map[uint32][]uint64
	labels   map[uint32][]codec.Label
	threads  map[uint64]codec.Thread
	metadata map[uint32]*codec.Metadata // v6
}

// newTables are the tables that wrap.go writes.
func newTables(v version) *tables {
	w := world{version: v}
	t := &tables{version: v, stacks: map[uint32][]uint64{farID: nil}, labels: map[uint32][]codec.Label{}, threads: map[uint64]codec.Thread{}}
	t.metadata = map[uint32]*codec.Metadata{}
	for id := uint32(1); id <= known; id++ {
		t.stacks[id] = w.stackOf(&row{stack: id})
		t.labels[id], t.labels[farID+id-1] = labels[id], labels[id]
	}
	for _, index := range []uint64{1, 2, 3, known, farther} {
		t.threads[index] = codec.Thread{
			Index: index, Name: "thread", ProcessID: 77, ThreadID: 1000 + index&0xFF, HasProcessID: true, HasThreadID: true,
		}
	}
	if v.number == 6 {
		t.apply(wire.KindMetadata, newStream(v).metadata(tableIDs))
	}
	return t
}

// apply takes in the body of a block, up to the first fault.
func (t *tables) apply(kind wire.Kind, body []byte) {
	b := &tape{all: body}
	switch kind {
	case wire.KindMetadata:
		b.part(b.fixed(2))
		for b.fault == nil && b.pos < len(body) && t.takeMetadata(b.part(b.fixed(2))) {
		}
	case wire.KindStack:
		t.takeStacks(b)
	case wire.KindLabelList:
		t.takeLabels(b)
	case wire.KindThread:
		for b.pos < len(body) && t.takeThread(b.part(b.fixed(2))) {
		}
	case wire.KindRemoveThread:
		t.removeThreads(b)
	case wire.KindSequencePoint:
		b.fixed(8)
		flags := b.fixed(4)
		clear(t.stacks)
		clear(t.labels)
		if t.number == 6 && b.fault == nil {
			t.flush(flags)
		}
	}
}

func (t *tables) flush(flags uint64) {
	if flags&1 != 0 {
		clear(t.threads)
	}
	if flags&2 != 0 {
		clear(t.metadata)
	}
}

// part is a tape of the next bytes. When there are not as many it is empty and
// b has a fault.
func (b *tape) part(size uint64) *tape {
	if b.fault != nil || size > uint64(len(b.all)-b.pos) {
		b.fault = &fault{rule.None, b.pos}
		return &tape{fault: b.fault}
	}
	b.pos += int(size)
	return &tape{all: b.all[b.pos-int(size) : b.pos]}
}

func (b *tape) string() string {
	part := b.part(uint64(b.number32()))
	return string(part.all)
}

func (t *tables) takeStacks(b *tape) {
	first, count := b.fixed(4), b.fixed(4)
	if first+count > 1<<32 {
		return
	}
	for id := first; id < first+count && b.fault == nil; id++ {
		size := b.fixed(4)
		part := b.part(uint64(int64(int32(size)))) // a negative one is too large
		if b.fault != nil {
			return
		}
		var stack []uint64
		for len(part.all)-part.pos >= t.pointer {
			stack = append(stack, part.fixed(t.pointer))
		}
		t.stacks[uint32(id)] = stack
	}
}

func (t *tables) takeLabels(b *tape) {
	first, count := b.fixed(4), b.fixed(4)
	if first+count > 1<<32 {
		return
	}
	for id := first; id < first+count && b.fault == nil; id++ {
		var list []codec.Label
		for last := false; !last && b.fault == nil; {
			var l codec.Label
			l, last = b.label()
			list = append(list, l)
		}
		if b.fault == nil && id != 0 {
			t.labels[uint32(id)] = list
		}
	}
}

func (b *tape) label() (l codec.Label, last bool) {
	kind := b.take(b.pos)
	l.Kind, last = wire.LabelKind(kind%128), kind >= 128
	switch l.Kind {
	case 1, 2, 3:
		l.GUID = b.guid()
	case 4, 8:
		l.Number = b.fixed(8)
	case 5:
		l.Key = b.string()
		l.Value = b.string()
	case 6:
		l.Key = b.string()
		n := b.number64()
		l.Number = n/2 ^ -(n % 2)
	case 7, 9, 10:
		l.Number = uint64(b.take(b.pos))
	default:
		b.fault = &fault{rule.LBL003, b.pos}
	}
	return l, last
}

// takeThread takes in a row, if it is whole.
func (t *tables) takeThread(b *tape) bool {
	row := codec.Thread{Index: b.number64()}
	for b.pos < len(b.all) && b.fault == nil {
		switch b.take(b.pos) {
		case 1:
			row.Name = b.string()
		case 2:
			row.ProcessID, row.HasProcessID = b.number64(), true
		case 3:
			row.ThreadID, row.HasThreadID = b.number64(), true
		case 4:
			key := b.string()
			row.Attributes = append(row.Attributes, codec.KeyValue{Key: key, Value: b.string()})
		default:
			b.fault = &fault{rule.THR002, b.pos}
		}
	}
	if b.fault == nil {
		t.threads[row.Index] = row
	}
	return b.fault == nil
}

func (t *tables) removeThreads(b *tape) {
	for b.pos < len(b.all) {
		index := b.number64()
		b.number32()
		if _, ok := t.threads[index]; b.fault != nil || !ok {
			return
		}
		delete(t.threads, index)
	}
}

// agrees compares what an event refers to with the tables. The event is one that
// [stream.events] writes: its label list has the number of its thread.
func (t *tables) agrees(e *record) error {
	var d digester
	stack, labels := t.stacks[e.StackID], t.labels[uint32(e.CaptureThread)]
	if t.number != 6 {
		labels = nil
	}
	var thread, capture *codec.Thread
	if t.number == 6 {
		thread, capture = t.thread(e.Thread), t.thread(e.CaptureThread)
	}
	switch {
	case e.Stack != d.stack(stack):
		return fmt.Errorf("event at %d: stack %d is not %x", e.Offset, e.StackID, stack)
	case e.Labels != d.labels(labels):
		return fmt.Errorf("event at %d: the %d labels are not %+v", e.Offset, e.LabelCount, labels)
	case e.ThreadRow != d.thread(thread) || e.CaptureThreadRow != d.thread(capture):
		return fmt.Errorf("event at %d: thread %d is not %+v", e.Offset, e.Thread, thread)
	case t.number == 6 && e.Metadata != d.metadata(t.metadata[e.MetadataID]):
		return fmt.Errorf("event at %d: metadata %d is not %+v", e.Offset, e.MetadataID, t.metadata[e.MetadataID])
	}
	return nil
}

func (t *tables) thread(index uint64) *codec.Thread {
	if row, ok := t.threads[index]; ok {
		return &row
	}
	return nil
}
