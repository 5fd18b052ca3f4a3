package check

import (
	"github.com/nettrace-go/nettrace/codec/layout"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

const rowFields = 48 // of a row of metadata, as a rule

// tableState is where the walk over the fields of a block is. Package layout finds
// the fields.
type tableState struct {
	visit func(layout.Field) bool // looks at the next field
	// collects makes visit add the fields to checker.fields, and no more.
	collects bool
	types    int64 // descriptions of fields among them

	rows   int          // complete rows so far
	fault  layout.Fault // of the content: the walk ends
	first  uint32       // id of the first row
	start  int          // position of the current row, or of its first field
	number uint64       // value of the field before

	point  pointHeader
	entry  pointEntry
	thread threadRow
	label  labelRow
	pairs  pairRow
}

// walkTable walks over the fields of the current block and returns the fault that
// ends it, if there is one. The fault of a header is one of the next row.
func (c *checker) walkTable() layout.Fault {
	t := &c.table
	t.rows, t.fault, t.collects = 0, layout.Fault{}, false
	c.walker.Block(c.b.Kind, c.b.Body)(t.visit)
	if t.fault.Rule != rule.None {
		return t.fault
	}
	fault := c.walker.Fault()
	if fault.Row == layout.Header {
		fault.Row = t.rows
	}
	return fault
}

// checkForm walks over a block that has nothing to check but its fields.
func (c *checker) checkForm() {
	if fault := c.walkTable(); fault.Rule != rule.None {
		c.layoutFault(fault)
	}
}

// visitField checks a field of the current block and reports whether the walk
// continues.
func (c *checker) visitField(f *layout.Field) bool {
	if c.table.collects {
		return c.collect(f)
	}
	switch c.b.Kind {
	case wire.KindTrace:
		c.traceField(f)
	case wire.KindMetadata:
		c.metadataField(f)
	case wire.KindStack:
		c.stackField(f)
	case wire.KindSequencePoint:
		c.pointField(f)
	case wire.KindThread:
		c.threadField(f)
	case wire.KindRemoveThread:
		c.removedField(f)
	case wire.KindLabelList:
		c.labelField(f)
	}
	return c.table.fault.Rule == rule.None
}

// collect adds a field to those of a row. It returns false after more descriptions
// of fields than a row may have.
func (c *checker) collect(f *layout.Field) bool {
	c.fields = append(c.fields, *f)
	if f.Encoding != layout.Uint32 || f.Name != "TypeCode" && f.Name != "V2FieldSize" {
		return true
	}
	c.table.types++
	return c.limits.Fields <= 0 || c.table.types <= c.limits.Fields
}

// fail ends the walk over a table because of its content.
func (c *checker) fail(id rule.ID, pos int) {
	c.table.fault = layout.Fault{Rule: id, Row: c.table.rows, Pos: pos}
}

// bytes returns the bytes of a field, and text those of a string.
func (c *checker) bytes(f *layout.Field) []byte { return c.b.Body[f.Pos : f.Pos+f.Size] }

func (c *checker) text(f *layout.Field) []byte { return c.b.Body[f.From:f.To] }

// layoutFault reports a block that breaks its own layout or exceeds a limit, unless
// the stream is truncated there.
func (c *checker) layoutFault(fault layout.Fault) {
	if c.cutBlock() && fault.Ended {
		return
	}
	if f := c.found(fault.Rule, 0, c.in(fault.Pos, fault.Row)); f != nil {
		f.Actual = counted(int64(len(c.b.Body)-fault.Pos), "byte") + " left in the block"
		if fault.Rule >= rule.LIM001 {
			f.Actual += ", not read"
		}
	}
}
