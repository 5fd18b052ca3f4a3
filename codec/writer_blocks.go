package codec

import (
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// eventBlocks are the event blocks of a Writer that are not written yet. The last
// one is open.
type eventBlocks struct {
	rowEncoder         // the bodies of all, one after the other
	closed     []int   // where the closed ones end
	rows       int     // in the closed ones
	start      int     // where the open one begins, with its header
	count      int     // rows in the open one
	min, max   uint64  // times of the open one
	ends       []int64 // of the rows of all, if the Writer keeps them
}

// eventHeader is the size of the header of an event block.
const eventHeader = 20

// empty removes all blocks and opens one.
func (b *eventBlocks) empty() {
	b.body = b.body[:0]
	b.closed, b.rows, b.ends = b.closed[:0], 0, b.ends[:0]
	b.open()
}

// open begins a block with space for its header.
func (b *eventBlocks) open() {
	var header [eventHeader]byte
	b.start, b.count = len(b.body), 0
	b.begin(append(b.body, header[:]...))
}

// close fills in the header of the open block.
func (b *eventBlocks) close(flags uint16) {
	le, header := binary.LittleEndian, b.body[b.start:]
	le.PutUint16(header, eventHeader)
	le.PutUint16(header[2:], flags)
	le.PutUint64(header[4:], b.min)
	le.PutUint64(header[12:], b.max)
	b.closed = append(b.closed, len(b.body))
	b.rows += b.count
}

// appendTo appends the closed blocks to a stream, and makes ends positions in it.
func (b *eventBlocks) appendTo(stream *raw.Writer, block *raw.Block) error {
	start, ends := 0, b.ends
	for _, end := range b.closed {
		*block = raw.Block{Kind: wire.KindEvent, Body: b.body[start:end]}
		if err := stream.Append(block); err != nil {
			return err
		}
		for len(ends) > 0 && ends[0] <= int64(end) {
			ends[0] += block.BodyOffset - int64(start)
			ends = ends[1:]
		}
		start = end
	}
	return nil
}

// saved counts the rows of the closed blocks that are in the first bytes of the
// stream.
func (b *eventBlocks) saved(written int64) (n uint64) {
	for _, end := range b.ends {
		if end <= written {
			n++
		}
	}
	return n
}

// mark is a row that may be marked as sorted if no row after it is older.
type mark struct {
	at   int // of its flags in the bodies of the event blocks
	time uint64
}

// full reports whether the event blocks must be written before a record.
func (w *Writer) full(rec *Record) bool {
	if w.events.count == 0 {
		return false
	}
	waiting := max(len(w.stacks.pending), len(w.labels.pending))
	return len(w.events.body)+eventSize(rec) > w.opt.BlockBytes || waiting > w.opt.BlockBytes ||
		w.opt.BlockTicks > 0 && rec.Timestamp > w.first && rec.Timestamp-w.first >= w.opt.BlockTicks
}

// append encodes w.row into the open block.
func (w *Writer) append(c *captured) {
	row := &w.row[0]
	if w.events.count == 0 || row.CaptureThreadIndex != w.events.prev.CaptureThreadIndex {
		w.beginRun(row)
	}
	if w.events.count == 0 {
		w.events.min, w.events.max = row.Timestamp, row.Timestamp
	}
	w.events.min, w.events.max = min(w.events.min, row.Timestamp), max(w.events.max, row.Timestamp)
	before := len(w.events.body)
	w.enc.to.rows[w.flags()](&w.events.rowEncoder, w.row[:])
	w.events.prev.CaptureThreadIndex = row.CaptureThreadIndex
	if w.keepEnds {
		w.events.ends = append(w.events.ends, int64(len(w.events.body)))
	}
	if w.region.events == 0 {
		w.region.first = row.Timestamp
	}
	w.events.count++
	w.ended = false
	w.region.events++
	w.region.bytes += int64(len(w.events.body) - before)
	if row.Sorted && row.Timestamp >= w.last {
		w.region.release(int64(len(w.events.body) - w.events.start))
	}
	c.sequence, c.visible, c.last, c.used, c.removed = row.Sequence, row.Sequence, row.Timestamp, true, false
	w.last = max(w.last, row.Timestamp)
}

// beginRun prepares the first row of a block, or one whose capture thread is not
// that of the row before.
func (w *Writer) beginRun(row *EventRow) {
	if w.events.count == 0 {
		w.first = row.Timestamp
	}
	if w.opt.Ordered {
		row.Sorted = true
		return
	}
	if w.events.count > 0 && !row.Sorted && !w.opt.MixedThreads {
		w.closeBlock()
		w.events.open()
	}
	w.marks = append(w.marks, mark{len(w.events.body), row.Timestamp})
}

// closeBlock closes the open block, which has rows.
func (w *Writer) closeBlock() {
	w.events.close(w.flags())
	w.region.closeBlock()
}

// flags are those of the header of event blocks.
func (w *Writer) flags() uint16 {
	if w.opt.Uncompressed {
		return 0
	}
	return wire.BlockCompressed
}

// Flush writes everything that is pending: first the rows that the events refer
// to, then the events. A program that writes for a reader of the running process
// calls it a few times a second; more calls make more and shorter blocks.
func (w *Writer) Flush() error {
	if err := w.ready(); err != nil {
		return err
	}
	if err := w.begin(); err != nil {
		return err
	}
	for _, table := range []func() error{w.flushMetadata, w.flushThreads, w.flushStacks, w.flushLabels} {
		if err := table(); err != nil {
			return err
		}
	}
	if w.events.count == 0 {
		return nil
	}
	return w.flushEvents()
}

// flushEvents writes the event blocks, and counts the rows that the destination
// took: all of them, or those before the place where it failed.
func (w *Writer) flushEvents() error {
	w.closeBlock()
	err := w.events.appendTo(&w.raw, &w.next)
	if err == nil {
		err = w.raw.Flush()
	}
	if err == nil {
		w.saved += uint64(w.events.rows)
	} else {
		w.saved += w.events.saved(w.raw.Written())
	}
	w.emptyBlocks()
	return w.final(err)
}

// emptyBlocks removes the event blocks.
func (w *Writer) emptyBlocks() {
	w.marks = w.marks[:0]
	w.events.empty()
}

// begin writes the Trace block.
func (w *Writer) begin() error {
	if w.begun {
		return nil
	}
	body, err := w.enc.trace(w.body[:0], &BlockRows{Trace: &w.opt.Trace})
	if err != nil {
		return w.final(err)
	}
	w.begun = true
	return w.write(wire.KindTrace, body)
}

func (w *Writer) write(kind wire.Kind, body []byte) error {
	w.next = raw.Block{Kind: kind, Body: body}
	return w.final(w.raw.Block(&w.next))
}

// final keeps the error that ends the writing.
func (w *Writer) final(err error) error {
	if err != nil && w.err == nil {
		w.err = err
	}
	return err
}

// markSorted sets the flag of the rows of the event blocks that no later row is
// older than; all later blocks come after a sequence point.
func (w *Writer) markSorted() {
	oldest := uint64(1<<64 - 1)
	for i := len(w.marks) - 1; i >= 0; i-- {
		m := &w.marks[i]
		if oldest = min(oldest, m.time); m.time > oldest {
			continue
		}
		if w.opt.Uncompressed {
			w.events.body[m.at+7] &^= wire.NotSortedBit >> 24
		} else {
			w.events.body[m.at] |= wire.RowSorted
		}
	}
	w.marks = w.marks[:0]
}
