package record

import (
	"io"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// readAtOnce is the size of one read in bytes, about the capacity of a runtime's
// socket.
const readAtOnce = 128 << 10

// source reads a stream block by block, and has the bytes of each.
type source struct {
	r    *codec.BlockReader
	tee  tee
	pass int64 // offset in the stream; the bytes before it were returned or skipped
}

func newSource(src io.Reader, schemas func(*codec.Metadata, uint32) (codec.EventSchema, bool)) *source {
	s := &source{tee: tee{src: src}}
	s.r = codec.NewBlockReader(&s.tee, codec.Options{
		OnError: codec.Skip, NoStacks: true, Schemas: schemas,
		Limits: codec.Limits{Metadata: -1, Threads: -1, Labels: -1, Total: -1},
	})
	return s
}

// next returns the next block. The bytes are those of the block with its framing,
// for the first block with the stream's header, and valid until the next call.
// They are nil when the block is truncated.
func (s *source) next() (*codec.Block, []byte, bool) {
	s.tee.release(s.pass)
	b, ok := s.r.Next()
	if !ok {
		return nil, nil, false
	}
	if !s.complete(b) {
		return b, nil, true
	}
	object := s.tee.between(s.pass, s.r.Offset())
	s.pass = s.r.Offset()
	return b, object, true
}

// complete reports whether the block is complete, including the end tag of an
// object.
func (s *source) complete(b *codec.Block) bool {
	tail := int64(1)
	if b.TypeName == "" || b.Kind == wire.KindEndOfStream {
		tail = 0
	}
	return int64(len(b.Body)) == b.Size && s.r.Offset() >= b.BodyOffset+b.Size+tail
}

// tee reads a stream in large pieces and keeps the bytes until they are released.
// buf[0] is at offset start of the stream; given is the offset up to which the
// codec.Reader has read.
//
// start <= kept <= given <= read, read = start + len(buf).
type tee struct {
	src                      io.Reader
	buf                      []byte
	start, kept, given, read int64
	empty                    int // consecutive reads without bytes
	err                      error
}

// maxEmpty is the number of empty reads before io.ErrNoProgress.
const maxEmpty = 100

// Read returns the available bytes, and reads from the source only if there are
// none.
func (t *tee) Read(p []byte) (int, error) {
	if t.given == t.read && t.err == nil {
		t.fill()
	}
	n := copy(p, t.buf[t.given-t.start:])
	t.given += int64(n)
	if n == 0 && len(p) > 0 {
		return 0, t.err
	}
	return n, nil
}

// fill reads once.
func (t *tee) fill() {
	t.buf = t.buf[:copy(t.buf, t.buf[t.kept-t.start:])]
	t.start = t.kept
	if cap(t.buf)-len(t.buf) < readAtOnce/2 {
		t.buf = append(make([]byte, 0, 2*len(t.buf)+readAtOnce), t.buf...)
	}
	n, err := t.src.Read(t.buf[len(t.buf):cap(t.buf)])
	t.buf = t.buf[:len(t.buf)+n]
	t.read += int64(n)
	t.err = err
	if t.empty++; n > 0 {
		t.empty = 0
	} else if err == nil && t.empty >= maxEmpty {
		t.err = io.ErrNoProgress
	}
}

// release allows the bytes before an offset to be overwritten.
func (t *tee) release(offset int64) {
	t.kept = max(t.kept, offset)
	t.given = max(t.given, offset)
}

func (t *tee) between(from, to int64) []byte { return t.buf[from-t.start : to-t.start] }
