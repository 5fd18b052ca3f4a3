package codec

import (
	"io"

	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// BlockWriter writes a stream block by block, with the ids, borders and numbers
// that it is given: what copies and transforms streams. Writer makes them up
// itself. It is for one goroutine.
//
// Nothing is checked but that the version can hold it. After the first error of
// the underlying io.Writer nothing more is written.
type BlockWriter struct {
	raw  raw.Writer
	enc  blockEncoder
	next raw.Block
}

// BlockWriterOptions are those of a BlockWriter. The zero value writes v6.
type BlockWriterOptions struct {
	// Format is the version to write: 4, 5 or 6. Default: 6.
	Format wire.Format
	// Preserve writes a field of an event row also where EventRow.Written says so.
	// Default: only where it must be written.
	Preserve bool
}

// NewBlockWriter returns a BlockWriter to dst.
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

// Reset makes w write a new stream of the same version, and keeps its memory.
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

// Resume makes w go on with a stream of the same version of which offset bytes
// are written, the Trace block with them, and keeps its memory.
func (w *BlockWriter) Resume(dst io.Writer, trace *Trace, offset int64) {
	w.mustBeMade()
	w.raw.Reset(dst, raw.WriterOptions{Format: w.enc.format, Offset: offset})
	w.enc.pointer = trace.PointerSize
}

// WriteBlock writes one block, the first one Trace; an EndOfStream block writes
// the end mark. What the version cannot hold is a *FormatError or a *LimitError;
// of that block nothing is written, and the next one may be.
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

// Offset is the number of bytes of the stream so far.
func (w *BlockWriter) Offset() int64 { return w.raw.Offset() }

// Close writes the end mark, if that was not done. It may be called again.
func (w *BlockWriter) Close() error {
	w.mustBeMade()
	return w.raw.Close()
}
