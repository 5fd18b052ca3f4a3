package codec

import (
	"slices"

	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// refill makes next < ready, from the current block or, if allowed, from those
// that follow.
func (r *stream) refill(follow bool) bool {
	for {
		switch {
		case r.next < r.ready:
			return true
		case r.next < r.decoded:
			if !r.reportNotices() {
				return false
			}
		case r.inRows && r.fatal == nil:
			r.decodeBatch(r.batch)
		case r.fatal != nil:
			return r.stop(r.fatal)
		case !follow || !r.advance():
			return false
		}
	}
}

// nextEvent returns the next event of the current block.
func (r *stream) nextEvent() (*Event, bool) {
	if r.next >= r.ready && !r.refill(false) {
		return nil, false
	}
	r.next++
	return &r.batch[r.next-1], true
}

// readEventBlock starts the rows of an event block.
func readEventBlock(r *stream, b *raw.Block) {
	if r.eventHeader(b, &r.rows) {
		r.bounded = bounds(r.block.MinTimestamp, r.block.MaxTimestamp)
		r.openRows(b)
	}
}

func (r *stream) openRows(b *raw.Block) {
	r.body, r.inRows = b, true
	r.source.body, r.source.offset, r.source.block = b.Body, b.BodyOffset, b.Offset
	r.source.metadata = r.metadata
}

// readEventBlockV3 does the same for v3, whose blocks have no header.
func readEventBlockV3(r *stream, b *raw.Block) {
	r.beginRows(&r.rows, 0)
	r.bounded = false
	r.openRows(b)
}

// decodeBatch decodes the next rows of the current block, or ends it.
func (r *stream) decodeBatch(dst []Event) {
	s := &r.rows
	r.next, r.ready, r.decoded, r.notices, r.reported = 0, 0, 0, r.notices[:0], 0
	if r.badRows != rule.None || s.pos >= len(r.body.Body) {
		r.endRows()
		return
	}
	s.beginBatch()
	n, bad := r.dialect.rows[r.block.Flags&wire.BlockCompressed](s, r.body.Body, dst)
	r.badRows, r.source.activities = bad, s.activities
	r.first = r.block.Rows
	r.block.Rows += n
	if r.dialect.inline && n > 0 && dst[0].MetadataID == 0 {
		r.defineInline(&dst[0])
		return
	}
	if r.sliced {
		n = r.truncatedSlice(dst[:n])
	}
	r.decoded = n
	r.seen += int64(n)
	if r.bounded && n > 0 {
		r.checkBounds(dst[:n])
	}
	if s.unknown {
		r.checkReferences(dst[:n])
	}
	if r.dialect.sequenced && n > 0 && !r.sliced {
		r.account(dst[:n], s)
		r.mayHold(int64(s.marked) * stateSize)
		if err := r.overThreads(); err != nil {
			r.fatal = err
		}
	}
	if len(r.notices) == 0 {
		r.ready = n
	} else {
		slices.SortStableFunc(r.notices, func(a, b notice) int { return a.row - b.row })
	}
}

// truncatedSlice moves the events of a batch that lie in the slice to its front and
// returns their number.
func (r *stream) truncatedSlice(batch []Event) int {
	n := 0
	for i := range batch {
		if r.within.Contains(batch[i].Timestamp) {
			batch[n] = batch[i]
			n++
		}
	}
	return n
}

// defineInline reads a v3 row that defines metadata.
func (r *stream) defineInline(e *Event) {
	b := r.body
	end := e.payload + e.size
	c := cursor{b: b.Body[:end:end], pos: int(e.payload)}
	r.block.Rows-- // define counts it
	r.definitionV4(&c, MetadataRow{Offset: e.Offset(), Size: r.rows.pos - int(e.row())})
	c.past = false
	if r.badRow(b, &c) {
		r.inRows, r.badRows = false, rule.None
		return
	}
	r.rows.metadata = r.metadata.reach()
	r.source.metadata = r.metadata
}

// endRows ends an event block.
func (r *stream) endRows() {
	s, b := &r.rows, r.body
	bad := r.badRows
	r.inRows, r.badRows = false, rule.None
	switch {
	case bad != rule.None:
		r.badBlock(b, bad, b.BodyOffset+int64(s.badPos), ErrBadBlock, s.past)
	case r.block.Rows == 0 && !b.Truncated:
		r.defectAt(rule.EVB005, b.Offset, NoRow)
	}
}

// note keeps a notice for a row of the batch.
func (r *stream) note(row int, n notice) {
	n.row = row
	r.notices = append(r.notices, n)
}

// reportNotices reports the notices of the next row, and whether the row may be returned.
func (r *stream) reportNotices() bool {
	e := &r.batch[r.next]
	for r.reported < len(r.notices) && r.notices[r.reported].row == r.next {
		n := r.notices[r.reported]
		r.reported++
		if n.edge {
			r.reportEdge(r.edgeOf(e, r.defectOf(n.rule, e.Offset(), r.first+r.next)))
			continue
		}
		if n.lost > 0 {
			r.report(Lost{CaptureThread: e.CaptureThreadIndex, Count: n.lost, Before: e.Timestamp, HasBefore: true})
			continue
		}
		defect := r.defectOf(n.rule, e.Offset(), r.first+r.next)
		if r.opt.Strict {
			return r.stop(r.countLast(defect))
		}
		r.count(defect)
	}
	r.ready = r.decoded
	if r.reported < len(r.notices) {
		r.ready = r.notices[r.reported].row
	}
	return true
}
