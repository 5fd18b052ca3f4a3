package check

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Sizes from which a block is reported.
const (
	largeEventBlock   = 1 << 20
	runtimeBlock      = 102419 // the largest block of the .NET runtime
	smallEventBlock   = 200
	smallBlocksOf     = 1 << 20 // bytes of a file whose event blocks are small
	suspiciousBlock   = 0xF00000
	newestBlockReader = 2
)

// blockState is the state of the blocks so far.
type blockState struct {
	prevKind   wire.Kind
	traces     int
	eventSizes [2]int64 // event blocks below and from smallEventBlock bytes
	firstEvent spot     // the first event block
	forms      [2]bool  // uncompressed and compressed blocks were met
	inPieces   bool     // the current block has more pieces
	tries      int      // blocks searched in vain for a size that overflowed
	lint       bool     // information is requested
	runtime    bool     // the .NET runtime claims to have written it
}

// checkFraming checks the framing of a block.
//
// Spec: "Blocks" of the v6 text, "Objects" of the v4/v5 text.
func (c *checker) checkFraming() {
	if c.b.Kind == wire.KindTrace {
		if c.traces++; c.traces > 1 {
			c.found(c.oneTrace(), 0, c.here())
		}
	}
	if c.format.HasObjects() {
		c.checkObject()
	} else {
		c.checkBlockHeader()
	}
	if c.b.Kind == wire.KindEvent && c.b.Size > largeEventBlock {
		c.found(rule.BLK011, 0, c.here())
	}
}

func (c *checker) oneTrace() rule.ID {
	switch {
	case !c.format.HasObjects():
		return rule.BLK006
	case !c.format.HasSpecification():
		return rule.NP002
	}
	return rule.OBJ012
}

// checkBlockHeader checks the header of a block of v6.
func (c *checker) checkBlockHeader() {
	b := c.b
	switch {
	case !b.Kind.Known():
		if f := c.found(rule.BLK003, uint64(b.Kind), c.here()); f != nil {
			f.want("0 to 8", uint8(b.Kind))
		}
	case b.Size > 0:
	case b.Kind == wire.KindThread || b.Kind == wire.KindRemoveThread:
		c.foundAs(rule.BLK007, rule.Information, 0, c.here())
	case b.Kind != wire.KindEndOfStream:
		c.found(rule.BLK007, 0, c.here())
	}
	if b.Size >= suspiciousBlock && b.Kind.Known() {
		if f := c.foundAs(rule.BLK004, rule.Warning, 0, c.here()); f != nil {
			f.want("a size well below 16,777,216", b.Size)
		}
	}
	if b.Kind == wire.KindEndOfStream && b.Size > 0 {
		if f := c.found(rule.EOS002, 0, c.here()); f != nil {
			f.want("no body", counted(b.Size, "byte"))
		}
	}
}

// checkObject checks the bytes around the body of an object.
func (c *checker) checkObject() {
	b, o := c.b, &c.src.object
	if b.Kind == wire.KindEndOfStream {
		return
	}
	if !c.format.HasSpecification() {
		c.checkNetPerfObject()
	} else {
		c.checkType()
		if b.Size > runtimeBlock && c.runtime && b.Kind != wire.KindTrace {
			c.found(rule.OBJ013, 0, c.here())
		}
		if b.Size == 0 && b.Kind.Known() {
			c.found(rule.OBJ008, 0, c.at(o.size, -1))
		}
	}
	if o.offset != b.Offset || o.size < 0 {
		return
	}
	if i := bytes.IndexFunc(o.padding, func(r rune) bool { return r != 0 }); i >= 0 {
		id, as := rule.OBJ010, rule.Warning
		if !c.format.HasSpecification() {
			id = rule.NP003
		}
		if f := c.foundAs(id, as, 0, c.at(o.size+4+int64(i), -1)); f != nil {
			f.want("zeros", o.padding)
		}
	}
}

// checkType checks the type of an object: its name, its version and its
// minimum reader version.
//
// Spec: "Objects", "Version Numbers and forward compatibility" of the v4/v5 text.
func (c *checker) checkType() {
	b := c.b
	const version, minimum, name = 3, 7, 15 // their positions in an object
	switch {
	case b.Kind == wire.KindTrace:
		switch {
		case b.Version == 4 && b.MinReader == 4:
		case b.Version > 4 && b.MinReader <= 4, b.Version == 4 && b.MinReader < 4:
			c.versions(rule.OBJ004, rule.Warning, b.Offset+version)
		default:
			c.versions(rule.OBJ004, rule.Error, b.Offset+version)
		}
	case !isTypeName(b.TypeName):
		if f := c.found(rule.OBJ007, 0, c.at(b.Offset+name, -1)); f != nil {
			f.want("ASCII characters without NUL", strconv.Quote(b.TypeName))
		}
	case b.Kind == wire.KindUnknown:
		if f := c.found(rule.OBJ006, 0, c.at(b.Offset+name, -1)); f != nil {
			f.Actual = b.TypeName
		}
	case b.MinReader > b.Version:
		c.versions(rule.OBJ005, rule.Error, b.Offset+minimum)
	case b.MinReader < newestBlockReader:
		c.versions(rule.OBJ005, rule.Warning, b.Offset+minimum)
	case b.Version > newestBlockReader:
		c.versions(rule.OBJ005, rule.Information, b.Offset+version)
	}
}

// isTypeName reports whether all characters of a name are ASCII and not NUL.
func isTypeName(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return r == 0 || r > unicode.MaxASCII })
}

func (c *checker) versions(id rule.ID, as rule.Severity, offset int64) {
	if f := c.foundAs(id, as, uint64(c.b.Kind), c.at(offset, -1)); f != nil {
		expected := int32(newestBlockReader)
		if c.b.Kind == wire.KindTrace {
			expected = 4
		}
		f.want([]int32{expected, expected}, []int32{c.b.Version, c.b.MinReader})
	}
}

// countBlock counts an event block for the findings about all blocks.
func (c *checker) countBlock() {
	if c.eventSizes == [2]int64{} {
		c.firstEvent = c.here()
	}
	if c.b.Size < smallEventBlock {
		c.eventSizes[0]++
	} else {
		c.eventSizes[1]++
	}
	form := 0
	if c.b.Compressed() {
		form = 1
	}
	c.forms[form] = true
	if c.forms == [2]bool{true, true} && c.format.HasEventBlockHeaders() {
		c.foundAs(rule.UNC009, rule.Information, 0, c.here())
	}
}

// endBlocks reports the findings about all event blocks together.
func (c *checker) endBlocks() {
	if c.eventSizes[0] > c.eventSizes[1] && c.r.Offset() > smallBlocksOf && c.format.HasEventBlockHeaders() {
		c.found(rule.BLK010, 0, c.firstEvent)
	}
	if c.r.Count() == 0 {
		c.found(rule.EOS008, 0, spot{Place{Ordinal: -1}, 0, -1})
	}
}
