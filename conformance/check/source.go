package check

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"

	"github.com/nettrace-go/nettrace/codec/wire"
)

const (
	sourceBuffer  = 8 << 10
	packagingLook = 1024 // bytes in which the magic may hide
	streamHeader  = 20   // bytes of v6, before the first block
	blockHeader   = 4    // bytes of v6
	magic         = "Nettrace"
	objectMagic   = "\x14\x00\x00\x00!FastSerialization.1"
)

// source is the source of the Reader. It follows the framing, and gives the
// Reader no byte after the current block, so that the check can replace the next
// bytes and sees the parts of the framing that a Block does not have.
//
// Spec: "Blocks" of the v6 text, "Objects" of the v4/v5 text.
type source struct {
	in    *bufio.Reader
	given int64 // bytes handed out: the Reader's offset

	begun   bool
	free    bool  // the framing is malformed: all bytes are passed on
	objects bool  // the framing of v3 to v5
	left    int64 // bytes that may go out before the next look
	tail    bool  // an end tag comes next

	header int64      // length of the stream header
	head   []byte     // the first bytes of a stream that begins like none
	object objectHead // the last object whose head was read
	pieces []piece
	shifts []shift
}

// objectHead has the fields of an object's head that a Block does not have.
type objectHead struct {
	offset  int64 // of its first byte
	size    int64 // position of BlockSize
	padding []byte
	tagged  bool  // the byte after its body is an end tag
	first   int64 // position of its second tag if that is right, otherwise 0
}

// piece is a part of a block that replaces bytes of the stream.
type piece struct {
	head, body []byte
	start      int // of body in that of the block
}

// shift means that offsets from virtual on are greater by by than those in the
// stream.
type shift struct{ virtual, by int64 }

func newSource(r io.Reader) *source { return &source{in: bufio.NewReaderSize(r, sourceBuffer)} }

// real is the offset in the stream for one that the Reader counts.
func (s *source) real(offset int64) int64 {
	for i := len(s.shifts) - 1; i >= 0; i-- {
		if offset >= s.shifts[i].virtual {
			return offset - s.shifts[i].by
		}
	}
	return offset
}

// Read implements io.Reader.
func (s *source) Read(p []byte) (int, error) {
	if len(s.pieces) > 0 {
		return s.readPiece(p), nil
	}
	if s.left == 0 && !s.free {
		s.look()
	}
	if !s.free {
		p = p[:min(int64(len(p)), s.left)]
	}
	n, err := s.in.Read(p)
	s.given += int64(n)
	s.left -= min(int64(n), s.left)
	return n, err
}

// readPiece returns the bytes that replace a block.
func (s *source) readPiece(p []byte) int {
	first := &s.pieces[0]
	n := copy(p, first.head)
	first.head = first.head[n:]
	m := copy(p[n:], first.body)
	first.body = first.body[m:]
	if len(first.head)+len(first.body) == 0 {
		s.pieces = s.pieces[1:]
	}
	s.given += int64(n + m)
	return n + m
}

// look finds out how many bytes may go out before the next look.
func (s *source) look() {
	switch {
	case !s.begun:
		s.lookAtHeader()
	case s.objects:
		s.lookAtObject()
	default:
		b, _ := s.in.Peek(blockHeader)
		if len(b) < blockHeader {
			s.free = true
			return
		}
		s.left = blockHeader + int64(binary.LittleEndian.Uint32(b)&(1<<24-1))
	}
}

func (s *source) lookAtHeader() {
	s.begun = true
	b, _ := s.in.Peek(len(magic) + len(objectMagic))
	switch {
	case len(b) >= len(objectMagic) && string(b[:len(objectMagic)]) == objectMagic:
		s.objects, s.header = true, int64(len(objectMagic))
	case len(b) < len(magic) || string(b[:len(magic)]) != magic:
		head, _ := s.in.Peek(packagingLook)
		s.head, s.free = bytes.Clone(head), true
	case string(b[len(magic):]) == objectMagic:
		s.objects, s.header = true, int64(len(b))
	case len(b) >= streamHeader:
		s.header = streamHeader
	default:
		s.free = true
	}
	s.left = s.header
}

// lookAtObject reads the head of an object, or the end tag of the one before.
//
// Spec: "Objects", "The EventBlock Object" of the v4/v5 text.
func (s *source) lookAtObject() {
	const fixed, most = 15, 15 + 255 + 1 + 4 + 3
	if s.tail {
		s.tail = false
		b, _ := s.in.Peek(1)
		s.object.tagged = len(b) > 0 && b[0] == wire.TagEnd
		s.left, s.free = 1, !s.object.tagged
		return
	}
	b, _ := s.in.Peek(most)
	s.object = objectHead{offset: s.given, size: -1, tagged: true, padding: s.object.padding[:0]}
	s.free = true
	if len(b) < fixed {
		return
	}
	if b[1] == b[0] {
		s.object.first = 1
	}
	length := int64(binary.LittleEndian.Uint32(b[11:]))
	at := fixed + length + 1
	if length == 0 || length > 255 || int64(len(b)) < at {
		return
	}
	size := int64(48)
	if name := string(b[fixed : fixed+length]); name != "Trace" && name != "Microsoft.DotNet.Runtime.EventPipeFile" {
		if int64(len(b)) < at+4 {
			return
		}
		size = int64(int32(binary.LittleEndian.Uint32(b[at:])))
		s.object.size = s.given + at
		at += 4
		pad := -(s.given + at) & 3
		if size < 0 || int64(len(b)) < at+pad {
			return
		}
		s.object.padding = append(s.object.padding[:0], b[at:at+pad]...)
		at += pad
	}
	s.left, s.free, s.tail = at+size, false, true
}

// ahead returns up to n next bytes without passing them on: those after body,
// which the Reader has.
func (s *source) ahead(body []byte, n int) []byte {
	b := append(make([]byte, 0, len(body)+min(n, 1<<20)), body...)
	for want := len(body) + n; len(b) < want; {
		step := min(want-len(b), 1<<20)
		at := len(b)
		b = append(b, make([]byte, step)...)
		got, err := io.ReadFull(s.in, b[at:])
		b = b[:at+got]
		if err != nil {
			break
		}
	}
	return b
}

// unread puts back bytes that ahead returned and nobody took.
func (s *source) unread(b []byte) {
	s.in = bufio.NewReaderSize(io.MultiReader(bytes.NewReader(b), s.in), sourceBuffer)
}
