package edit

import (
	"context"
	"errors"
	"io"

	"github.com/nettrace-go/nettrace/codec"
)

// ErrNotWritten is the error for a format that cannot be written, as v3.
var ErrNotWritten = errors.New("this format is only read, not written: supported formats are 4, 5 and 6.0")

// Preserve copies a stream of v4 to v6 block by block through decode and encode.
// The copy of a stream that a known writer made has the same bytes: borders and
// order of the blocks, fields that rows write without need, bytes of later
// versions. Of a truncated stream, the complete rows are copied, and an end mark
// is added.
func Preserve(ctx context.Context, dst io.Writer, src *codec.BlockReader) error {
	s, err := open(ctx, src)
	if err != nil {
		return err
	}
	if !codec.CanWrite(s.trace.Format) {
		return ErrNotWritten
	}
	w := codec.NewBlockWriter(dst, codec.BlockWriterOptions{Format: s.trace.Format.WithTags(), Preserve: true})
	for rows, ok := &s.rows, true; ok; rows, ok = s.next() {
		if err := w.WriteBlock(rows); err != nil {
			return err
		}
	}
	if s.canceled != nil {
		return s.canceled
	}
	return w.Close()
}
