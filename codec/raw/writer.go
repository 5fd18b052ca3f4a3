package raw

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// The largest bodies that the framings can express.
const (
	MaxBlockSize  = 1<<24 - 1 // v6: a size of 24 bits
	MaxObjectSize = 1<<31 - 1 // v4, v5: a size of 32 bits with a sign
)

// ErrClosed is the error of a Writer after its end mark.
var ErrClosed = errors.New("the stream has ended")

// Writer writes the blocks of one stream of v4 to v6. It does not seek. After an
// error of the destination it writes nothing more, and every call returns that
// error.
type Writer struct {
	dst    io.Writer
	format wire.Format
	blocks bool   // the framing of v6
	offset int64  // bytes that the destination took
	buf    []byte // bytes that follow
	closed bool
	err    error
}

// WriterOptions configure a Writer. The zero value begins a stream of version
// 6.
type WriterOptions struct {
	// Format is the version: 4 or 5, whose framing is the same, or 6. Default: 6.
	Format wire.Format
	// Offset is the number of bytes of the stream that are already written. The
	// default, 0, begins a stream with its header.
	Offset int64
}

// NewWriter returns a Writer that writes to dst.
func NewWriter(dst io.Writer, opt WriterOptions) *Writer {
	w := &Writer{}
	w.Reset(dst, opt)
	return w
}

// Reset makes w write another stream and keeps its memory.
func (w *Writer) Reset(dst io.Writer, opt WriterOptions) {
	if opt.Format.IsZero() {
		opt.Format = wire.V6
	}
	*w = Writer{dst: dst, format: opt.Format, blocks: !opt.Format.HasObjects(), offset: opt.Offset, buf: w.buf[:0]}
	if opt.Offset == 0 {
		w.begin()
	}
}

// Offset returns the number of bytes of the stream so far, with those that wait
// for Flush.
func (w *Writer) Offset() int64 { return w.offset + int64(len(w.buf)) }

// Written returns the number of bytes of the stream that the destination
// accepted, also after it failed in the middle of a block.
func (w *Writer) Written() int64 { return w.offset }

// Err returns the first error of the destination, or nil.
func (w *Writer) Err() error { return w.err }

// begin puts the stream header before the first block.
//
// Spec: "Stream header" of the v6 text; "First Bytes", "Stream Header" of the
// v4/v5 text.
func (w *Writer) begin() {
	w.buf = append(w.buf, magic...)
	if !w.blocks {
		w.buf = append(w.buf, serialization...)
		return
	}
	for _, n := range []uint32{0, w.format.Major, w.format.Minor} {
		w.buf = binary.LittleEndian.AppendUint32(w.buf, n)
	}
}

// Block appends one block and writes it, with those that wait, with one call of
// the destination's Write. Its errors are those of Append and Flush.
func (w *Writer) Block(b *Block) error {
	if err := w.Append(b); err != nil {
		return err
	}
	return w.Flush()
}

// Append makes a copy of one block wait for the next call of Block, Flush or
// Close. It uses the kind and the body of b, and in v4 and v5 also TypeName,
// Version and MinReader if TypeName is not empty; it sets b.BodyOffset. For a
// body that the framing cannot express it returns a *LimitError and appends
// nothing.
func (w *Writer) Append(b *Block) error {
	switch {
	case w.err != nil:
		return w.err
	case w.closed:
		return ErrClosed
	}
	largest := int64(MaxObjectSize)
	if w.blocks {
		largest = MaxBlockSize
	}
	if size := int64(len(b.Body)); size > largest {
		return &LimitError{Name: "Block", Size: size, Limit: largest}
	}
	if w.blocks {
		w.buf = binary.LittleEndian.AppendUint32(w.buf, uint32(len(b.Body))|uint32(b.Kind)<<24)
		b.BodyOffset = w.Offset()
		w.buf = append(w.buf, b.Body...)
	} else {
		w.object(b)
	}
	return nil
}

// object appends an object of v4 and v5.
//
// Spec: "Objects" of the v4/v5 text.
func (w *Writer) object(b *Block) {
	name, version, minReader := b.TypeName, b.Version, b.MinReader
	if name == "" {
		name, version, minReader = objectOf(b.Kind)
	}
	w.buf = append(w.buf, wire.TagBeginPrivate, wire.TagBeginPrivate, wire.TagNull)
	w.buf = binary.LittleEndian.AppendUint32(w.buf, uint32(version))
	w.buf = binary.LittleEndian.AppendUint32(w.buf, uint32(minReader))
	w.buf = binary.LittleEndian.AppendUint32(w.buf, uint32(len(name)))
	w.buf = append(w.buf, name...)
	w.buf = append(w.buf, wire.TagEnd)
	if b.Kind != wire.KindTrace {
		w.buf = binary.LittleEndian.AppendUint32(w.buf, uint32(len(b.Body)))
		for w.Offset()&3 != 0 {
			w.buf = append(w.buf, 0)
		}
	}
	b.BodyOffset = w.Offset()
	w.buf = append(w.buf, b.Body...)
	w.buf = append(w.buf, wire.TagEnd)
}

// objectOf names the object of a block kind, and its versions.
func objectOf(kind wire.Kind) (name string, version, minReader int32) {
	if kind == wire.KindTrace {
		return "Trace", 4, 4
	}
	for _, o := range objectKinds {
		if o.kind == kind {
			return o.name, int32(o.minReader), int32(o.minReader)
		}
	}
	return kind.String(), 1, 1
}

// Close writes the end mark. Later calls do nothing.
//
// Spec: "EndOfStream block" of the v6 text; "Ending the stream" of the v4/v5
// text.
func (w *Writer) Close() error {
	if w.closed || w.err != nil {
		return w.err
	}
	w.closed = true
	if w.blocks {
		w.buf = append(w.buf, 0, 0, 0, 0)
	} else {
		w.buf = append(w.buf, wire.TagNull)
	}
	return w.Flush()
}

// Flush writes the blocks that wait with one call of the destination's Write.
func (w *Writer) Flush() error {
	if w.dst == nil {
		panic("raw: a zero Writer has no destination: use NewWriter")
	}
	if w.err != nil || len(w.buf) == 0 {
		return w.err
	}
	n, err := w.dst.Write(w.buf)
	switch {
	case n < 0 || n > len(w.buf):
		n, err = 0, fmt.Errorf("raw: the destination's Write returned %d for %d bytes", n, len(w.buf))
	case err == nil && n < len(w.buf):
		err = io.ErrShortWrite
	}
	w.offset += int64(n)
	w.buf, w.err = w.buf[:0], err
	return err
}
