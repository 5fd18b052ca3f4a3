package fuzz

import (
	"fmt"

	"github.com/nettrace-go/nettrace/codec"
)

// columns reads the columns of each block and compares each row with the event.
func (c *checker) columns() error {
	opt := codec.Options{OnError: codec.Skip}
	r, events := codec.NewBlockReader(crumble(c.b, c.dice), opt), codec.NewBytesBlockReader(c.b, opt)
	var columns codec.Columns
	i := 0
	for _, ok := events.Next(); ok; _, ok = events.Next() {
		for e, ok := events.NextEvent(); ok; e, ok = events.NextEvent() {
			if i == columns.Len() {
				if i = 0; !nextColumns(r, &columns) {
					return fmt.Errorf("columns: they end before the event at %d: %w", e.Offset(), r.Err())
				}
			}
			if got, want := rowOfColumns(&columns, i), rowOfEvent(e); got != want {
				return fmt.Errorf("columns: %+v, the event is %+v", got, want)
			}
			i++
		}
	}
	switch {
	case i < columns.Len() || nextColumns(r, &columns):
		return fmt.Errorf("columns: there are more rows than events")
	case fmt.Sprint(r.Err(), r.Lost(), r.Defects(), r.Count()) != fmt.Sprint(events.Err(), events.Lost(), events.Defects(), events.Count()):
		return fmt.Errorf("columns: %v, lost %d, %v; events: %v, lost %d, %v", r.Err(), r.Lost(), r.Defects(), events.Err(), events.Lost(), events.Defects())
	}
	return nil
}

// nextColumns reads the next block that has event rows.
func nextColumns(r *codec.BlockReader, dst *codec.Columns) bool {
	for _, ok := r.Next(); ok; _, ok = r.Next() {
		if r.Columns(dst); dst.Len() > 0 {
			return true
		}
	}
	return false
}

// columnsRow is the content of a row by both APIs.
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

func rowOfEvent(e *codec.Event) columnsRow {
	var row codec.EventRow
	e.Row(&row)
	return columnsRow{
		e.Offset(), e.Timestamp, e.ThreadIndex, e.CaptureThreadIndex,
		e.MetadataID, e.Sequence, e.Processor, e.StackID, row.LabelListID, uint32(len(e.Payload())),
		e.RowFlags(), string(e.Payload()),
	}
}
