package record

import (
	"bytes"
	"sort"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/raw"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// fitting returns the pending bytes that fit, with the end mark after them, into
// that many bytes: complete blocks, and the rows of the next block that fit. out
// is the data without the end mark, plain its size before compression.
func (f *File) fitting(room int) (out []byte, plain int) {
	try := func(limit int) (packed []byte, size int) {
		part := f.prefix(limit)
		if len(part) == 0 {
			return nil, 0
		}
		return f.packedOf(nil, part), len(part)
	}
	tooMany := sort.Search(len(f.pending)+1, func(limit int) bool {
		packed, _ := try(limit)
		return len(packed)+len(f.mark) > room
	})
	if tooMany == 0 {
		return nil, 0
	}
	return try(tooMany - 1)
}

// prefix returns the complete rows in the first limit pending bytes, as complete
// blocks.
func (f *File) prefix(limit int) []byte {
	border := 0
	for _, b := range f.blockEnds {
		if b <= limit {
			border = b
		}
	}
	return append(f.pending[:border:border], f.rows(border, limit)...)
}

// rows returns the complete blocks and rows of the pending bytes from a border up
// to a limit within the next ones.
func (f *File) rows(border, limit int) []byte {
	part := f.pending[border:limit]
	if len(part) == 0 {
		return nil
	}
	offset := f.plain + int64(border)
	before, err := f.before(offset)
	if err != nil {
		return nil
	}
	src := newSource(bytes.NewReader(append(before, part...)), nil)
	var out []byte
	for b, object, ok := src.next(); ok; b, object, ok = src.next() {
		switch {
		case b.Offset+b.Size <= int64(len(before)):
		case object != nil:
			out = append(out, object...)
		default:
			return append(out, completeRows(src.r, offset+int64(len(out)))...)
		}
	}
	return out
}

// before returns the start of a stream in which the bytes at an offset of the
// file can be read: the header, the Trace block, and an unknown block that gives
// the bytes the same alignment as in the file. It is empty for offset 0.
func (f *File) before(offset int64) ([]byte, error) {
	const alignment = 4
	if offset == 0 {
		return nil, nil
	}
	out := bytes.NewBuffer(bytes.Clone(f.head))
	r := codec.NewBytesBlockReader(f.head, readKept)
	trace, err := r.Trace()
	if err != nil {
		return nil, err
	}
	var w raw.Writer
	for filler := 0; out.Len()%alignment != int(offset%alignment); filler++ {
		out.Truncate(len(f.head))
		w.Reset(out, raw.WriterOptions{Format: trace.Format, Offset: int64(len(f.head))})
		if err := w.Block(&raw.Block{Kind: wire.KindUnknown, TypeName: "Filler", Version: 1, Body: make([]byte, filler)}); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// completeRows returns a block of the complete rows of a truncated block, for an
// offset of the stream.
func completeRows(r *codec.BlockReader, offset int64) []byte {
	var rows codec.BlockRows
	r.Rows(&rows)
	trace, err := r.Trace()
	if err != nil || !rows.HasRows() {
		return nil
	}
	rows.SetBounds()
	var out bytes.Buffer
	w := codec.NewBlockWriter(&out, codec.BlockWriterOptions{Format: trace.Format.WithTags(), Preserve: true})
	w.Resume(&out, trace, offset)
	if w.WriteBlock(&rows) != nil {
		return nil
	}
	return out.Bytes()
}
