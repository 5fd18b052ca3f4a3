package codec

import (
	"slices"

	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// checkReferences checks each row of a batch with a reference that may be
// missing.
//
// Spec: "Format overview" of the v6 text: a row comes before the rows that refer
// to it.
func (r *stream) checkReferences(batch []Event) {
	for i := range batch {
		e := &batch[i]
		if !r.metadata.has(uint64(e.MetadataID)) {
			r.note(i, notice{rule: rule.REF001})
		}
		if e.StackID != 0 && !r.stacks.spans.has(uint64(e.StackID)) {
			r.note(i, notice{rule: rule.STK007})
		}
		if !r.dialect.indexed {
			continue
		}
		if !r.threads.has(e.ThreadIndex) {
			r.note(i, notice{rule: rule.THR009})
		}
		if e.CaptureThreadIndex != e.ThreadIndex && !r.threads.has(e.CaptureThreadIndex) {
			r.note(i, notice{rule: rule.THR010})
		}
		if e.labels != 0 && !r.labels.spans.has(uint64(e.labels)) {
			r.note(i, notice{rule: rule.LBL006})
		}
	}
}

// checkBounds looks for rows of a batch whose time is not between those of the
// block's header. The times of a batch ascend unless the row decoders report
// otherwise.
//
// Spec: "Event block", Header.
func (r *stream) checkBounds(batch []Event) {
	low, high := r.block.MinTimestamp, r.block.MaxTimestamp
	if !r.rows.back && low <= batch[0].Timestamp && batch[len(batch)-1].Timestamp <= high {
		return
	}
	for i := range batch {
		if ts := batch[i].Timestamp; ts < low || high < ts {
			r.note(i, notice{rule: rule.EVB008})
		}
	}
}

// defect counts a defect of the current row of the current block.
func (r *stream) defect(id rule.ID, offset int64) { r.defectAt(id, offset, r.block.Rows) }

func (r *stream) defectAt(id rule.ID, offset int64, row int) { r.count(r.defectOf(id, offset, row)) }

func (r *stream) defectOf(id rule.ID, offset int64, row int) Error {
	return Error{Offset: offset, Block: r.block.Kind, BlockOffset: r.block.Offset, Row: row, Rule: id, Err: ErrDefect}
}

// count counts a defect and reports it to Options.OnDefect. In strict mode it ends
// the reading unless another error does.
func (r *stream) count(e Error) {
	if r.beforeChunk() {
		return
	}
	i := slices.IndexFunc(r.defects, func(d Defect) bool { return d.Rule == e.Rule })
	if i < 0 {
		i = len(r.defects)
		first := e
		r.defects = append(r.defects, Defect{Rule: e.Rule, Err: &first})
	}
	r.defects[i].Count++
	if r.opt.OnDefect != nil {
		reported := e
		r.opt.OnDefect(&reported)
	}
	if r.opt.Strict && r.fatal == nil {
		failed := e
		r.fatal = &failed
	}
}

// countLast counts the defect that ends a strict reading and returns its error. A
// limit that decoding ahead of the delivery ran into comes later.
func (r *stream) countLast(e Error) error {
	r.fatal = nil
	r.count(e)
	return r.fatal
}

// blockError is the error for the complete current block.
func (r *stream) blockError(id rule.ID, cause error) *Error {
	return &Error{Offset: r.block.Offset, Block: r.block.Kind, BlockOffset: r.block.Offset, Row: NoRow, Rule: id, Err: cause}
}

// rowsFrom is where the rows of a block begin in its body.
func (r *stream) rowsFrom(b *raw.Block) int64 {
	switch b.Kind {
	case wire.KindTrace:
		return b.Size + 1 // it has none
	case wire.KindEvent:
		if r.dialect.inline {
			return 0
		}
		return int64(max(20, r.block.HeaderSize))
	case wire.KindMetadata:
		if r.dialect.indexed {
			return int64(2 + r.block.HeaderSize)
		}
		return int64(max(20, r.block.HeaderSize))
	case wire.KindStack, wire.KindLabelList:
		return 8
	case wire.KindSequencePoint:
		if r.dialect.indexed {
			return 16
		}
		return 12
	}
	return 0
}

// badBlock handles a malformed row or block. One that is truncated with the
// stream, or has a wrong size, is not bad: the framing reports it later.
func (r *stream) badBlock(b *raw.Block, id rule.ID, offset int64, cause error, past bool) {
	if b.Truncated && past || b.WrongSize || r.fatal != nil { // only the error that ends the reading is reported
		return
	}
	if b.Size == 0 {
		id, offset = emptyRule(b)
	}
	e := &Error{Offset: offset, Block: b.Kind, BlockOffset: b.Offset, Row: r.block.Rows, Rule: id, Err: cause}
	if offset < b.BodyOffset+r.rowsFrom(b) {
		e.Row = NoRow
	}
	if r.opt.OnError == Stop {
		r.fatal = e
		return
	}
	if r.beforeChunk() {
		return
	}
	r.bad++
	if r.firstBad == nil {
		r.firstBad = e
	}
	if r.opt.OnDefect != nil {
		reported := *e
		r.opt.OnDefect(&reported)
	}
}

// emptyRule returns the rule that an empty block breaks whose kind needs a body,
// and its offset: at the block header of v6, at BlockSize of an object.
func emptyRule(b *raw.Block) (id rule.ID, offset int64) {
	if b.TypeName == "" {
		return rule.BLK007, b.Offset
	}
	const fixed = 3 + 4 + 4 + 4 // tags, version, minimum reader version, length of the name
	return rule.OBJ008, b.Offset + fixed + int64(len(b.TypeName)) + 1
}
