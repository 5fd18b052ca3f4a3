package gen

import (
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Times of a template, relative to its start.
const (
	templatePlain  = 2000 // first row of the uncompressed block
	templatePoint  = 4000 // the point between the regions
	templateSecond = 5000 // first row after it
	templateEnd    = 9000 // the last two points
)

// add adds rows of event type 1: thread and time by turns. The first row of a
// thread's run is sorted.
func (y *templateBuilder) add(rows ...uint64) {
	for i := 0; i < len(rows); i += 2 {
		row := y.order(rows[i], rows[i+1], i == 0 || rows[i] != rows[i-2])
		y.b.Event(&row)
	}
}

// first makes the events of the first region: two runs, the second of which
// begins before the first one ends. Thread 3 ends there.
func (y *templateBuilder) first() {
	y.add(3, 100, 1, 200, 1, 400, 1, 600, 2, 300, 2, 500, 2, 700)
	y.flush(roleRows)
	y.b.Plain = true
	y.add(1, templatePlain, 1, templatePlain+200, 2, templatePlain+100, 2, templatePlain+300, 3, templatePlain+400)
	y.flush(rolePlain)
	y.b.Plain = false
	if y.format.HasRemovedThreads() {
		y.b.RemoveThreads(3)
		y.roles = append(y.roles, roleRemove)
	}
}

// middle makes the sequence point between the regions, and defines the table rows
// of the second one.
func (y *templateBuilder) middle() {
	y.b.SequencePoint(y.start+templatePoint, 0)
	y.roles = append(y.roles, rolePoint)
	y.b.Stack(y.addresses())
	y.flush(roleSecondStacks)
	if y.format.HasLabelLists() {
		y.b.Labels(y.labels()...)
		y.flush(roleSecondLabels)
	}
}

// second makes events of type 2, and two of type 1 with fields left out.
func (y *templateBuilder) second() {
	for i := range uint64(3) {
		row := y.order(1, templateSecond+100*i, i == 0)
		row.MetadataID, row.StackID, row.Payload = 2, 1, y.value()
		if y.format.HasLabelLists() {
			row.LabelListID = 1
		}
		y.b.Event(&row)
	}
	for i := range uint64(2) {
		row := y.order(1, templateSecond+1000*(i+1), false)
		if row.StackID, row.Written = 1, 0; y.format.HasLabelLists() {
			row.LabelListID = 1
		}
		row.Activity, row.Related = wire.GUID{}, wire.GUID{}
		y.b.Event(&row)
	}
	y.flush(roleValues)
}

// value is a payload of event type 2: see valueFields.
func (y *templateBuilder) value() []byte {
	le := binary.LittleEndian
	p := wire.AppendUTF16Z([]byte{1, 0, 0, 0}, "text"+number(y.n(10)))
	if y.format.HasType(wire.Array) {
		p = le.AppendUint16(p, 2)
		p = le.AppendUint64(p, y.n(1<<60))
	}
	if y.format.HasType(wire.VarUInt) {
		p = append(le.AppendUint16(p, 3), "abc"...)
		p = wire.AppendVarUint(p, 1<<20+y.n(1<<20))
		rest := uint32(len(p)) + 8
		p = le.AppendUint32(p, 4<<16|4)
		p = le.AppendUint32(p, 2<<16|(rest+4))
		p = append(p, 1, 0, 2, 0, 3, 0)
	}
	return p
}

// spare defines rows that no event refers to, and ends with two sequence points.
func (y *templateBuilder) spare() {
	y.b.Metadata(y.unused("Spare"))
	y.flush(roleSpareMetadata)
	y.b.Stack(y.addresses())
	y.b.Stack(y.addresses())
	y.flush(roleSpareStacks)
	if y.format.HasThreadTable() {
		y.b.Thread(y.thread(8))
		y.b.Thread(y.thread(9))
		y.flush(roleSpareThreads)
		y.b.Labels(y.labels()...)
		y.b.Labels(codec.Label{Kind: wire.LabelOpcode, Number: 5})
		y.flush(roleSpareLabels)
	}
	y.b.SequencePoint(y.start+templateEnd, 0)
	y.b.SequencePoint(y.start+templateEnd+1000, 0)
	y.roles = append(y.roles, roleLastPoint, roleFinalPoint)
}
