package edit

import (
	"context"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// source gives the blocks of a stream that can be written: of one that is cut
// or bad what is whole.
type source struct {
	r     *codec.BlockReader
	trace *codec.Trace
	block *codec.Block
	rows  codec.BlockRows
	bad   int // bad blocks up to now
}

// open reads the Trace block, if that was not done by Trace. Without it there is
// nothing to write.
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

// next goes to the next block that can be written. It returns false at the end
// mark, where the stream ends without one, and when ctx is done. The rows are
// valid until the next call. A sequence point that is bad is a barrier all the same.
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

// advance goes to the next block, whatever it is.
func (s *source) advance(ctx context.Context) bool {
	if ctx.Err() != nil {
		return false
	}
	b, ok := s.r.Next()
	s.block = b
	return ok && b.Kind != wire.KindEndOfStream
}

// damaged says whether the block that was read is cut or bad.
func (s *source) damaged() bool {
	before := s.bad
	s.bad, _ = s.r.BadBlocks()
	return s.bad > before || cut(s.block)
}
