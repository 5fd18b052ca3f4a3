package clrfile

import (
	"bytes"
	"errors"
	"strings"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// PDB is a portable PDB. It keeps the file's bytes. It is for one goroutine.
type PDB struct {
	// GUID is the id of the build; an image has the same in Image.PDB.
	GUID wire.GUID

	meta      *metadata
	documents map[uint32]string
	kickoffs  map[uint32]uint32
}

// ErrWindowsPDB is returned by ReadPDB for a PDB in the format of Windows.
var ErrWindowsPDB = errors.New("clrfile: a PDB in the format of Windows, which is not read")

// isWindowsPDB reports whether data begins as a PDB in the format of Windows.
func isWindowsPDB(data []byte) bool {
	return bytes.HasPrefix(data, []byte("Microsoft C/C++ MSF 7.00\r\n"))
}

// ReadPDB reads the headers of a portable PDB. It keeps data, which must not
// change.
func ReadPDB(data []byte) (*PDB, error) {
	if isWindowsPDB(data) {
		return nil, ErrWindowsPDB
	}
	m, err := readMetadata(data)
	if err != nil {
		return nil, err
	}
	if m.pdb == nil {
		return nil, errors.New("clrfile: no portable PDB: the stream #Pdb is missing")
	}
	p := &PDB{meta: m, documents: map[uint32]string{}}
	p.GUID, _ = wire.ReadGUID(m.pdb, 0)
	return p, nil
}

// PDBID returns the id of a portable PDB whose beginning data has; headers of
// compilers are within the first kilobyte.
func PDBID(data []byte) (wire.GUID, bool) {
	c := at(data, 0)
	if c.uint32() != metadataSignature {
		return wire.GUID{}, false
	}
	c.skip(8)
	c.skip(uint64(c.uint32()))
	c.skip(2)
	for range c.uint16() {
		offset := c.uint32()
		c.skip(4)
		name := zeroEnded(data, uint64(c.pos))
		c.skip(uint64(len(name)/4+1) * 4)
		if c.bad() {
			break
		}
		if name == "#Pdb" {
			id := at(data, uint64(offset))
			g, _ := wire.ReadGUID(id.take(16), 0)
			return g, !id.bad()
		}
	}
	return wire.GUID{}, false
}

// Point is a sequence point: the code from an IL offset on is that of a range of
// source text.
type Point struct {
	IL      uint32 // offset in the method
	Line    uint32 // from 1; 0 for code that is hidden from users
	EndLine uint32 // the last line of the range
	Column  uint32 // from 1
	// Document is the number of the source file for PDB.Document.
	Document uint32
}

// Hidden reports that the point has no source text.
func (p *Point) Hidden() bool { return p.Line == 0 }

// Points returns the sequence points of a method in the order of the file, by IL
// offset. token is that of a MethodDef.
func (p *PDB) Points(token uint32) []Point {
	row := token & 0xFFFFFF
	index := p.meta.cell(tableMethodDebugInfo, row, 1)
	if index == 0 {
		return nil
	}
	document := p.meta.cell(tableMethodDebugInfo, row, 0)
	c := at(p.meta.blob(index), 0)
	c.compressed() // LocalSignature
	if document == 0 {
		document = c.compressed()
	}
	var points []Point
	var il uint32
	var line, column int64
	for first, visible := true, false; c.left() > 0; first = false {
		delta := c.compressed()
		if delta == 0 && !first {
			document = c.compressed()
			continue
		}
		il += delta
		lines := c.compressed()
		columns := int64(0)
		if lines == 0 {
			columns = int64(c.compressed())
		} else {
			columns = int64(c.signed())
		}
		point := Point{IL: il, Document: document}
		if lines != 0 || columns != 0 {
			if visible {
				line, column = line+int64(c.signed()), column+int64(c.signed())
			} else {
				line, column, visible = int64(c.compressed()), int64(c.compressed()), true
			}
			if line <= 0 || line >= hiddenLine || column < 0 || column > 1<<16 {
				return nil
			}
			point.Line, point.Column = uint32(line), uint32(column)
			point.EndLine = point.Line + min(lines, hiddenLine)
		}
		if c.bad() {
			return nil
		}
		points = append(points, point)
	}
	return points
}

// hiddenLine is above the lines of all points (Portable PDB: 0xFEEFEE).
const hiddenLine = 0xFEEFEE

// Document returns the path of a source file, as the compiler wrote it.
func (p *PDB) Document(number uint32) string {
	name, known := p.documents[number]
	if !known {
		name = p.readDocument(number)
		p.documents[number] = name
	}
	return name
}

func (p *PDB) readDocument(number uint32) string {
	blob := p.meta.blob(p.meta.cell(tableDocument, number, 0))
	if len(blob) == 0 {
		return ""
	}
	separator := string(blob[:1])
	if separator == "\x00" {
		separator = ""
	}
	var b strings.Builder
	c := at(blob, 1)
	for first := true; c.left() > 0 && b.Len() < longestText; first = false {
		if !first {
			b.WriteString(separator)
		}
		if index := c.compressed(); index != 0 {
			part := p.meta.blob(index)
			b.WriteString(text(part[:min(len(part), longestText)]))
		}
	}
	return b.String()
}

// Kickoff returns the token of the method that a user wrote for the MoveNext of
// its state machine, and whether the PDB has it.
func (p *PDB) Kickoff(token uint32) (uint32, bool) {
	if p.kickoffs == nil {
		p.kickoffs = make(map[uint32]uint32, p.meta.rows[tableStateMachine])
		for i := range p.meta.rows[tableStateMachine] {
			p.kickoffs[p.meta.cell(tableStateMachine, i+1, 0)] = p.meta.cell(tableStateMachine, i+1, 1)
		}
	}
	row, ok := p.kickoffs[token&0xFFFFFF]
	return tableMethodDef<<24 | row, ok
}
