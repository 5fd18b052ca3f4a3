package codec

import (
	"io"

	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// BlockWriter writes a stream block by block, with the ids, boundaries and
// sequence numbers that it is given, for programs that copy and transform
// streams. A Writer assigns these itself. A BlockWriter is for one
// goroutine.
//
// It checks only that the version can express the block. After the first error
// of the underlying io.Writer it writes nothing more.
type BlockWriter struct {
	raw  raw.Writer
	enc  blockEncoder
	next raw.Block
}

// BlockWriterOptions configure a BlockWriter. The zero value writes v6.
type BlockWriterOptions struct {
	// Format is the version to write: 4, 5 or 6. Default: 6.
	Format wire.Format
	// Preserve also writes the fields that EventRow.Written marks. Default: a
	// field that repeats the previous row is left out.
	Preserve bool
}

// NewBlockWriter returns a BlockWriter that writes to dst.
func NewBlockWriter(dst io.Writer, opt BlockWriterOptions) *BlockWriter {
	if opt.Format.IsZero() {
		opt.Format = formatV6
	}
	w := &BlockWriter{enc: blockEncoder{format: opt.Format, to: encodingOf(opt.Format), pointer: 8}}
	if opt.Preserve {
		w.enc.rows.keep = 0xFF
	}
	w.Reset(dst)
	return w
}

// Reset makes w write a new stream of the same version to dst. It keeps its
// memory.
func (w *BlockWriter) Reset(dst io.Writer) {
	w.mustBeMade()
	w.raw.Reset(dst, raw.WriterOptions{Format: w.enc.format})
}

// mustBeMade panics for the zero BlockWriter.
func (w *BlockWriter) mustBeMade() {
	if w.enc.format.IsZero() {
		panic("codec: a zero BlockWriter has no destination: use NewBlockWriter")
	}
}

// Resume makes w continue a stream of the same version, of which offset bytes
// have been written, including the Trace block. It keeps its memory.
func (w *BlockWriter) Resume(dst io.Writer, trace *Trace, offset int64) {
	w.mustBeMade()
	w.raw.Reset(dst, raw.WriterOptions{Format: w.enc.format, Offset: offset})
	w.enc.pointer = trace.PointerSize
}

// WriteBlock writes one block, first the Trace block; an EndOfStream block
// writes the end mark. If the version cannot express the block, the error is a
// *FormatError or a *LimitError, nothing is written, and the next block can be
// written.
func (w *BlockWriter) WriteBlock(b *BlockRows) error {
	if w.enc.to == nil {
		w.mustBeMade()
		return notWritten(w.enc.format)
	}
	if b.Kind == wire.KindEndOfStream {
		return w.raw.Close()
	}
	if b.Trace != nil {
		w.enc.pointer = b.Trace.PointerSize
	}
	body, err := w.enc.body(b)
	if err != nil {
		return err
	}
	w.next = raw.Block{Kind: b.Kind, TypeName: b.TypeName, Version: b.Version, MinReader: b.MinReader, Body: body}
	return w.raw.Block(&w.next)
}

// Offset returns the number of bytes of the stream so far.
func (w *BlockWriter) Offset() int64 { return w.raw.Offset() }

// Close writes the end mark, if it has not been written. Later calls do
// nothing.
func (w *BlockWriter) Close() error {
	w.mustBeMade()
	return w.raw.Close()
}
