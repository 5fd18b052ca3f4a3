package fuzz

import (
	"fmt"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// tables are the tables of rows, from a second reading of the blocks that define
// them: byte by byte, with maps.
type tables struct {
	version
	stacks   map[uint32][]uint64
	labels   map[uint32][]codec.Label
	threads  map[uint64]codec.Thread
	metadata map[uint32]*codec.Metadata // v6
}

// newTables are the tables that wrap_test.go writes.
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
	if !v.HasMetadataHeaders() {
		t.apply(wire.KindMetadata, newStream(v).metadata(tableIDs))
	}
	return t
}

// apply reads the body of a block, up to the first fault.
func (t *tables) apply(kind wire.Kind, body []byte) {
	header, rows, _ := t.rowsOf(kind, body)
	switch kind {
	case wire.KindStack, wire.KindLabelList:
		t.takeLists(kind, &header, rows)
	case wire.KindSequencePoint:
		clear(t.stacks)
		clear(t.labels)
		t.flush(header.value("Flags"))
	default:
		for i := range rows {
			if !t.takeRow(kind, &rows[i]) {
				return
			}
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

// takeRow stores a row, if it is valid.
func (t *tables) takeRow(kind wire.Kind, l *rowFields) bool {
	switch kind {
	case wire.KindMetadata:
		return t.takeMetadata(l)
	case wire.KindThread:
		t.takeThread(l)
	case wire.KindRemoveThread:
		index := l.number()
		_, ok := t.threads[index]
		delete(t.threads, index)
		return ok
	}
	return true
}

// takeLists stores stacks or label lists, which the header numbers.
func (t *tables) takeLists(kind wire.Kind, header *rowFields, rows []rowFields) {
	first, count := header.number(), header.number()
	if first+count > 1<<32 {
		return
	}
	for i := range rows {
		id := uint32(first) + uint32(i)
		if kind == wire.KindStack {
			t.stacks[id] = rows[i].addresses()
		} else if id != 0 {
			t.labels[id] = rows[i].labels()
		}
	}
}

func (l *rowFields) addresses() (stack []uint64) {
	for l.more() {
		if f := l.next(); f.Name == "IP" {
			stack = append(stack, f.Value)
		}
	}
	return stack
}

func (l *rowFields) labels() (list []codec.Label) {
	for l.more() {
		label := codec.Label{Kind: wire.LabelKind(l.number() % 128)}
		switch label.Kind {
		case 1, 2, 3:
			label.GUID = l.guid()
		case 5:
			label.Key = l.text()
			label.Value = l.text()
		case 6:
			label.Key = l.text()
			label.Number = l.number()
		default:
			label.Number = l.number()
		}
		list = append(list, label)
	}
	return list
}

func (t *tables) takeThread(l *rowFields) {
	l.next() // the size
	row := codec.Thread{Index: l.number()}
	for l.more() {
		switch l.number() {
		case 1:
			row.Name = l.text()
		case 2:
			row.ProcessID, row.HasProcessID = l.number(), true
		case 3:
			row.ThreadID, row.HasThreadID = l.number(), true
		case 4:
			key := l.text()
			row.Attributes = append(row.Attributes, codec.KeyValue{Key: key, Value: l.text()})
		}
	}
	t.threads[row.Index] = row
}

// agrees compares the references of an event with the tables. The event is one
// that [stream.events] writes: its label list has the number of its thread.
func (t *tables) agrees(e *record) error {
	var d digester
	stack, labels := t.stacks[e.StackID], t.labels[uint32(e.CaptureThread)]
	if !t.HasLabelLists() {
		labels = nil
	}
	var thread, capture *codec.Thread
	if t.HasThreadTable() {
		thread, capture = t.thread(e.Thread), t.thread(e.CaptureThread)
	}
	switch {
	case e.Stack != d.stack(stack):
		return fmt.Errorf("event at %d: stack %d is not %x", e.Offset, e.StackID, stack)
	case e.Labels != d.labels(labels):
		return fmt.Errorf("event at %d: the %d labels are not %+v", e.Offset, e.LabelCount, labels)
	case e.ThreadRow != d.thread(thread) || e.CaptureThreadRow != d.thread(capture):
		return fmt.Errorf("event at %d: thread %d is not %+v", e.Offset, e.Thread, thread)
	case !t.HasMetadataHeaders() && e.Metadata != d.metadata(t.metadata[e.MetadataID]):
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
