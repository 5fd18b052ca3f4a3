package edit

import (
	"encoding/binary"

	"github.com/nettrace-go/nettrace/codec/layout"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// complete reports whether bytes are a block of a kind, to the last one.
func complete(w *layout.Walker, kind wire.Kind, body []byte) bool {
	for range w.Rows(kind, body) {
	}
	return w.Fault().Rule == rule.None && w.Pos() == len(body)
}

// pieces makes several blocks of one with too many rows.
type pieces struct {
	kind  wire.Kind
	size  int        // bytes of the body, 0: there is none
	first uint32     // id of the next row
	list  []rowRange // to come
}

// rowRange is some rows of a body.
type rowRange struct {
	start, end int
	count      uint32
}

// piecesOf divides the rows of a complete block of stacks or label lists.
func piecesOf(w *layout.Walker, kind wire.Kind, body []byte) pieces {
	p := pieces{kind: kind, size: len(body), first: binary.LittleEndian.Uint32(body)}
	var part rowRange
	last := 0 // where the last row starts
	add := func(end int) {
		if part.count > 0 && end-part.start > pieceSize {
			p.list = append(p.list, part)
			part = rowRange{start: last}
		}
		part.end = end
		part.count++
	}
	for pos := range w.Rows(kind, body) {
		if last > 0 {
			add(pos)
		} else {
			part.start = pos
		}
		last = pos
	}
	if last > 0 {
		add(len(body))
		p.list = append(p.list, part)
	}
	return p
}

// next returns the next part of the body at the start of b, or nil after the last
// one.
func (p *pieces) next(b []byte) []byte {
	if len(p.list) == 0 {
		return nil
	}
	part := p.list[0]
	p.list = p.list[1:]
	le := binary.LittleEndian
	out := le.AppendUint32(nil, uint32(8+part.end-part.start)|uint32(p.kind)<<sizeBits)
	out = le.AppendUint32(out, p.first)
	out = le.AppendUint32(out, part.count)
	p.first += part.count
	return append(out, b[part.start:part.end]...)
}
