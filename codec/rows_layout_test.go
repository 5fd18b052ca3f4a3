package codec

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec/internal/traces"
	"github.com/nettrace-go/nettrace/codec/layout"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// TestRowsAgreeWithLayout compares each row that the loops decode with its fields
// as package layout finds them.
func TestRowsAgreeWithLayout(t *testing.T) {
	rows := 0
	for _, name := range traces.Names(t) {
		t.Run(name, func(t *testing.T) { rows += compareRows(t, traces.Read(t, name)) })
	}
	for seed := range uint64(3) {
		rows += compareRows(t, syntheticV6(t, seed))
	}
	if rows < 10000 {
		t.Errorf("only %d rows were compared", rows)
	}
}

func compareRows(t *testing.T, stream []byte) (rows int) {
	t.Helper()
	o := newRowsOf(t, "", stream)
	walker := layout.NewWalker(layout.Options{Format: o.format})
	for _, body := range o.bodies {
		s, pos := rowState{}, 0
		var want Event
		for pos < len(body) {
			s.beginBatch()
			n, _ := o.loop(&s, body, o.dst)
			for i := range o.dst[:n] {
				for f := range walker.EventRow(true, body, pos, int(want.size)) {
					want.accumulate(&f)
				}
				want.count(o.format.HasThreadTable())
				want.start = uint8(pos)
				if got := &o.dst[i]; !sameRow(got, &want, o.format.HasThreadTable()) {
					t.Fatalf("row at %d: %+v, by its fields %+v", pos, got, want)
				}
				pos = walker.Pos()
				rows++
			}
			if n == 0 {
				t.Fatalf("no row at %d of %d", pos, len(body))
			}
		}
	}
	return rows
}

// accumulate applies a field of a compressed row.
func (e *Event) accumulate(f *layout.Field) {
	switch f.Name {
	case "Flags":
		e.flags = byte(f.Value)
	case "MetadataId":
		e.MetadataID = uint32(f.Value)
	case "SequenceNumber":
		e.Sequence += uint32(f.Value)
	case "CaptureThreadId", "CaptureThreadIndex":
		e.CaptureThreadIndex = f.Value
	case "ProcessorNumber":
		e.Processor = uint32(f.Value)
	case "ThreadId", "ThreadIndex":
		e.ThreadIndex = f.Value
	case "StackId":
		e.StackID = uint32(f.Value)
	case "TimeStamp":
		e.Timestamp += f.Value
	case "LabelListId":
		e.labels = uint32(f.Value)
	case "Payload":
		e.payload, e.size = uint32(f.Pos), uint32(f.Size)
	}
}

// count counts the sequence number on, which rows of v4 without metadata do only
// when they state it.
func (e *Event) count(always bool) {
	if always || e.flags&wire.RowSequence != 0 || e.MetadataID != 0 {
		e.Sequence++
	}
}

func sameRow(a, b *Event, labels bool) bool {
	return a.Timestamp == b.Timestamp && a.ThreadIndex == b.ThreadIndex && a.CaptureThreadIndex == b.CaptureThreadIndex &&
		a.MetadataID == b.MetadataID && a.Sequence == b.Sequence && a.StackID == b.StackID && a.Processor == b.Processor &&
		(!labels || a.labels == b.labels) && a.payload == b.payload && a.size == b.size && a.flags == b.flags && a.start == b.start
}
