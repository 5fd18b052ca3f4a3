package edit

import (
	"encoding/binary"
	"io"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
)

const (
	streamHeader = 20 // bytes of v6
	blockHeader  = 4
	sizeBits     = 24
	readAtOnce   = 64 << 10
	pieceSize    = 8 << 20 // of a block that is split
)

// overflows reads a stream, and splits the blocks of v6 whose sizes overflowed:
// a writer that puts size | kind<<24 into a header (record-trace) lets the upper
// bits of a size run into the kind. Such a block is known by what it holds: read
// by its header it breaks its own layout, read by one of the sizes and kinds that
// the header may stand for it does not, to the byte.
//
// Spec: "Block header".
type overflows struct {
	src     io.Reader
	changes *changes
	most    int   // bytes that may be looked at
	given   int64 // bytes handed out

	buf     []byte // buf[start:] is read and not handed out
	start   int
	err     error // of src
	begun   bool
	plain   bool // not v6: everything goes through
	ready   int  // bytes behind start that may be handed out
	pieces  pieces
	threads map[uint64]bool // indexes met
}

func newOverflows(src io.Reader, limits *codec.Limits, c *changes) *overflows {
	o := &overflows{src: src, changes: c, most: int(limits.Block), threads: map[uint64]bool{}}
	if o.most == 0 {
		o.most = 64 << 20
	}
	return o
}

// Read hands out the stream.
func (o *overflows) Read(b []byte) (int, error) {
	for o.ready == 0 && len(o.pieces.out) == 0 {
		if o.pieces.next(o.have()) {
			continue
		}
		o.skip(o.pieces.size)
		o.pieces.size = 0
		if !o.advance() {
			return 0, o.err
		}
	}
	n := copy(b, o.pieces.out)
	if n > 0 {
		o.pieces.out = o.pieces.out[n:]
	} else {
		n = copy(b, o.have()[:o.ready])
		o.skip(n)
		o.ready -= n
	}
	o.given += int64(n)
	return n, nil
}

// have are the bytes that are read and not handed out.
func (o *overflows) have() []byte { return o.buf[o.start:] }

func (o *overflows) skip(n int) { o.start += n }

// fill makes n bytes ready to be looked at, if the source has them.
func (o *overflows) fill(n int) bool {
	for len(o.buf)-o.start < n && o.err == nil {
		if o.start > 0 && o.start >= len(o.buf)/2 {
			o.buf = o.buf[:copy(o.buf, o.have())]
			o.start = 0
		}
		at := len(o.buf)
		if cap(o.buf)-at < readAtOnce {
			o.buf = append(make([]byte, 0, 2*cap(o.buf)+readAtOnce), o.buf...)
		}
		var got int
		got, o.err = o.src.Read(o.buf[at : at+readAtOnce])
		o.buf = o.buf[:at+got]
	}
	return len(o.buf)-o.start >= n
}

// advance finds out what may be handed out next: a block as it stands, or the
// pieces of one that overflowed.
func (o *overflows) advance() bool {
	if !o.begun {
		o.begun = true
		o.plain = !o.fill(streamHeader) || string(o.have()[:8]) != "Nettrace" || binary.LittleEndian.Uint32(o.have()[8:]) != 0
		if !o.plain {
			o.ready = streamHeader
			return true
		}
	}
	if o.plain || !o.fill(blockHeader) {
		o.fill(1)
		o.ready = len(o.have())
		return o.ready > 0
	}
	head := binary.LittleEndian.Uint32(o.have())
	kind, size := wire.Kind(head>>sizeBits), int(head&(1<<sizeBits-1))
	if !o.sound(kind, size) && o.overflowed(kind, size) {
		o.changes.add("blocks whose size overflowed split", 1)
		return true
	}
	o.ready = min(blockHeader+size, len(o.have()))
	return true
}

// sound says whether a block may be what its header says. One that the end of
// the stream cuts may.
func (o *overflows) sound(kind wire.Kind, size int) bool {
	if !o.fill(blockHeader + size) {
		return true
	}
	s := scan{b: o.have()[blockHeader : blockHeader+size]}
	switch kind {
	case wire.RemoveThread:
		for !s.done() {
			s.bad = !o.threads[s.varUint()] || s.bad
			s.varUint()
		}
	case wire.Thread:
		s.threads(o.threads)
	case wire.Event, wire.Metadata, wire.SequencePoint, wire.Trace, wire.EndOfStream:
		return true
	default:
		return s.block(kind) && o.follows(blockHeader+size)
	}
	return !s.bad
}

// overflowed looks for the kind and the size that the header of a block stands
// for, and makes the pieces.
func (o *overflows) overflowed(kind wire.Kind, size int) bool {
	for upper := 1; upper<<sizeBits+size <= o.most && upper <= int(kind); upper++ {
		for _, k := range []wire.Kind{wire.Stack, wire.LabelList} {
			whole := upper<<sizeBits + size
			if k|wire.Kind(upper) != kind || !o.fill(blockHeader+whole) {
				continue
			}
			s := scan{b: o.have()[blockHeader : blockHeader+whole]}
			if s.block(k) && o.follows(blockHeader+whole) {
				o.skip(blockHeader)
				o.pieces = pieces{kind: k, size: whole}
				return true
			}
		}
	}
	return false
}

// follows says whether a block may begin n bytes further on, or the stream ends
// there.
func (o *overflows) follows(n int) bool {
	return !o.fill(n+blockHeader) || wire.Kind(o.have()[n+blockHeader-1]).Known()
}
