package edit

import (
	"errors"
	"io"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// ErrNotWritten means that a stream was to be written in a version that is only
// read: v3.
var ErrNotWritten = errors.New("this version of NetTrace is not written")

// Preserve copies a stream of v4 to v6 block by block through decode and encode.
// Of a stream that a known writer made, the bytes are the same: borders and
// order of the blocks, fields that rows write without need, bytes of later
// versions. Of a stream that is cut, the copy ends whole.
func Preserve(dst io.Writer, src *codec.Reader) error {
	s, err := open(src)
	if err != nil {
		return err
	}
	if f := s.trace.Format; f.Major < 4 || f.Minor != 0 {
		return ErrNotWritten
	}
	w := codec.NewBlockWriter(dst, tagged(s.trace.Format), true)
	for rows, ok := &s.rows, true; ok; rows, ok = s.next() {
		if err := w.WriteBlock(rows); err != nil {
			return err
		}
	}
	return w.Close()
}

// tagged is the version whose rows can hold all that a stream of a version
// holds: the tags of v5 stand in streams that say v4 too.
func tagged(f wire.Format) wire.Format {
	if f.Major < 5 {
		return wire.Format{Major: 5}
	}
	return f
}
