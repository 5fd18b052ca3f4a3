package raw

import (
	"io"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// probe is the largest read while only headers are wanted, and headBody the part
// of a body that is then returned: it has the header of an event block with the
// time of its first row, and the time of a sequence point.
const (
	probe    = 128
	headBody = 64
)

// section reads a ReaderAt from any offset.
type section struct {
	at      io.ReaderAt
	offset  int64
	size    int64
	to      int64 // a read that begins before it ends there
	maxRead int   // bytes of one read; 0: no bound
}

// Read implements io.Reader.
func (s *section) Read(p []byte) (int, error) {
	left := s.size - s.offset
	if left <= 0 {
		return 0, io.EOF
	}
	if s.maxRead > 0 {
		p = p[:min(len(p), s.maxRead)]
	}
	if s.offset < s.to {
		p = p[:min(int64(len(p)), s.to-s.offset)]
	}
	n, err := s.at.ReadAt(p[:min(int64(len(p)), left)], s.offset)
	s.offset += int64(n)
	if n > 0 && err == io.EOF {
		err = nil // the size determines the end
	}
	return n, err
}

// File is a stream that can be read at any offset.
type File struct {
	io.ReaderAt
	Size  int64 // bytes of the stream
	Limit int64 // largest accepted size of a body in bytes; -1 for no limit
}

// ResetHeaders makes the Reader read only the headers of the blocks of f and
// the first 64 bytes of each body, in reads of at most 128 bytes. It reads the
// complete Trace block.
func (r *Reader) ResetHeaders(f File) {
	r.seeker = &section{at: f.ReaderAt, size: f.Size, maxRead: probe}
	r.win.resetStream(r.seeker)
	r.reset(f.Limit)
	r.headers = true
}

// Part is a range of file offsets.
type Part struct {
	From int64 // first offset
	To   int64 // offset after the last one
}

// ResetParts makes the Reader return the first block of f, then all blocks that
// start in the parts, which must ascend and begin with a block, and then io.EOF. It
// reads the end mark only if that starts in a part too. It reads no byte after a
// part if the last block in it ends there.
func (r *Reader) ResetParts(f File, parts []Part) {
	r.seeker = &section{at: f.ReaderAt, size: f.Size}
	r.win.resetStream(r.seeker)
	r.reset(f.Limit)
	r.parts, r.inParts = parts, true
}

// NextParts makes a Reader that has returned all blocks of its parts, and io.EOF,
// return those of later parts of the same file.
func (r *Reader) NextParts(parts []Part) {
	r.err = nil
	r.parts = parts
}

// choose moves to the next block in a part and reports whether there is one.
func (r *Reader) choose() bool {
	for ; len(r.parts) > 0; r.parts = r.parts[1:] {
		part := r.parts[0]
		if r.win.offset < part.From {
			r.seek(part.From)
		}
		if r.win.offset < part.To {
			r.seeker.to = part.To
			return true
		}
	}
	return false
}

// seek moves to an offset at or after the current one.
func (r *Reader) seek(offset int64) {
	w := &r.win
	skip := offset - w.offset
	if skip <= int64(w.have()) {
		w.take(int(skip))
		return
	}
	w.pos, w.end, w.offset = 0, 0, offset
	r.seeker.offset = offset
}

// headOf returns the head of a body of size bytes and skips the rest. A body that
// extends past the end is truncated.
func (r *Reader) headOf(size int64, tail int) {
	b := &r.block
	end := b.BodyOffset + size
	if end+int64(tail) > r.seeker.size {
		b.Truncated = true
		r.err = &Fault{
			Rule: r.ruleOf(rule.EOS006), Kind: b.Kind, BlockOffset: b.Offset, Offset: r.seeker.size, Err: ErrTruncated,
		}
	}
	n := int(min(size, headBody))
	r.win.fill(n)
	r.head = append(r.head[:0], r.win.peek(min(n, r.win.have()))...)
	b.Body = r.head
	if !b.Truncated {
		r.seek(end)
		r.win.fill(tail)
	}
}

// wantHead reports whether only the head of the current block's body is wanted.
func (r *Reader) wantHead() bool { return r.headers && r.block.Kind != wire.KindTrace }
