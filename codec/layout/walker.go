package layout

import (
	"iter"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Nesting is the default of Options.Nesting.
const Nesting = 1000

// Walker finds the fields of blocks. Use NewWalker; the zero value reads
// nothing. A Walker may be reused, but walks over one block at a time.
type Walker struct {
	version *version
	pointer int
	levels  int // of types in types

	b     []byte
	pos   int
	end   int // of the bytes that the part may use
	inner int // number of sizes that bound end; 0: it is the end of the body

	row, depth, nesting int
	flags               uint64
	last                bool // the last choice ends a list
	choice              int  // bytes of the items that the next choice chooses, or -1
	payloadSize         uint64
	payload             *part
	whole               int   // where the faults of missing fields are, or -1: at the field
	lead                rules // of the next field, in place of its own
	before              int   // position of the last field

	yield   func(Field) bool
	skip    bool // the parts of the last yielded field
	stopped bool
	fault   Fault
}

// Options configure a Walker. The zero value is for blocks of version 6.
type Options struct {
	// Format is the version of the blocks. Default: 6.
	Format wire.Format
	// PointerSize is the size of an address in bytes, from the Trace block: 4 or 8.
	// Default: 8.
	PointerSize int
	// Nesting is the number of levels of types in types that are read. A deeper type
	// breaks rule.LIM004. Default: 1,000.
	Nesting int
}

// NewWalker returns a Walker.
func NewWalker(opt Options) *Walker {
	if opt.Format.IsZero() {
		opt.Format = wire.V6
	}
	if opt.PointerSize != 4 {
		opt.PointerSize = 8
	}
	if opt.Nesting == 0 {
		opt.Nesting = Nesting
	}
	return &Walker{version: versionOf(opt.Format), pointer: opt.PointerSize, levels: opt.Nesting}
}

// Block yields the fields of a block in the order of the specification, up to
// the first fault. For a kind that is not in the format it yields all bytes as
// undefined.
func (w *Walker) Block(kind wire.Kind, body []byte) iter.Seq[Field] {
	return func(yield func(Field) bool) { w.walkBlock(kind, body, yield) }
}

func (w *Walker) walkBlock(kind wire.Kind, body []byte, yield func(Field) bool) {
	w.begin(body, 0, yield)
	var b block
	if int(kind) < len(w.version.blocks) {
		b = w.version.blocks[kind]
	}
	w.payload = b.payload
	if b.part != nil {
		w.part(b.part)
	}
	w.row, w.depth = Header, 0
	switch {
	case w.stopped || w.pos == w.end:
	case b.left != rule.None:
		w.fail(Fault{Rule: b.left, Row: Header, Pos: w.pos, Ended: true, Left: true})
	default:
		w.remaining("")
	}
}

// Definition yields the fields of the payload of a metadata row of versions 3 to
// 5: body from pos on. They have row 0.
func (w *Walker) Definition(body []byte, pos int) iter.Seq[Field] {
	return func(yield func(Field) bool) { w.walkDefinition(body, pos, yield) }
}

func (w *Walker) walkDefinition(body []byte, pos int, yield func(Field) bool) {
	w.begin(body, pos, yield)
	w.row = 0
	w.part(&definition)
}

// EventRow yields the fields of the event row at pos in the body of an event
// block. payloadSize is the size of the payload of the row before, which a
// compressed row may leave out. The fields have row 0.
func (w *Walker) EventRow(compressed bool, body []byte, pos, payloadSize int) iter.Seq[Field] {
	return func(yield func(Field) bool) { w.eventRow(compressed, body, pos, payloadSize, yield) }
}

func (w *Walker) eventRow(compressed bool, body []byte, pos, payloadSize int, yield func(Field) bool) {
	w.begin(body, pos, yield)
	w.row, w.payloadSize = 0, uint64(payloadSize)
	row := w.version.plain
	if compressed {
		row = w.version.compressed
	}
	w.part(row)
}

// Rows yields the positions of the rows of a block. It does not look at what their
// sizes count.
func (w *Walker) Rows(kind wire.Kind, body []byte) iter.Seq[int] {
	return func(yield func(int) bool) {
		row := Header
		for f := range w.Block(kind, body) {
			if f.Row != row && f.Row != Header {
				if row = f.Row; !yield(f.Pos) {
					return
				}
			}
			w.Skip()
		}
	}
}

// Skip leaves out the fields of the Group that was yielded last, or those that are
// in the bytes that it counts. It is for the body of the loop.
func (w *Walker) Skip() { w.skip = true }

// Fault returns the fault that ended the last walk. It is the zero Fault if
// there was none, or if the loop ended early.
func (w *Walker) Fault() Fault { return w.fault }

// PlainRowSize returns the size of an uncompressed event row without its payload:
// EventSize and all other fields.
func (w *Walker) PlainRowSize() int { return w.version.plain.min }

// RowFlags returns the flags that a compressed event row may have.
func (w *Walker) RowFlags() byte {
	flags := uint64(wire.RowSorted)
	for i := range w.version.compressed.items {
		flags |= w.version.compressed.items[i].when
	}
	return byte(flags)
}

// Pos returns the position after the last field of the last walk.
func (w *Walker) Pos() int { return w.pos }

func (w *Walker) begin(body []byte, pos int, yield func(Field) bool) {
	if w.version == nil {
		panic("layout: a zero Walker has no format: use NewWalker")
	}
	*w = Walker{version: w.version, pointer: w.pointer, levels: w.levels, b: body, pos: pos, end: len(body), row: Header, choice: -1, whole: -1, yield: yield}
}

// part walks over the items of a part.
func (w *Walker) part(p *part) {
	whole := w.whole
	if p.whole {
		w.whole = w.pos
	}
	if w.end-w.pos < p.min {
		w.missing(p.items[0].name, p.missing)
	}
	for i := range p.items {
		w.item(p, &p.items[i])
	}
	w.whole = whole
}

// item walks over one item, if it is there.
func (w *Walker) item(p *part, it *item) {
	switch {
	case w.stopped:
	case it.when != 0 && w.flags&it.when == 0, w.flags&it.unless != 0:
	case it.optional && w.pos == w.end:
	case it.enc == none:
		w.structure(p, it)
	case it.enc == Group || it.enc == Bytes:
		w.group(p, it)
	default:
		w.field(p, it)
	}
}

// inside walks over a part that may use the bytes up to end, if they are present.
// The remaining ones are one field.
func (w *Walker) inside(end int, p *part, rest string) {
	outer := w.end
	w.end = end
	w.inner++
	w.depth++
	if p != nil {
		w.part(p)
	}
	w.remaining(rest)
	w.depth--
	w.inner--
	w.end = outer
}

// remaining yields the bytes that are left as one field.
func (w *Walker) remaining(name string) {
	if w.stopped || w.pos == w.end {
		return
	}
	if name == "" {
		name = "Undefined"
	}
	w.bytes(name, "", Bytes, w.end-w.pos)
}

// bytes yields a field of size bytes without a value.
func (w *Walker) bytes(name, in string, enc Encoding, size int) {
	pos := w.pos
	w.pos += size
	w.emit(&Field{Name: name, Part: in, Pos: pos, Size: size, Encoding: enc})
}

func (w *Walker) emit(f *Field) {
	f.Row, f.Depth = w.row, w.depth
	w.before, w.skip = f.Pos, false
	if !w.yield(*f) {
		w.stopped = true
	}
}

// fail ends the walk.
func (w *Walker) fail(f Fault) {
	if !w.stopped {
		w.stopped, w.fault = true, f
	}
}

// missing ends the walk: the bytes end before or inside a field.
func (w *Walker) missing(name string, id rule.ID) {
	pos := w.pos
	if w.whole >= 0 {
		pos = w.whole
	}
	w.fail(Fault{Rule: id, Name: name, Row: w.row, Pos: pos, Ended: w.inner == 0})
}
