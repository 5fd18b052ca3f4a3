package check

import (
	"encoding/binary"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/layout"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Fields of event rows that findings are at.
const (
	fieldMetadata  = "MetadataId"
	fieldSequence  = "SequenceNumber"
	fieldCapture   = "CaptureThreadIndex"
	fieldProcessor = "ProcessorNumber"
	fieldThread    = "ThreadIndex"
	fieldStack     = "StackId"
	fieldTime      = "TimeStamp"
	fieldLabels    = "LabelListId"
)

// eventRow returns the fields of the event row at pos in the current block; the
// next call overwrites them. The payload has prevSize bytes when the row has no
// size. It is slow: for findings, and unusual rows.
func (c *checker) eventRow(pos, prevSize int) []layout.Field {
	c.fields = c.fields[:0]
	c.walker.EventRow(c.format.HasEventBlockHeaders() && c.b.Compressed(), c.b.Body, pos, prevSize)(c.addField)
	return c.fields
}

// field is where a field of an event's row is: the first of the names that the
// row writes, else the row itself.
func (c *checker) field(e *codec.Event, names ...string) spot {
	at := c.at(e.Offset(), c.rows-1)
	for _, f := range c.eventRow(int(e.Offset()-c.b.BodyOffset), len(e.Payload())) {
		if i := slices.Index(names, f.Name); i >= 0 {
			at.offset = c.b.BodyOffset + int64(f.Pos)
			names = names[:i]
		}
	}
	return at
}

// foundIn counts a finding at a field of an event's row, as found does.
func (c *checker) foundIn(e *codec.Event, id rule.ID, subject uint64, names ...string) *Finding {
	f := c.found(id, subject, c.at(e.Offset(), c.rows-1))
	if f != nil {
		f.Offset = c.src.real(c.field(e, names...).offset)
	}
	return f
}

// Fields of the headers of event blocks that findings are at.
const (
	fieldMinimum = "MinTimestamp"
	fieldMaximum = "MaxTimestamp"
)

// foundInHeader counts a finding at a field of the header of the current event
// block, as found does. The body may end before the header does.
func (c *checker) foundInHeader(id rule.ID, subject uint64, name string, row int) *Finding {
	found := c.found(id, subject, c.in(0, row))
	if found == nil {
		return nil
	}
	header := make([]byte, layout.EventHeaderSize)
	binary.LittleEndian.PutUint16(header, layout.EventHeaderSize)
	for f := range c.walker.Block(wire.KindEvent, header) {
		if f.Name == name {
			found.Offset = c.src.real(c.in(f.Pos, row).offset)
			break
		}
	}
	return found
}

// overlongIn returns the position of the first number of a compressed row that
// has superfluous zeros, or -1.
func (c *checker) overlongIn(pos, prevSize int) int {
	for _, f := range c.eventRow(pos, prevSize) {
		if c.overlongField(f) {
			return f.Pos
		}
	}
	return -1
}

func (c *checker) overlongField(f layout.Field) bool {
	number := f.Encoding == layout.VarUint32 || f.Encoding == layout.VarUint64
	return number && overlong(c.b.Body, f.Pos, f.Pos+f.Size)
}
