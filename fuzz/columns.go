package fuzz

import (
	"fmt"

	"github.com/nettrace-go/nettrace/codec"
)

// columns reads the stream a block of columns at a time and holds each row
// against the event of the block door.
func (c *checker) columns() error {
	opt := codec.Options{OnError: codec.Skip}
	r, events := codec.NewReader(crumble(c.b, c.dice), opt), codec.NewBytesReader(c.b, opt)
	var columns codec.Columns
	i := 0
	for _, ok := events.NextBlock(); ok; _, ok = events.NextBlock() {
		for e, ok := events.NextInBlock(); ok; e, ok = events.NextInBlock() {
			if i == columns.Len() {
				if i = 0; !r.ReadBlock(&columns) {
					return fmt.Errorf("columns: they end before the event at %d: %w", e.Offset(), r.Err())
				}
			}
			if got, want := rowOfColumns(&columns, i), rowOfEvent(events, e); got != want {
				return fmt.Errorf("columns: %+v, the event is %+v", got, want)
			}
			i++
		}
	}
	switch {
	case i < columns.Len() || r.ReadBlock(&columns):
		return fmt.Errorf("columns: there are more rows than events")
	case fmt.Sprint(r.Err(), r.Lost(), r.Defects(), r.Count()) != fmt.Sprint(events.Err(), events.Lost(), events.Defects(), events.Count()):
		return fmt.Errorf("columns: %v, lost %d, %v; events: %v, lost %d, %v", r.Err(), r.Lost(), r.Defects(), events.Err(), events.Lost(), events.Defects())
	}
	return nil
}

// columnsRow is what both doors say of a row.
type columnsRow struct {
	offset                                               int64
	time, thread, capture                                uint64
	metadata, sequence, processor, stack, labels, length uint32
	flags                                                byte
	payload                                              string
}

func rowOfColumns(c *codec.Columns, i int) columnsRow {
	return columnsRow{
		c.Block.BodyOffset + int64(c.Offset[i]), c.Timestamp[i], c.ThreadIndex[i], c.CaptureThreadIndex[i],
		c.MetadataID[i], c.Sequence[i], c.Processor[i], c.StackID[i], c.LabelListID[i], c.PayloadSize[i],
		c.Flags[i], string(c.Payload(i)),
	}
}

func rowOfEvent(r *codec.Reader, e *codec.Event) columnsRow {
	var row codec.EventRow
	e.Row(&row)
	return columnsRow{
		e.Offset(), e.Timestamp, e.ThreadIndex, e.CaptureThreadIndex,
		e.MetadataID, e.Sequence, e.Processor, e.StackID, row.LabelListID, uint32(len(e.Payload())),
		r.RowFlags(e), string(e.Payload()),
	}
}
