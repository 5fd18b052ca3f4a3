package raw

import (
	"errors"
	"io"
	"math"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// maxBody is the largest body that can be read: positions are 32-bit.
const maxBody = math.MaxInt32 - 1

// Block is one block of a stream. It is valid until the next call of Next.
type Block struct {
	// Kind is the kind of the block.
	Kind       wire.Kind
	Offset     int64  // file offset of the first byte of the block header or the object
	BodyOffset int64  // file offset of Body[0]
	Size       int64  // declared bytes of the body; 48 for a Trace object
	Body       []byte // borrowed; shorter than Size when Truncated
	Truncated  bool   // the stream ends inside the block, which is the last one
	WrongSize  bool   // the size or the padding is wrong; the next call of Next returns the error
	TypeName   string // type name of the object (v3 to v5), "" in v6
	Version    int32  // version of the object (v3 to v5)
	MinReader  int32  // minimum reader version of the object (v3 to v5)
}

// Budget limits the memory of a Reader's buffer.
type Budget interface {
	// Over returns a *LimitError for the limit that the buffer would exceed with
	// more bytes in addition, or nil.
	Over(more int64) error
}

// Reader reads the blocks of one stream. The zero value is not ready: call one
// of its Reset methods first.
type Reader struct {
	// Budget, if not nil, is called before the buffer of a stream grows. If a
	// limit is exceeded, the stream ends there with a *Fault.
	Budget Budget

	win      window
	format   wire.Format
	objects  bool // the framing of v3 to v5
	begin    byte // the tag that begins an object
	started  bool
	first    bool // no block was read yet
	block    Block
	copied   []byte // the body under the race detector
	limit    int64  // of a body
	err      error
	trailing int64

	seeker  *section // of a walk over headers or chosen blocks
	headers bool     // only the heads of bodies are read
	head    []byte
	inParts bool   // only the blocks of parts are returned
	parts   []Part // that remain
	sum     byte   // of touched lines, so that touching is not optimised away
}

// ResetMemory makes the Reader read b from its start. It never writes to b.
// limit is the largest accepted size of a body in bytes, -1 for none.
func (r *Reader) ResetMemory(b []byte, limit int64) {
	r.win.resetMemory(b)
	r.reset(limit)
}

// ResetStream makes the Reader read src from its current position, which is
// offset 0. It keeps the buffer. limit is the largest accepted size of a body
// in bytes, -1 for none.
func (r *Reader) ResetStream(src io.Reader, limit int64) {
	r.win.resetStream(src)
	r.reset(limit)
}

func (r *Reader) reset(limit int64) {
	if limit < 0 || limit > maxBody {
		limit = maxBody
	}
	r.limit, r.win.budget = limit, r.Budget
	r.format, r.objects, r.begin = wire.Format{}, false, 0
	r.started, r.first = false, true
	r.block, r.err, r.trailing = Block{}, nil, 0
	r.headers, r.inParts, r.parts = false, false, nil
}

// Format returns the version of the stream. For v3 to v5 it is in the Trace
// object, so it is known after the first block.
func (r *Reader) Format() wire.Format { return r.format }

// Objects reports whether the stream has the object framing of v3 to v5. It is
// known after the first block.
func (r *Reader) Objects() bool { return r.objects }

// Offset returns the number of bytes consumed so far.
func (r *Reader) Offset() int64 { return r.win.offset }

// Buffered returns the number of bytes in the Reader's own buffers.
func (r *Reader) Buffered() int64 {
	n := int64(cap(r.copied))
	if r.win.src != nil {
		n += int64(len(r.win.buf))
	}
	return n
}

// Next returns the next block. The last block is the end mark, with the kind
// EndOfStream; after it Next returns io.EOF. All other errors are a *Fault, or
// an error of the source, unchanged. Every later call returns the same error.
func (r *Reader) Next() (*Block, error) {
	if r.err != nil {
		if r.block.WrongSize && !r.block.Truncated {
			r.findEndTag()
		}
		return nil, r.err
	}
	r.poisonBody()
	r.block.Body = nil // otherwise it would keep a replaced buffer
	if !r.started {
		if err := r.readHeader(); err != nil {
			return nil, r.stop(err)
		}
		r.started = true
	}
	if r.inParts && !r.first && !r.choose() {
		return nil, r.stop(io.EOF)
	}
	var err error
	if r.objects {
		err = r.nextObject()
	} else {
		err = r.nextBlock()
	}
	if err != nil {
		return nil, r.stop(err)
	}
	r.first = false
	if r.block.Kind == wire.KindEndOfStream && !r.block.Truncated {
		r.err = io.EOF
	}
	return &r.block, nil
}

func (r *Reader) stop(err error) error {
	r.err = err
	return err
}

// TrailingBytes reads src after the end mark to its end and returns the number
// of bytes. It blocks until the source ends.
func (r *Reader) TrailingBytes() (int64, error) {
	if !errors.Is(r.err, io.EOF) || r.block.Kind != wire.KindEndOfStream { // a part may end before it
		return 0, nil
	}
	for r.win.fill(1) {
		n := r.win.have()
		r.win.take(n)
		r.trailing += int64(n)
	}
	if r.win.err != nil && r.win.err != io.EOF {
		return r.trailing, r.win.err
	}
	return r.trailing, nil
}

// poisonBody overwrites the last body, where poisoned is true.
func (r *Reader) poisonBody() {
	if poisoned && len(r.copied) > 0 {
		r.copied[0] = 0xDB
		for n := 1; n < len(r.copied); n *= 2 { // far faster under the race detector than byte by byte
			copy(r.copied[n:], r.copied[:n])
		}
	}
}

// cut is the error for a stream that ends inside the block that starts at
// blockOffset, but not in its body, or before it: truncation, or the source's
// error.
func (r *Reader) cut(blockOffset int64) error {
	id := rule.EOS006
	switch {
	case r.win.offset+int64(r.win.have()) > blockOffset && r.objects:
	case r.win.offset+int64(r.win.have()) > blockOffset:
		id = rule.BLK001
	case r.objects:
		id = rule.EOS004
	default:
		id = rule.EOS001
	}
	return r.truncatedBy(id, blockOffset)
}

// truncatedBy is the error for a stream that ends early and thereby breaks a rule.
func (r *Reader) truncatedBy(id rule.ID, blockOffset int64) error {
	if r.win.over != nil {
		return r.fault(rule.LIM009, blockOffset, r.win.over)
	}
	if err := r.win.err; err != nil && err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	return &Fault{
		Rule: r.ruleOf(id), Kind: r.block.Kind, BlockOffset: blockOffset,
		Offset: r.win.offset + int64(r.win.have()), Err: ErrTruncated,
	}
}

// fault is the error for malformed framing at offset in the current block.
func (r *Reader) fault(id rule.ID, offset int64, err error) error {
	return &Fault{Rule: r.ruleOf(id), Kind: r.block.Kind, Offset: offset, BlockOffset: r.block.Offset, Err: err}
}

// ruleOf is the rule of v3 that corresponds to one of the object framing, in a
// stream of v3.
func (r *Reader) ruleOf(id rule.ID) rule.ID {
	if !r.objects || r.begin != wire.TagBegin {
		return id
	}
	switch id {
	case rule.OBJ001, rule.OBJ002, rule.OBJ007, rule.OBJ011, rule.EOS004:
		return rule.NP001
	case rule.OBJ003, rule.OBJ004:
		return rule.NP002
	case rule.OBJ008:
		return rule.NP003
	}
	return id
}

// body makes the next size bytes the body of the current block, and makes tail
// more bytes after it available. When the stream ends before that, the body has
// the existing bytes and the block is truncated.
func (r *Reader) body(size int64, tail int) error {
	b := &r.block
	b.Size, b.BodyOffset = size, r.win.offset
	if size > r.limit {
		return r.fault(rule.LIM001, b.Offset, &LimitError{Name: "Block", Size: size, Limit: r.limit})
	}
	if r.wantHead() {
		r.headOf(size, tail)
		return nil
	}
	if !r.win.fill(int(size) + tail) {
		b.Truncated = true
		size = min(size, int64(r.win.have()))
		id := r.truncatedBodyRule(r.win.peek(int(size)))
		b.WrongSize = id != rule.EOS006
		r.err = r.truncatedBy(id, b.Offset)
	}
	b.Body = r.win.take(int(size))
	if r.win.src == nil {
		r.sum ^= touch(b.Body)
	}
	if poisoned {
		r.copied = append(r.copied[:0], b.Body...)
		b.Body = r.copied[:len(b.Body):len(b.Body)]
	}
	return nil
}
