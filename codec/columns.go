package codec

import (
	"slices"
)

// Columns are the event rows of one block, one slice per field: index i of each
// slice belongs to row i. The numbers are those of Event's fields of the same
// name. BlockReader.Columns fills them and reuses their memory.
//
// Block, the payloads and the rows that the ids refer to are valid until the
// next step of the BlockReader; all other slices until the next call of
// BlockReader.Columns with the same Columns.
type Columns struct {
	Block              *Block   // the block of the rows, valid until the next step
	Timestamp          []uint64 // ticks
	ThreadIndex        []uint64 // thread of the event
	CaptureThreadIndex []uint64 // thread that logged the event
	MetadataID         []uint32 // for BlockReader.Metadata
	Sequence           []uint32 // number on the capture thread; 0 in v3
	StackID            []uint32 // for BlockReader.Stack; 0 in v3
	Processor          []uint32 // wire.UnknownProcessor if unknown
	LabelListID        []uint32 // for BlockReader.LabelList (v6); 0 in v3 to v5
	Offset             []uint32 // position of the row in Block.Body
	PayloadStart       []uint32 // position of the payload in Block.Body
	PayloadSize        []uint32 // bytes
	Flags              []byte   // see Event.RowFlags
}

// Len returns the number of rows.
func (c *Columns) Len() int { return len(c.Timestamp) }

// Payload returns the payload of row i.
func (c *Columns) Payload(i int) []byte {
	start, end := c.PayloadStart[i], c.PayloadStart[i]+c.PayloadSize[i]
	return c.Block.Body[start:end:end]
}

// Thread returns the row of the thread table (v6) that has the index at this place
// of the stream, or nil if there is none. In v3 to v5 it returns nil. The row stays
// valid.
func (r *stream) Thread(index uint64) *Thread { return r.threads.get(index) }

// resize makes all columns n long and keeps their values up to that.
func (c *Columns) resize(n int) {
	c.Timestamp, c.ThreadIndex, c.CaptureThreadIndex = resized(c.Timestamp, n), resized(c.ThreadIndex, n), resized(c.CaptureThreadIndex, n)
	c.MetadataID, c.Sequence, c.StackID = resized(c.MetadataID, n), resized(c.Sequence, n), resized(c.StackID, n)
	c.Processor, c.LabelListID, c.Offset = resized(c.Processor, n), resized(c.LabelListID, n), resized(c.Offset, n)
	c.PayloadStart, c.PayloadSize, c.Flags = resized(c.PayloadStart, n), resized(c.PayloadSize, n), resized(c.Flags, n)
}

func resized[T any](s []T, n int) []T {
	return slices.Grow(s, max(0, n-len(s)))[:n]
}

// add appends the rows of a batch. Each loop fills few columns, so that their
// places stay in registers.
func (c *Columns) add(batch []Event, labels bool) {
	n := c.Len()
	c.resize(n + len(batch))
	times, threads, captures := c.Timestamp[n:], c.ThreadIndex[n:], c.CaptureThreadIndex[n:]
	for i := range batch {
		e := &batch[i]
		times[i], threads[i], captures[i] = e.Timestamp, e.ThreadIndex, e.CaptureThreadIndex
	}
	metadata, sequences, stacks, processors := c.MetadataID[n:], c.Sequence[n:], c.StackID[n:], c.Processor[n:]
	for i := range batch {
		e := &batch[i]
		metadata[i], sequences[i], stacks[i], processors[i] = e.MetadataID, e.Sequence, e.StackID, e.Processor
	}
	offsets, starts, sizes, flags := c.Offset[n:], c.PayloadStart[n:], c.PayloadSize[n:], c.Flags[n:]
	for i := range batch {
		e := &batch[i]
		offsets[i], starts[i], sizes[i], flags[i] = e.row(), e.payload, e.size, e.flags
	}
	lists := c.LabelListID[n:]
	if !labels {
		clear(lists)
		return
	}
	for i := range batch {
		lists[i] = batch[i].labels
	}
}
