package edit

import (
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// scan moves over the rows of a block. After a fault bad is set.
type scan struct {
	b   []byte
	pos int
	bad bool
}

func (s *scan) done() bool { return s.bad || s.pos >= len(s.b) }

// step moves to a position. A negative position is a fault.
func (s *scan) step(pos int) {
	if s.bad = s.bad || pos < 0; !s.bad {
		s.pos = pos
	}
}

func (s *scan) uint32() uint32 {
	v, next := wire.Uint32(s.b, s.pos)
	s.step(next)
	return v
}

func (s *scan) varUint() uint64 {
	v, next := wire.VarUint64(s.b, s.pos)
	s.step(next)
	return v
}

func (s *scan) skip(n int) { s.step(wire.Skip(s.b, s.pos, n)) }

func (s *scan) text() {
	_, next := wire.String(s.b, s.pos)
	s.step(next)
}

// block reports whether the bytes are a block of stacks or of label lists, to the
// last one.
func (s *scan) block(kind wire.Kind) bool {
	row := rowOf(kind)
	if row == nil {
		return false
	}
	s.uint32()
	for n := s.uint32(); n > 0 && !s.bad; n-- {
		row(s)
	}
	return !s.bad && s.pos == len(s.b)
}

// rowOf is the function for a row of a kind of block with a count of rows.
func rowOf(kind wire.Kind) func(*scan) {
	switch kind {
	case wire.KindStack:
		return (*scan).stack
	case wire.KindLabelList:
		return (*scan).labelList
	}
	return nil
}

// stack moves over a stack.
//
// Spec: "Stack block".
func (s *scan) stack() { s.skip(int(int32(s.uint32()))) }

// labelList moves over a label list.
//
// Spec: "LabelList block".
func (s *scan) labelList() {
	for !s.bad {
		kind, next := wire.Byte1(s.b, s.pos)
		s.step(next)
		switch wire.LabelKind(kind &^ wire.LastLabel) {
		case wire.LabelActivityID, wire.LabelRelatedActivityID, wire.LabelTraceID:
			s.skip(16)
		case wire.LabelSpanID, wire.LabelKeywords:
			s.skip(8)
		case wire.LabelKeyString:
			s.text()
			s.text()
		case wire.LabelKeyNumber:
			s.text()
			s.varUint()
		case wire.LabelOpcode, wire.LabelLevel, wire.LabelVersion:
			s.skip(1)
		default:
			s.bad = true
		}
		if kind&wire.LastLabel != 0 {
			return
		}
	}
}

// threads moves over thread rows and notes their indexes.
//
// Spec: "Thread block".
func (s *scan) threads(met map[uint64]bool) {
	for !s.done() {
		size, next := wire.Uint16(s.b, s.pos)
		s.step(next)
		start := s.pos
		if index := s.varUint(); !s.bad {
			met[index] = true
		}
		s.pos = start
		s.skip(int(size))
	}
}

// pieces makes several blocks of one with too many rows.
type pieces struct {
	kind  wire.Kind
	size  int    // bytes of the body; 0 without one
	pos   int    // of the next row
	first uint32 // its id
	left  uint32 // remaining rows
}

// next returns the next part of the body at the front of b, nil after the last
// one.
func (p *pieces) next(b []byte) []byte {
	s := scan{b: b[:p.size], pos: p.pos}
	if p.pos == 0 {
		p.first, p.left = s.uint32(), s.uint32()
	}
	start, count, row := s.pos, uint32(0), rowOf(p.kind)
	for p.pos = s.pos; count < p.left; count++ {
		if row(&s); s.pos-start > pieceSize && count > 0 {
			break
		}
		p.pos = s.pos
	}
	if count == 0 {
		return nil
	}
	le := binary.LittleEndian
	out := le.AppendUint32(nil, uint32(8+p.pos-start)|uint32(p.kind)<<sizeBits)
	out = le.AppendUint32(out, p.first)
	out = le.AppendUint32(out, count)
	out = append(out, b[start:p.pos]...)
	p.first, p.left = p.first+count, p.left-count
	return out
}
