// Package longtrace makes a trace of any length from copies of a short one,
// each later than the previous one, for tests that need large files. It keeps
// only the short trace in memory and generates the bytes when they are read.
package longtrace

import (
	"encoding/binary"
	"io"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// File is an io.ReaderAt of a long trace of version 4. It is safe for
// concurrent use.
type File struct {
	head   []byte    // stream header and Trace object
	copies [4]copied // of the other blocks, by the remainder by 4 of the offset they start at
	starts []int64   // of the copies; ascending
	shift  uint64    // ticks from copy to copy
	size   int64
}

// copied is the blocks of the short trace, framed anew.
type copied struct {
	bytes []byte
	times []int // positions of 8-byte times; ascending
}

// New returns a trace of at least size bytes that consists of copies of stream,
// a complete stream of version 4. From copy to copy it adds the duration of the
// stream to the times of rows, block headers and sequence points. It writes the
// rows uncompressed, so that the positions of the times are fixed. Sequence
// numbers restart in each copy. The error is that of reading stream.
func New(stream []byte, size int64) (*File, error) {
	f := &File{}
	for remainder := range f.copies {
		if err := f.frame(stream, remainder); err != nil {
			return nil, err
		}
	}
	at := int64(len(f.head))
	for at < size {
		f.starts = append(f.starts, at)
		at += int64(len(f.copies[at&3].bytes))
	}
	f.size = at + 1
	return f, nil
}

// Size returns the length of the trace in bytes.
func (f *File) Size() int64 { return f.size }

// frame builds the blocks again, for an offset after that remainder.
func (f *File) frame(stream []byte, remainder int) error {
	c := &f.copies[remainder]
	r := codec.NewBytesBlockReader(stream, codec.Options{Limits: codec.Limits{Block: -1, Total: -1}})
	trace, err := r.Trace()
	if err != nil {
		return err
	}
	var last uint64
	f.head = stream[:r.Offset()]
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		switch b.Kind {
		case wire.KindTrace, wire.KindEndOfStream:
		case wire.KindEvent:
			body, times := plainRows(r, b)
			c.add(remainder, b.TypeName, body, times)
			last = max(last, b.MaxTimestamp)
		case wire.KindSequencePoint:
			c.add(remainder, b.TypeName, b.Body, []int{0})
			last = max(last, b.SequencePoint.Timestamp)
		default:
			c.add(remainder, b.TypeName, b.Body, nil)
		}
	}
	f.shift = last - trace.SyncTicks + 1
	return r.Err()
}

// plainRows is the body of an event block with its rows uncompressed, and where
// the times in it are.
func plainRows(r *codec.BlockReader, b *codec.Block) (body []byte, times []int) {
	const headerSize, timestampAt = 20, 36
	le := binary.LittleEndian
	body = le.AppendUint16(body, headerSize)
	body = le.AppendUint16(body, b.Flags&^wire.BlockCompressed)
	body = le.AppendUint64(body, b.MinTimestamp)
	body = le.AppendUint64(body, b.MaxTimestamp)
	times = []int{4, 12}
	for e, ok := r.NextEvent(); ok; e, ok = r.NextEvent() {
		times = append(times, len(body)+timestampAt)
		body = appendRow(body, e)
	}
	return body, times
}

// appendRow appends an uncompressed row.
//
// Spec: "Event blobs" of the v4/v5 text.
func appendRow(b []byte, e *codec.Event) []byte {
	const behindSize = 76 // bytes from the size to the payload
	le := binary.LittleEndian
	payload, activity, related := e.Payload(), e.Activity(), e.RelatedActivity()
	id := e.MetadataID
	if !e.Sorted() {
		id |= wire.NotSortedBit
	}
	b = le.AppendUint32(b, uint32(behindSize+len(payload)))
	b = le.AppendUint32(b, id)
	b = le.AppendUint32(b, e.Sequence)
	b = le.AppendUint64(b, e.ThreadIndex)
	b = le.AppendUint64(b, e.CaptureThreadIndex)
	b = le.AppendUint32(b, e.Processor)
	b = le.AppendUint32(b, e.StackID)
	b = le.AppendUint64(b, e.Timestamp)
	b = append(append(b, activity[:]...), related[:]...)
	b = le.AppendUint32(b, uint32(len(payload)))
	return append(b, payload...)
}

// add appends an object. Its body is aligned to 4 bytes in the file.
//
// Spec: "Object encoding" and "Block" of the v4/v5 text.
func (c *copied) add(remainder int, name string, body []byte, times []int) {
	const version, minReaderVersion = 2, 2
	le := binary.LittleEndian
	b := append(c.bytes, wire.TagBeginPrivate, wire.TagBeginPrivate, wire.TagNull)
	b = le.AppendUint32(b, version)
	b = le.AppendUint32(b, minReaderVersion)
	b = le.AppendUint32(b, uint32(len(name)))
	b = append(append(b, name...), wire.TagEnd)
	b = le.AppendUint32(b, uint32(len(body)))
	b = append(b, make([]byte, -(remainder+len(b))&3)...)
	for _, pos := range times {
		c.times = append(c.times, len(b)+pos)
	}
	c.bytes = append(append(b, body...), wire.TagEnd)
}

// ReadAt implements io.ReaderAt.
func (f *File) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) && off < f.size {
		m := f.part(p[n:], off)
		n, off = n+m, off+int64(m)
	}
	if n < len(p) {
		err = io.EOF
	}
	return n, err
}

// part makes bytes up to the end of the header or of one copy.
func (f *File) part(p []byte, off int64) int {
	if off < int64(len(f.head)) {
		return copy(p, f.head[off:])
	}
	i, exact := slices.BinarySearch(f.starts, off)
	if !exact {
		i--
	}
	c := &f.copies[f.starts[i]&3]
	at := int(off - f.starts[i])
	if at >= len(c.bytes) {
		p[0] = wire.TagNull
		return 1
	}
	n := copy(p, c.bytes[at:])
	c.shift(p[:n], at, uint64(i)*f.shift)
	return n
}

// shift adds a duration to the times in p, which is at position at of the copy.
func (c *copied) shift(p []byte, at int, ticks uint64) {
	first, _ := slices.BinarySearch(c.times, at-7)
	for _, pos := range c.times[first:] {
		if pos >= at+len(p) {
			return
		}
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], binary.LittleEndian.Uint64(c.bytes[pos:])+ticks)
		if pos >= at {
			copy(p[pos-at:], b[:])
		} else {
			copy(p, b[at-pos:])
		}
	}
}
