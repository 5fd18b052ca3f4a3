package gen

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/codec/layout"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// header is the row number of a field that is in no row.
const header = layout.Header

// textOf is appended to the name of a string for its text without the length.
const textOf = " text"

// fields are those of a block, in file order.
type fields []layout.Field

// fieldsOf finds the fields of a body, up to the first fault.
func fieldsOf(kind wire.Kind, body []byte, format wire.Format) (list fields) {
	w := layout.NewWalker(layout.Options{Format: format})
	for f := range w.Block(kind, body) {
		list = append(list, f)
		if f.Encoding == layout.String {
			list = append(list, layout.Field{Name: f.Name + textOf, Part: f.Part, Row: f.Row, Pos: f.From, Size: f.To - f.From})
		}
	}
	return list
}

// namesV4 are the names of versions 4 and 5 for those of version 6.
var namesV4 = map[string]string{
	"ThreadIndex": "ThreadId", "CaptureThreadIndex": "CaptureThreadId",
	"SyncTimeTicks": "SyncTimeQPC", "TickFrequency": "QPCFrequency",
}

// is reports whether a field has a name: that of the specification, if necessary
// after that of its part, as in "OptionalMetadata.Size".
func is(f *layout.Field, name string) bool {
	part, rest, qualified := strings.Cut(name, ".")
	if qualified {
		return f.Part == part && f.Name == rest
	}
	return f.Name == name || f.Name == namesV4[name]
}

// start returns the position of the first field of a row.
func (l fields) start(row int) int {
	i := slices.IndexFunc(l, func(f layout.Field) bool { return f.Row == row })
	if i < 0 || row == header {
		return -1
	}
	return l[i].Pos
}

// counting returns the fields of a name that count the byte at pos; with no name,
// all.
func (l fields) counting(pos int, names ...string) (list fields) {
	for _, f := range l {
		named := slices.ContainsFunc(names, func(name string) bool { return is(&f, name) })
		if f.Counts && f.From <= pos && pos < f.To && (named || len(names) == 0) {
			list = append(list, f)
		}
	}
	return list
}

// resize makes the sizes that count the byte at pos count delta bytes more: those
// that are named, or all.
func (l fields) resize(b []byte, pos, delta int, names ...string) {
	for _, f := range l.counting(pos, names...) {
		at, size := b[f.Pos:], int(f.Value)+delta
		switch f.Encoding {
		case layout.Uint16:
			binary.LittleEndian.PutUint16(at, uint16(size))
		case layout.Uint32:
			binary.LittleEndian.PutUint32(at, uint32(size))
		default:
			n := varuint(uint64(size))
			if len(n) != f.Size {
				panic("gen: a size in varuint grows")
			}
			copy(at, n)
		}
	}
}
