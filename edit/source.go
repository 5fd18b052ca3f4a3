package edit

import (
	"context"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// source returns the blocks of a stream that can be written: the complete part of
// truncated and bad blocks.
type source struct {
	r     *codec.BlockReader
	trace *codec.Trace
	block *codec.Block
	rows  codec.BlockRows
	bad   int // bad blocks up to now
}

// open reads the Trace block, unless Trace has read it. Without it nothing can be
// written.
func open(r *codec.BlockReader) (*source, error) {
	if err := r.Complete(); err != nil {
		return nil, err
	}
	trace, err := r.Trace()
	if err != nil {
		return nil, err
	}
	b, _ := r.Next() // the Trace block
	if cut(b) {
		if b, _ = r.Next(); b == nil {
			return nil, r.Err()
		}
	}
	s := &source{r: r, trace: trace, block: b}
	r.Rows(&s.rows)
	if s.bad, _ = r.BadBlocks(); s.bad > 0 {
		s.rows.Body = nil
	}
	return s, nil
}

func cut(b *codec.Block) bool { return int64(len(b.Body)) < b.Size }

// next returns the next block that can be written. It returns false at the end
// mark, at the end of a stream without one, and when ctx is done. The rows are
// valid until the next call. A bad sequence point is a barrier nevertheless.
func (s *source) next(ctx context.Context) (*codec.BlockRows, bool) {
	for s.advance(ctx) {
		s.r.Rows(&s.rows)
		barrier := s.block.Kind == wire.KindSequencePoint && !cut(s.block)
		if !s.damaged() || barrier || s.rows.HasRows() {
			return &s.rows, true
		}
	}
	return nil, false
}

// advance reads the next block of any kind.
func (s *source) advance(ctx context.Context) bool {
	if ctx.Err() != nil {
		return false
	}
	b, ok := s.r.Next()
	s.block = b
	return ok && b.Kind != wire.KindEndOfStream
}

// damaged reports whether the block is truncated or bad.
func (s *source) damaged() bool {
	before := s.bad
	s.bad, _ = s.r.BadBlocks()
	return s.bad > before || cut(s.block)
}
