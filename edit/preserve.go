package edit

import (
	"context"
	"errors"
	"io"

	"github.com/nettrace-go/nettrace/codec"
)

// ErrNotWritten is the error of a format that package codec reads but does not
// write, such as version 3.
var ErrNotWritten = errors.New("edit: cannot write this format: supported formats are 4, 5 and 6.0")

// Preserve copies a stream of version 4, 5 or 6: it decodes and encodes each
// block. The copy of a stream of .NET or of record-trace has the same bytes: it
// keeps the boundaries and order of the blocks, redundant fields of rows, and
// bytes that later versions add. Of a truncated stream Preserve copies the complete rows
// and adds an end mark.
func Preserve(ctx context.Context, dst io.Writer, src *codec.BlockReader) error {
	s, err := open(src)
	if err != nil {
		return err
	}
	if !codec.CanWrite(s.trace.Format) {
		return ErrNotWritten
	}
	w := codec.NewBlockWriter(dst, codec.BlockWriterOptions{Format: s.trace.Format.WithTags(), Preserve: true})
	for rows, ok := &s.rows, true; ok; rows, ok = s.next(ctx) {
		if err := w.WriteBlock(rows); err != nil {
			return err
		}
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return w.Close()
}
