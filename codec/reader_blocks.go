package codec

import "github.com/nettrace-go/nettrace/codec/wire"

// NextBlock goes to the next block and returns it, the end mark included, or
// returns false when there is none: Err returns the reason. Blocks come in file
// order whatever Options.Order is. NextBlock passes over the events that were not
// delivered yet: those left in the block before, and, by time, those that wait to
// be ordered. It panics inside a loop over Events.
func (r *Reader) NextBlock() (*Block, bool) {
	r.outsideLoop("NextBlock")
	r.passWaiting()
	for r.refill(false) {
		r.next = r.ready
	}
	if !r.takeStashed() && !r.advance() {
		return nil, false
	}
	return &r.block, true
}

// NextInBlock returns the next event of the current block, or false after the
// last one. It panics inside a loop over Events.
func (r *Reader) NextInBlock() (*Event, bool) {
	if r.next >= r.ready && !r.more("NextInBlock", false) {
		return nil, false
	}
	r.next++
	return &r.batch[r.next-1], true
}

// ReadBlock reads the next event block that has rows into dst, and returns false
// when there is none: Err returns the reason. Blocks come in file order whatever
// Options.Order is. Rows before the one that ends the reading are in dst, and the
// error follows them; losses and defects are reported before the block is handed
// out. ReadBlock passes over events as NextBlock does. It panics inside a loop
// over Events.
//
// Reader.Metadata, Stack, Thread and LabelList give what the ids refer to.
func (r *Reader) ReadBlock(dst *Columns) bool {
	r.outsideLoop("ReadBlock")
	for {
		b, ok := r.NextBlock()
		if !ok {
			dst.resize(0)
			return false
		}
		if b.Kind != wire.KindEvent {
			continue
		}
		dst.Block = b
		dst.resize(0)
		for r.refill(false) {
			dst.add(r.batch[r.next:r.ready], r.dialect.indexed)
			r.next = r.ready
		}
		if dst.Len() > 0 {
			return true
		}
	}
}

// FirstBlock returns the Trace block, with which every stream begins, and reads
// it if that has not been done. NextBlock then returns the block after it. The
// block is valid until the next step. FirstBlock returns ErrStarted when more
// than the Trace block has been read, and the stream's own error when it has no
// complete header.
func (r *Reader) FirstBlock() (*Block, error) {
	if err := r.AtStart(); err != nil {
		return nil, err
	}
	if _, err := r.Trace(); err != nil {
		return nil, err
	}
	return &r.block, nil
}

// Rows is BlockReader.Rows.
func (r *Reader) Rows(dst *BlockRows) { r.readRows(dst) }

// RowFlags is Event.RowFlags.
func (r *Reader) RowFlags(e *Event) byte { return e.flags }

// ThreadRow is Thread.
func (r *Reader) ThreadRow(index uint64) *Thread { return r.threads.get(index) }

// Metadata is BlockReader.Metadata.
func (r *Reader) Metadata(id uint32) *Metadata { return r.metadata.get(uint64(id)) }

// Stack is BlockReader.Stack.
func (r *Reader) Stack(id uint32) []uint64 { return r.stacks.get(id) }

// LabelList is BlockReader.LabelList.
func (r *Reader) LabelList(id uint32) []Label { return r.labels.get(id) }
